#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/markup.h"
#include "cli/renderers.h"
#include "cli/streams.h"

namespace tilebeam::cli {
namespace {

struct RenderArguments {
  std::string problem;
  std::string schedule;
  std::string format;
  std::string output = kStandardOutput;
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
  requireOtherFile(arguments.output, arguments.problem);
  if (!arguments.schedule.empty()) requireOtherFile(arguments.output, arguments.schedule);
  requireWritable(arguments.output);
}

std::string drawn(const std::string& format, const SchedulePicture& picture) {
  if (format == "html") return renderHtml(picture);
  if (format == "svg") return renderSvg(picture);
  if (format == "trace") return renderTrace(picture);
  if (format == "dot") return renderDot(picture.title, picture.problem, &picture);
  return renderMermaid(picture.title, picture.problem, &picture);
}

std::string drawnWithSchedule(const RenderArguments& arguments, const std::string& title,
                              const Problem& problem) {
  const Schedule schedule = loadSchedule(arguments.schedule);
  const ScheduleEvaluator evaluator(problem, {.depth = arguments.depth});
  Evaluation evaluation = evaluator.evaluate(schedule);
  if (!evaluation.valid()) {
    throw Failure(ExitCode::kInvalidSchedule,
                  arguments.schedule + ": " + evaluation.violation->message());
  }
  return drawn(arguments.format,
               pictureOf(title, problem, schedule, std::move(evaluation), arguments.depth));
}

ExitCode render(const RenderArguments& arguments) {
  checkArguments(arguments);
  const Problem problem = loadProblem(arguments.problem);
  const std::string title = plainText(std::filesystem::path(arguments.problem).filename().string());
  if (!arguments.schedule.empty()) {
    saveFile(arguments.output, drawnWithSchedule(arguments, title, problem));
  } else if (arguments.format == "dot") {
    saveFile(arguments.output, renderDot(title, problem, nullptr));
  } else {
    saveFile(arguments.output, renderMermaid(title, problem, nullptr));
  }
  return ExitCode::kDone;
}

}  // namespace

void addRenderCommand(CLI::App& parser, Action& action) {
  const auto arguments = std::make_shared<RenderArguments>();
  CLI::App& command = *parser.add_subcommand("render", "Draw a schedule or a graph");
  command.add_option("PROBLEM", arguments->problem, "The problem, JSON")->required();
  command.add_option("SCHEDULE", arguments->schedule,
                     "The schedule, JSON; dot and mermaid need none");
  command
      .add_option("--to", arguments->format,
                  "html (a page), svg (a figure), dot or mermaid (the graph), trace (for Perfetto)")
      ->type_name("FORMAT")
      ->required()
      ->check(CLI::IsMember({"html", "svg", "dot", "mermaid", "trace"}));
  command.add_option("-o,--output", arguments->output, "File to write (default: standard output)")
      ->type_name("FILE");
  addDepthOption(command, arguments->depth);
  command.footer("Example: tilebeam render problem.json schedule.json --to html -o schedule.html");
  command.callback([&action, arguments] { action = [arguments] { return render(*arguments); }; });
}

}  // namespace tilebeam::cli
