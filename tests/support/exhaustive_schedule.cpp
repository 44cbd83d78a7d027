#include "support/exhaustive_schedule.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include "support/exhaustive_step.h"
#include "tilebeam/subgraph.h"

namespace tilebeam::test {
namespace {

// A set of ops; in place of a tensor stands the op that makes it.
using OpMask = std::uint32_t;

class ExhaustiveSearch {
 public:
  ExhaustiveSearch(const Problem& problem, DepthReading depth)
      : problem_(problem), depth_(depth), all_((OpMask{1} << problem.opCount()) - 1) {}

  // The least latency from here to the end, `resident` being what the last step retained.
  double rest(OpMask covered, OpMask resident) {
    if (covered == all_) return 0;
    const auto [known, isNew] = rests_.try_emplace({covered, resident}, kInfinity);
    if (!isNew) return known->second;
    double best = kInfinity;
    const OpMask open = all_ & ~covered;
    for (OpMask set = open; set != 0; set = (set - 1) & open) {
      if (mayBeNext(set, covered, resident)) {
        best = std::min(best, bestFrom(set, covered, resident));
      }
    }
    return rests_[{covered, resident}] = best;
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  double bestFrom(OpMask set, OpMask covered, OpMask resident) {
    const OpMask needed = neededLater(set);
    double best = kInfinity;
    for (OpMask retained = needed;; retained = (retained - 1) & needed) {
      const double latency = stepLatency(set, resident, retained);
      if (latency < kInfinity) best = std::min(best, latency + rest(covered | set, retained));
      if (retained == 0) return best;
    }
  }

  // Its inputs are there, and no taker of what is resident is left behind without it.
  bool mayBeNext(OpMask set, OpMask covered, OpMask resident) const {
    for (std::size_t o = 0; o < problem_.opCount(); ++o) {
      if ((set >> o & 1U) != 0 && (producers(o) & ~(covered | set)) != 0) return false;
      if ((resident >> o & 1U) != 0 && (consumers(o) & ~(covered | set)) != 0) return false;
    }
    return true;
  }

  OpMask producers(std::size_t o) const {
    OpMask mask = 0;
    for (const TensorId t : problem_.op(OpId::fromIndex(o)).inputs) {
      const OpId producer = problem_.graph().producer(t);
      if (producer.valid()) mask |= OpMask{1} << producer.index();
    }
    return mask;
  }

  OpMask consumers(std::size_t o) const {
    OpMask mask = 0;
    for (const OpId c : problem_.graph().consumers(problem_.op(OpId::fromIndex(o)).output)) {
      mask |= OpMask{1} << c.index();
    }
    return mask;
  }

  // The ops of `set` whose outputs ops beyond it take.
  OpMask neededLater(OpMask set) const {
    OpMask mask = 0;
    for (std::size_t o = 0; o < problem_.opCount(); ++o) {
      if ((set >> o & 1U) != 0 && (consumers(o) & ~set) != 0) mask |= OpMask{1} << o;
    }
    return mask;
  }

  double stepLatency(OpMask set, OpMask resident, OpMask retained) {
    const auto [known, isNew] = steps_.try_emplace({set, resident, retained}, kInfinity);
    if (isNew) known->second = computeStepLatency(set, resident, retained);
    return known->second;
  }

  double computeStepLatency(OpMask set, OpMask resident, OpMask retained) const {
    std::vector<OpId> ops;
    for (const OpId o : problem_.graph().topologicalOrder()) {
      if ((set >> o.index() & 1U) != 0) ops.push_back(o);
    }
    const Subgraph subgraph(problem_, ops);
    if (subgraph.violation()) return kInfinity;
    StepContext context;
    const OpMask later = neededLater(set);
    for (std::size_t o = 0; o < problem_.opCount(); ++o) {
      const TensorId t = problem_.op(OpId::fromIndex(o)).output;
      if ((resident >> o & 1U) != 0) context.resident.push_back(t);
      if ((set >> o & 1U) == 0) continue;
      const bool kept = (retained >> o & 1U) != 0;
      const bool stored = !kept && (subgraph.isSinkOutput(t) || (later >> o & 1U) != 0);
      if ((kept || stored) && !subgraph.atTilePosition(t)) return kInfinity;
      if (kept) context.retained.push_back(t);
      if (stored) context.stored.push_back(t);
    }
    std::sort(context.resident.begin(), context.resident.end());
    return leastLatency(allForms(subgraph, context, depth_),
                        problem_.hardware().fastMemoryCapacity);
  }

  const Problem& problem_;
  DepthReading depth_;
  OpMask all_;
  std::map<std::pair<OpMask, OpMask>, double> rests_;
  std::map<std::tuple<OpMask, OpMask, OpMask>, double> steps_;
};

}  // namespace

double leastTotalLatency(const Problem& problem, DepthReading depth) {
  return ExhaustiveSearch(problem, depth).rest(0, 0);
}

}  // namespace tilebeam::test
