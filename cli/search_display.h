// A search as one watches it on stderr: on a terminal one line that is redrawn, elsewhere a table
// with a row for each better schedule or bound.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tilebeam/solver.h"

namespace CLI {
class App;
}

namespace tilebeam::cli {

// Each says what the one before says, and more.
enum class LogLevel : std::uint8_t {
  kError,
  kWarning,
  kInfo,  // the table, unless the live line shows as much; the summary
  kDebug  // the table in any case; a line for each phase of the search
};

enum class LiveLine : std::uint8_t { kAuto, kAlways, kNever };

struct DisplayOptions {
  LogLevel level = LogLevel::kInfo;
  LiveLine live = LiveLine::kAuto;  // auto: if stderr is a terminal

  bool says(LogLevel wanted) const { return level >= wanted; }
};

// --log-level, --progress, --quiet
void addDisplayOptions(CLI::App& command, DisplayOptions& options);

// After parsing: --quiet leaves the others nothing to say.
void checkDisplayOptions(const CLI::App& command);

// Not for several threads at once.
class SearchDisplay {
 public:
  explicit SearchDisplay(const DisplayOptions& options);
  SearchDisplay(const SearchDisplay&) = delete;
  SearchDisplay& operator=(const SearchDisplay&) = delete;
  ~SearchDisplay() { erase(); }

  void show(const Incumbent& news);
  void show(const SearchProgress& progress);

  // Makes room for other output.
  void erase();

 private:
  struct Sample {
    double seconds = 0;
    std::int64_t states = 0;
    std::int64_t steps = 0;
  };

  void addRow(const Incumbent& news);
  void print(const std::string& line);
  void logPhase(const SearchProgress& progress);
  void measureRates(const SearchProgress& progress);
  void draw(const SearchProgress& progress);

  DisplayOptions options_;
  bool live_;
  bool table_;
  bool colour_;
  bool drawn_ = false;
  bool headed_ = false;
  double bound_ = 0;              // of the last row; 0: there is none
  std::optional<Sample> sample_;  // rates are measured from here
  double statesPerSecond_ = 0;
  double stepsPerSecond_ = 0;
  std::int64_t loggedRound_ = -1;
  SearchPhase loggedPhase_ = SearchPhase::kSingleOps;
};

}  // namespace tilebeam::cli
