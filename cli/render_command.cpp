#include <CLI/CLI.hpp>
#include <charconv>
#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/file_roles.h"
#include "cli/markup.h"
#include "cli/output_option.h"
#include "cli/renderers.h"
#include "cli/streams.h"
#include "cli/utf8.h"

namespace tilebeam::cli {
namespace {

struct RenderArguments {
  std::string problem;
  std::string schedule;
  std::string format;
  std::string output = kStandardOutput;
  std::string steps;
  DepthReading depth = DepthReading::kNative;
};

bool showsTheGraphAlone(const std::string& format) {
  return format == "dot" || format == "mermaid";
}

void checkArguments(const RenderArguments& arguments) {
  if (arguments.schedule.empty() && !showsTheGraphAlone(arguments.format)) {
    throw Failure(ExitCode::kWrongUsage, "--to " + arguments.format +
                                             " needs a SCHEDULE; dot and mermaid show the graph "
                                             "of a problem alone (see --help)");
  }
  if (arguments.schedule.empty() && !arguments.steps.empty()) {
    throw Failure(ExitCode::kWrongUsage, "--steps needs a SCHEDULE (see --help)");
  }
  FileRoles files;
  files.addInput(arguments.problem);
  files.addInput(arguments.schedule);
  files.addOutput(arguments.output);
  files.requireWritable();
}

std::string drawn(const std::string& format, const SchedulePicture& picture) {
  if (format == "html") return renderHtml(picture);
  if (format == "svg") return renderSvg(picture);
  if (format == "trace") return renderTrace(picture);
  if (format == "dot") return renderDot(picture.title, picture.problem, &picture);
  return renderMermaid(picture.title, picture.problem, &picture);
}

// "A-B", or "A" for this one step.
ShownSteps chosenSteps(const std::string& text, std::size_t count) {
  ShownSteps range;
  const char* const end = text.data() + text.size();
  auto read = std::from_chars(text.data(), end, range.first);
  range.last = range.first;
  if (read.ec == std::errc() && read.ptr != end && *read.ptr == '-') {
    read = std::from_chars(read.ptr + 1, end, range.last);
  }
  const bool whole = read.ec == std::errc() && read.ptr == end;
  if (whole && range.first <= range.last && range.last < count) return range;
  const std::string last = std::to_string(count - 1);
  throw Failure(ExitCode::kWrongUsage, "--steps: '" + text + "' is no step and no range of steps " +
                                           "of 0 to " + last + ", as in " + last + " or 0-" + last);
}

// What --steps says, else as many of the first as can be drawn.
ShownSteps stepsToDraw(const RenderArguments& arguments, const Schedule& schedule) {
  const std::size_t count = schedule.steps.size();
  if (!arguments.steps.empty()) return chosenSteps(arguments.steps, count);
  // The figure draws no more than it has pixels.
  if (arguments.format == "svg") return {0, count - 1};
  const ShownSteps range = drawableSteps(schedule);
  if (range.last + 1 < count) {
    printLine("tilebeam: " + arguments.schedule + ": " + std::to_string(count) +
              " steps; only 0 to " + std::to_string(range.last) +
              " are drawn, others with --steps A-B");
  }
  return range;
}

std::string drawnWithSchedule(const RenderArguments& arguments, const std::string& title,
                              const Problem& problem) {
  Schedule schedule = loadSchedule(arguments.schedule);
  const ScheduleEvaluator evaluator(problem, {.depth = arguments.depth});
  Evaluation evaluation = evaluator.evaluate(schedule);
  if (!evaluation.valid()) {
    throw Failure(ExitCode::kInvalidSchedule,
                  arguments.schedule + ": " + evaluation.violation->message());
  }
  const ShownSteps range = stepsToDraw(arguments, schedule);
  return drawn(arguments.format, pictureOf(title, problem, std::move(schedule),
                                           std::move(evaluation), arguments.depth, range));
}

std::string drawnAlone(const RenderArguments& arguments, std::string title,
                       const Problem& problem) {
  const std::size_t count = problem.opCount();
  if (count > kMostDrawnOps) {
    const std::string part =
        "the first " + std::to_string(kMostDrawnOps) + " of " + std::to_string(count) + " ops";
    printLine("tilebeam: " + arguments.problem + ": only " + part + " are drawn");
    title += ", " + part;
  }
  return arguments.format == "dot" ? renderDot(title, problem, nullptr)
                                   : renderMermaid(title, problem, nullptr);
}

ExitCode render(const RenderArguments& arguments) {
  checkArguments(arguments);
  const Problem problem = loadProblem(arguments.problem);
  const std::string title = printable(std::filesystem::path(arguments.problem).filename().string());
  saveFile(arguments.output, arguments.schedule.empty()
                                 ? drawnAlone(arguments, title, problem)
                                 : drawnWithSchedule(arguments, title, problem));
  return ExitCode::kDone;
}

}  // namespace

void addRenderCommand(CLI::App& parser, Action& action) {
  const auto arguments = std::make_shared<RenderArguments>();
  CLI::App& command = *parser.add_subcommand("render", "Draw a schedule or a graph");
  command.add_option("PROBLEM", arguments->problem, "The problem, JSON")->required();
  command.add_option("SCHEDULE", arguments->schedule,
                     "The schedule, JSON; dot and mermaid need none");
  command.add_option("--to", arguments->format, "html, svg, dot, mermaid, or trace (for Perfetto)")
      ->type_name("FORMAT")
      ->required()
      ->check(CLI::IsMember({"html", "svg", "dot", "mermaid", "trace"}));
  addOutputOption(command, "-o,--output", arguments->output,
                  "File to write (default: standard output)");
  command
      .add_option("--steps", arguments->steps, "Steps to draw (default: all, or the first 20000)")
      ->type_name("A-B");
  addDepthOption(command, arguments->depth);
  command.footer("Example: tilebeam render problem.json schedule.json --to html -o schedule.html");
  command.callback([&action, arguments] { action = [arguments] { return render(*arguments); }; });
}

}  // namespace tilebeam::cli
