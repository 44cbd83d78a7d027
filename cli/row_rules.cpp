#include "cli/row_rules.h"

#include <algorithm>
#include <cmath>

#include "cli/joined.h"
#include "cli/text_table.h"
#include "tilebeam/errors.h"
#include "tilebeam/solver.h"

namespace tilebeam::cli {
namespace {

// Gap and ratio are not kept, since they follow from the rest; yet they may not be nonsense.
void verifyFollows(const char* key, const std::optional<double>& value,
                   const std::optional<double>& due, const char* from) {
  constexpr double kRounding = 1e-4;  // a table may have been rounded
  if (!value || !due || std::abs(*value - *due) <= kRounding * std::max(1.0, std::abs(*due))) {
    return;
  }
  throw InputError(std::string(key) + " must be " + formatNumber(*due) + ", which follows from " +
                   from + ", not " + formatNumber(*value));
}

void verifyStatus(const std::string& status) {
  const std::vector<std::string>& known = knownStatuses();
  if (status.empty() || std::find(known.begin(), known.end(), status) != known.end()) return;
  throw InputError("status must be one of " + joined(known));
}

// A problem has a schedule or a fault, not both.
void verifyOutcome(const SuiteRow& row) {
  if (row.latency && *row.latency <= 0) throw InputError("latency must be above 0");
  if (row.solved() && !row.error.empty()) {
    throw InputError("error must be empty where there is a latency");
  }
  if (isFailure(row.status)) {
    const auto refuse = [&](const char* key) {
      throw InputError(std::string(key) + " must be empty where status is " + row.status);
    };
    if (row.latency) refuse("latency");
    if (row.bound) refuse("bound");
    if (row.steps) refuse("steps");
  } else if (!row.status.empty() && !row.latency) {
    throw InputError("latency is missing where status is " + row.status);
  }
}

void verifyGap(const SuiteRow& row, const std::optional<double>& stated) {
  const std::optional<double> known = row.gap();
  if (known && *known < -kGapRounding) throw InputError("bound is above latency");
  const double gap = known ? *known : stated.value_or(0);
  if (row.status == name(SolveStatus::kOptimal) && gap > kGapRounding) {
    throw InputError("gap must be 0 where status is optimal, not " + formatNumber(gap));
  }
  verifyFollows("gap", stated, known, "latency and bound");
}

}  // namespace

void verifyRow(const SuiteRow& row, const std::optional<double>& gap,
               const std::optional<double>& ratio) {
  verifyStatus(row.status);
  verifyOutcome(row);
  verifyFollows("ratio", ratio, row.ratio(), "baseline and latency");
  verifyGap(row, gap);
}

}  // namespace tilebeam::cli
