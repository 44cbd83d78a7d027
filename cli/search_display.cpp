#include "cli/search_display.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

#include "cli/streams.h"
#include "cli/terminal.h"
#include "cli/text_table.h"

namespace tilebeam::cli {
namespace {

// A line of the table: what it says, columns as wide as in its header.
std::string tableLine(const char* time, const char* incumbent, const char* bound, const char* gap,
                      const char* round, const char* source) {
  char line[256];
  std::snprintf(line, sizeof line, "%9s  %16s  %16s  %8s  %5s  %s", time, incumbent, bound, gap,
                round, source);
  return line;
}

std::string formatGap(double gap) { return formatFixed(100 * gap, 2) + " %"; }

// 950, 12k, 4.5M
std::string formatCount(double value) {
  if (value < 1e3) return formatFixed(value, 0);
  return value < 1e6 ? formatFixed(value / 1e3, 0) + "k" : formatFixed(value / 1e6, 1) + "M";
}

// As few digits as tell improvements apart.
std::string formatShort(double value) {
  return value < 1e5 || value >= 1e12 ? formatNumber(value) : formatFixed(value, 0);
}

std::string placeOf(const SearchProgress& progress) {
  std::string text = "r" + std::to_string(progress.round) + " " + name(progress.phase);
  if (progress.total == 0) return text;
  const std::int64_t done = std::min(progress.done, progress.total);
  return text + " " + std::to_string(done) + "/" + std::to_string(progress.total);
}

constexpr const char* kStrong = "1";
constexpr const char* kFaint = "2";

// Parts of a line, as many as there is room for.
class LineParts {
 public:
  LineParts(std::size_t width, bool colour) : width_(width), colour_(colour) {}

  void add(const std::string& part, const char* style = nullptr) {
    const std::size_t gap = text_.empty() ? 0 : 2;
    full_ = full_ || used_ + gap + part.size() > width_;
    if (full_) return;
    used_ += gap + part.size();
    text_.append(gap, ' ');
    text_ +=
        colour_ && style != nullptr ? std::string("\x1b[") + style + "m" + part + "\x1b[0m" : part;
  }
  const std::string& text() const { return text_; }

 private:
  std::size_t width_;
  bool colour_;
  bool full_ = false;
  std::size_t used_ = 0;
  std::string text_;
};

}  // namespace

void addDisplayOptions(CLI::App& command, DisplayOptions& options) {
  static const std::map<std::string, LogLevel> levels{{"error", LogLevel::kError},
                                                      {"warning", LogLevel::kWarning},
                                                      {"info", LogLevel::kInfo},
                                                      {"debug", LogLevel::kDebug}};
  static const std::map<std::string, LiveLine> modes{
      {"auto", LiveLine::kAuto}, {"always", LiveLine::kAlways}, {"never", LiveLine::kNever}};
  const auto setLevel = [&options](const std::string& text) { options.level = levels.at(text); };
  const auto setLive = [&options](const std::string& text) { options.live = modes.at(text); };
  const auto silence = [&options](std::int64_t) { options = {LogLevel::kError, LiveLine::kNever}; };
  command
      .add_option_function<std::string>("--log-level", setLevel,
                                        "error, warning, info (default) or debug")
      ->type_name("LEVEL")
      ->check(CLI::IsMember(levels));
  command
      .add_option_function<std::string>("--progress", setLive,
                                        "Live line: auto (on a terminal), always or never")
      ->type_name("WHEN")
      ->check(CLI::IsMember(modes));
  command.add_flag_function("--quiet", silence, "Say nothing but errors");
}

void checkDisplayOptions(const CLI::App& command) {
  for (const char* const other : {"--log-level", "--progress"}) {
    if (command.count("--quiet") > 0 && command.count(other) > 0) {
      throw CLI::ExcludesError("--quiet", other);
    }
  }
}

SearchDisplay::SearchDisplay(const DisplayOptions& options)
    : options_(options),
      live_(options.live == LiveLine::kAlways ||
            (options.live == LiveLine::kAuto && stderrIsTerminal())),
      table_(options.says(LogLevel::kDebug) || (options.says(LogLevel::kInfo) && !live_)),
      colour_(stderrHasColour()) {}

void SearchDisplay::show(const Incumbent& news) { addRow(news); }

void SearchDisplay::show(const SearchProgress& progress) {
  // The bound has moved without a new incumbent.
  if (progress.bound > bound_ && bound_ > 0) {
    addRow(
        {progress.seconds, progress.round, progress.latency, progress.bound, name(progress.phase)});
  }
  if (options_.says(LogLevel::kDebug)) logPhase(progress);
  if (live_) draw(progress);
}

void SearchDisplay::addRow(const Incumbent& news) {
  bound_ = news.bound;
  if (!table_) return;
  if (!headed_) print(tableLine("time", "incumbent", "bound", "gap", "round", "found by"));
  headed_ = true;
  const double gap = relativeGap(news.latency, news.bound);
  print(tableLine((formatFixed(news.seconds, 2) + " s").c_str(), formatNumber(news.latency).c_str(),
                  formatNumber(news.bound).c_str(), formatGap(gap).c_str(),
                  std::to_string(news.round).c_str(), news.source.c_str()));
}

void SearchDisplay::logPhase(const SearchProgress& progress) {
  if (progress.round == loggedRound_ && progress.phase == loggedPhase_) return;
  loggedRound_ = progress.round;
  loggedPhase_ = progress.phase;
  const SearchCounters& counters = progress.counters;
  print("tilebeam: debug: " + formatFixed(progress.seconds, 2) + " s: " + placeOf(progress) + "; " +
        std::to_string(counters.candidates) + " candidates, " +
        std::to_string(counters.statesGenerated) + " states, " +
        std::to_string(counters.stepsScored) + " steps scored so far");
}

// Over half a second or more: from one moment to the next they jump too much to read.
void SearchDisplay::measureRates(const SearchProgress& progress) {
  constexpr double kLeast = 0.5;
  const Sample now{progress.seconds, progress.counters.statesGenerated,
                   progress.counters.stepsScored};
  const Sample last = sample_.value_or(Sample{});
  const double seconds = now.seconds - last.seconds;
  if (seconds <= 0 || (sample_ && seconds < kLeast)) return;
  statesPerSecond_ = static_cast<double>(now.states - last.states) / seconds;
  stepsPerSecond_ = static_cast<double>(now.steps - last.steps) / seconds;
  sample_ = now;
}

void SearchDisplay::draw(const SearchProgress& progress) {
  measureRates(progress);
  constexpr std::size_t kRoomForLabels = 100;
  const std::size_t width = stderrWidth();
  const bool found = std::isfinite(progress.latency);
  const std::string best = found ? formatShort(progress.latency) : "none";
  const std::string bound = formatShort(progress.bound);
  LineParts line(width - 1, colour_);  // the last column would wrap
  line.add(formatFixed(progress.seconds, 1) + " s");
  if (width >= kRoomForLabels) {
    line.add("incumbent " + best, kStrong);
    line.add("bound " + bound);
  } else {
    line.add(best + " / " + bound, kStrong);
  }
  if (found) line.add(formatGap(progress.gap()), kStrong);
  line.add(placeOf(progress));
  line.add(formatCount(statesPerSecond_) + " states/s", kFaint);
  line.add(formatCount(stepsPerSecond_) + " steps/s", kFaint);
  printRaw("\r" + line.text() + "\x1b[K");
  drawn_ = true;
}

void SearchDisplay::print(const std::string& line) {
  erase();
  printLine(line);
}

void SearchDisplay::erase() {
  if (drawn_) printRaw("\r\x1b[K");
  drawn_ = false;
}

}  // namespace tilebeam::cli
