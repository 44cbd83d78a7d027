#include "tilebeam/task_trace.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>

namespace tilebeam {
namespace {

// Plays a trace on virtual workers, event by event.
class Replay {
 public:
  explicit Replay(std::size_t workers) : idle_(std::max<std::size_t>(workers, 1)) {}

  double run(const TaskTrace& trace) {
    begin(trace, kNoChain);
    startReady();
    while (!running_.empty()) {
      const Running done = running_.top();
      running_.pop();
      now_ = done.end;
      ++idle_;
      done.serial ? release(done.chain) : finishTask(done.chain);
      startReady();
    }
    return now_;
  }

 private:
  static constexpr std::size_t kNoChain = std::numeric_limits<std::size_t>::max();

  // A trace or a chain within one, at one of its phases.
  struct Chain {
    const TaskTrace* trace;
    std::size_t parent;
    std::size_t depth;
    std::size_t phase = 0;
    std::size_t open = 0;  // tasks of the phase that have not ended
  };

  // A serial part, a task, or a whole chain that has not begun.
  struct Ready {
    std::size_t depth;
    std::size_t number;  // in the order of release
    std::size_t chain;
    double seconds;
    bool serial;
    const TaskTrace* nested;

    // Later in the queue.
    bool operator<(const Ready& other) const {
      return depth != other.depth ? depth < other.depth : number > other.number;
    }
  };

  struct Running {
    double end;
    std::size_t number;
    std::size_t chain;
    bool serial;

    bool operator<(const Running& other) const {
      return end != other.end ? end > other.end : number > other.number;
    }
  };

  void push(std::size_t chain, double seconds, bool serial, const TaskTrace* nested = nullptr) {
    ready_.push({chains_[chain].depth, count_++, chain, seconds, serial, nested});
  }

  void begin(const TaskTrace& trace, std::size_t parent) {
    chains_.push_back({&trace, parent, parent == kNoChain ? 0 : chains_[parent].depth + 1});
    enterPhase(chains_.size() - 1);
  }

  void enterPhase(std::size_t c) {
    const Chain& chain = chains_[c];
    if (chain.phase < chain.trace->phases.size()) {
      push(c, chain.trace->phases[chain.phase].serial, true);
    } else if (chain.parent != kNoChain) {
      finishTask(chain.parent);
    }
  }

  // The serial part of a phase has ended.
  void release(std::size_t c) {
    const TracePhase& phase = chains_[c].trace->phases[chains_[c].phase];
    chains_[c].open = phase.tasks.size() + phase.chains.size();
    for (const double seconds : phase.tasks) push(c, seconds, false);
    for (const TaskTrace& nested : phase.chains) push(c, 0, false, &nested);
    if (chains_[c].open == 0) leavePhase(c);
  }

  void finishTask(std::size_t c) {
    if (--chains_[c].open == 0) leavePhase(c);
  }

  void leavePhase(std::size_t c) {
    ++chains_[c].phase;
    enterPhase(c);
  }

  void startReady() {
    while (idle_ > 0 && !ready_.empty()) {
      const Ready next = ready_.top();
      ready_.pop();
      if (next.nested != nullptr) {
        begin(*next.nested, next.chain);
        continue;
      }
      --idle_;
      running_.push({now_ + next.seconds, next.number, next.chain, next.serial});
    }
  }

  std::size_t idle_;
  double now_ = 0;
  std::size_t count_ = 0;
  std::vector<Chain> chains_;
  std::priority_queue<Ready> ready_;
  std::priority_queue<Running> running_;
};

void add(TraceLimits& sum, const TraceLimits& part) {
  sum.longestChain += part.longestChain;
  for (std::size_t kind = 0; kind < kTraceKindCount; ++kind) {
    sum.serial[kind] += part.serial[kind];
    sum.tasks[kind] += part.tasks[kind];
  }
}

TraceLimits longestChain(const TaskTrace& trace);

// The longest of what runs side by side in a phase.
TraceLimits longestPart(const TracePhase& phase) {
  TraceLimits longest;
  if (!phase.tasks.empty()) {
    longest.longestChain = *std::max_element(phase.tasks.begin(), phase.tasks.end());
    longest.tasks[static_cast<std::size_t>(phase.kind)] = longest.longestChain;
  }
  for (const TaskTrace& chain : phase.chains) {
    const TraceLimits nested = longestChain(chain);
    if (nested.longestChain > longest.longestChain) longest = nested;
  }
  return longest;
}

TraceLimits longestChain(const TaskTrace& trace) {
  TraceLimits sum;
  for (const TracePhase& phase : trace.phases) {
    sum.serial[static_cast<std::size_t>(phase.kind)] += phase.serial;
    sum.longestChain += phase.serial;
    add(sum, longestPart(phase));
  }
  return sum;
}

}  // namespace

const char* name(TraceKind kind) {
  constexpr std::array<const char*, kTraceKindCount> kNames{"candidates", "expansion", "reduction",
                                                            "windows",    "rounds",    "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

double TaskTrace::work() const {
  return std::accumulate(phases.begin(), phases.end(), 0.0,
                         [](double sum, const TracePhase& p) { return sum + p.work(); });
}

double TracePhase::work() const {
  const double own = std::accumulate(tasks.begin(), tasks.end(), serial);
  return std::accumulate(chains.begin(), chains.end(), own,
                         [](double sum, const TaskTrace& c) { return sum + c.work(); });
}

double replay(const TaskTrace& trace, std::size_t workers) { return Replay(workers).run(trace); }

TraceLimits limitsOf(const TaskTrace& trace) {
  TraceLimits limits = longestChain(trace);
  limits.work = trace.work();
  return limits;
}

}  // namespace tilebeam
