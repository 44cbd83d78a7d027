#include "cli/scale_report.h"

#include <algorithm>
#include <array>

#include "cli/csv.h"
#include "cli/text_table.h"

namespace tilebeam::cli {
namespace {

std::string percent(double share) { return formatFixed(100 * share, 1) + " %"; }

std::string describe(TraceKind kind, bool serial) {
  switch (kind) {
    case TraceKind::kCandidates:
      return serial ? "joining candidates" : "candidates of one seed";
    case TraceKind::kExpansion:
      return serial ? "moves of one package" : "one step of a package";
    case TraceKind::kReduction:
      return serial ? "serial reduction" : "one task of the reduction";
    case TraceKind::kWindows:
      return serial ? "cutting windows" : "one window";
    case TraceKind::kRounds:
      return serial ? "choosing rounds" : "one round";
    case TraceKind::kOther:
      break;
  }
  return serial ? "other serial work" : "other tasks";
}

// What the longest chain consists of, most first.
std::string partsOfChain(const TraceLimits& limits) {
  std::vector<std::pair<double, std::string>> parts;
  for (std::size_t i = 0; i < kTraceKindCount; ++i) {
    const auto kind = static_cast<TraceKind>(i);
    parts.emplace_back(limits.serial[i], describe(kind, true));
    parts.emplace_back(limits.tasks[i], describe(kind, false));
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  constexpr double kWorthNaming = 0.005;
  std::string text;
  for (const auto& [seconds, part] : parts) {
    if (seconds < kWorthNaming * limits.longestChain) break;
    text += (text.empty() ? "" : ", ") + part + " " + percent(seconds / limits.longestChain);
  }
  return text;
}

std::string limitsText(const TraceLimits& limits) {
  const double reduction = limits.serial[static_cast<std::size_t>(TraceKind::kReduction)];
  const double work = std::max(limits.work, 1e-12);
  return "longest chain " + formatFixed(limits.longestChain, 3) + " s of " +
         formatFixed(limits.work, 3) + " s: a speedup of " + formatFixed(limits.maxSpeedup(), 1) +
         " at most\n  of the chain: " + partsOfChain(limits) +
         "\n  serial reduction: " + percent(reduction / work) + " of all work\n";
}

std::string projectionTable(const ScaleStudy& study, const ScaleProjection& projection) {
  TextTable table({"workers", "projected", "efficiency", "measured", "projected/measured"});
  for (std::size_t i = 0; i < projection.workers.size(); ++i) {
    const int workers = projection.workers[i];
    const double speedup = projection.speedups[i];
    const ScaleRow* const row = findRow(study, projection.setting, workers);
    const ScaleRow* const one = findRow(study, projection.setting, 1);
    const bool comparable = row != nullptr && one != nullptr && row->speedup > 0;
    table.addRow({std::to_string(workers), formatFixed(speedup, 2), percent(speedup / workers),
                  comparable ? formatFixed(row->speedup, 2) : "-",
                  comparable ? formatFixed(speedup / row->speedup, 2) : "-"});
  }
  return table.text();
}

const CsvRow kHeader{"threads",          "grain_size",     "beam_width", "tokens",
                     "seconds",          "cpu_seconds",    "speedup",    "efficiency",
                     "steps_per_second", "cache_hit_rate", "identical",  "projected_speedup",
                     "machine_speedup"};

CsvRow settingCells(int threads, const ScaleSetting& setting) {
  return {std::to_string(threads), settingText(setting.grainSize), settingText(setting.beamWidth),
          settingText(setting.tokens)};
}

std::string projectedCell(const ScaleStudy& study, const ScaleSetting& setting, int threads) {
  for (const ScaleProjection& projection : study.projections) {
    if (!(projection.setting == setting)) continue;
    const auto place = std::find(projection.workers.begin(), projection.workers.end(), threads);
    if (place == projection.workers.end()) continue;
    return formatNumber(
        projection.speedups[static_cast<std::size_t>(place - projection.workers.begin())]);
  }
  return {};
}

}  // namespace

std::string scaleTable(const ScaleStudy& study) {
  std::vector<std::string> header{"threads",    "grain",   "beam",       "tokens",
                                  "seconds",    "cpu",     "speedup",    "machine",
                                  "efficiency", "steps/s", "cache hits", "identical"};
  constexpr std::ptrdiff_t kMachine = 7;  // only if there were copies
  if (!study.copies) header.erase(header.begin() + kMachine);
  TextTable table(std::move(header));
  for (const ScaleRow& row : study.rows) {
    std::vector<std::string> cells = settingCells(row.threads, row.setting);
    for (std::string cell :
         {formatFixed(row.seconds, 3), formatFixed(row.cpuSeconds, 3), formatFixed(row.speedup, 2),
          row.machine ? formatFixed(*row.machine, 2) : std::string("-"), percent(row.efficiency),
          formatFixed(row.stepsPerSecond, 0), percent(row.hitRate),
          std::string(row.identical ? "yes" : "NO")}) {
      cells.push_back(std::move(cell));
    }
    if (!study.copies) cells.erase(cells.begin() + kMachine);
    table.addRow(std::move(cells));
  }
  return table.text() + "each run: " + std::to_string(study.rounds) + " rounds\n";
}

std::string projectionText(const ScaleStudy& study) {
  std::string text;
  for (const ScaleProjection& projection : study.projections) {
    const std::string setting = settingText(projection.setting);
    text += "\nprojection" + (setting.empty() ? "" : " (" + setting + ")") + ": " +
            limitsText(projection.limits) + projectionTable(study, projection);
  }
  return text;
}

std::string scaleCsv(const ScaleStudy& study) {
  std::string text = csvLine(kHeader);
  for (const ScaleRow& row : study.rows) {
    CsvRow cells = settingCells(row.threads, row.setting);
    for (const double value : {row.seconds, row.cpuSeconds, row.speedup, row.efficiency,
                               row.stepsPerSecond, row.hitRate}) {
      cells.push_back(formatNumber(value));
    }
    cells.push_back(row.identical ? "yes" : "no");
    cells.push_back(projectedCell(study, row.setting, row.threads));
    cells.push_back(row.machine ? formatNumber(*row.machine) : "");
    text += csvLine(cells);
  }
  for (const ScaleProjection& projection : study.projections) {
    for (const int workers : projection.workers) {
      if (findRow(study, projection.setting, workers) != nullptr) continue;
      CsvRow cells = settingCells(workers, projection.setting);
      cells.resize(kHeader.size() - 2);
      cells.push_back(projectedCell(study, projection.setting, workers));
      cells.emplace_back();
      text += csvLine(cells);
    }
  }
  return text;
}

std::string settingText(int value) { return value == 0 ? "auto" : std::to_string(value); }

std::string settingText(const ScaleSetting& setting) {
  std::string text;
  const auto add = [&](const char* what, int value) {
    if (value == 0) return;
    text += (text.empty() ? "" : ", ") + std::string(what) + " " + std::to_string(value);
  };
  add("grain", setting.grainSize);
  add("beam", setting.beamWidth);
  add("tokens", setting.tokens);
  return text;
}

const ScaleRow* findRow(const ScaleStudy& study, const ScaleSetting& setting, int threads) {
  const auto row = std::find_if(study.rows.begin(), study.rows.end(), [&](const ScaleRow& r) {
    return r.threads == threads && r.setting == setting;
  });
  return row != study.rows.end() ? &*row : nullptr;
}

}  // namespace tilebeam::cli
