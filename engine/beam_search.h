// The beam search: states are compared with others of equal progress only, one beam per number of
// covered ops, as phrase-based decoders do.
#pragma once

#include <oneapi/tbb/concurrent_vector.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "engine/expander.h"
#include "engine/plan.h"
#include "engine/search_position.h"
#include "engine/state_table.h"
#include "engine/trace_recorder.h"

namespace tilebeam {

struct BeamOptions {
  std::size_t width = 16;
  std::size_t grainSize = 0;  // states per work package; 0: by the moves of the beam before
  std::size_t tokens = 8;     // work packages in flight
  double cutoff = std::numeric_limits<double>::infinity();  // only cheaper schedules are wanted
  SearchPosition* position = nullptr;                       // kept up to date, if given
};

class BeamSearch {
 public:
  BeamSearch(StepScorer& scorer, const CandidatePool& pool, const Expander& expander,
             const BeamOptions& options);

  // The best plan found below the cutoff, if any. Call within the arena that is to do the work.
  // `stop` is asked between beams, before a state is expanded and before a step is scored; once it
  // says true between beams, there is no plan.
  std::optional<Plan> run(const std::function<bool()>& stop,
                          TraceRecorder& recorder = TraceRecorder::none());

 private:
  struct OpenMove {
    const SearchState* parent;
    Move move;
  };

  using Stop = Expander::Stop;

  // A beam cut into work packages. The last ones are smaller: then no worker has much to do when
  // the others have ended.
  struct Packages {
    std::size_t states;
    std::size_t large;  // packages of `grain` states; after them come those of `lastGrain`
    std::size_t grain;
    std::size_t lastGrain;

    std::size_t begin(std::size_t package) const {
      return std::min(states, package <= large ? package * grain
                                               : large * grain + (package - large) * lastGrain);
    }
    std::size_t count() const {
      const std::size_t rest = states - std::min(states, large * grain);
      return large + (rest + lastGrain - 1) / lastGrain;
    }
  };

  void expand(std::vector<SearchState>& beam, StateTable& from, const Stop& stop,
              TraceRecorder& recorder);
  Packages cut(std::size_t states) const;
  void clearOrGrow(StateTable& from, std::size_t chore, std::size_t states);
  std::size_t expandPackage(std::span<SearchState> states, std::size_t firstNode, const Stop& stop,
                            TraceRecorder& recorder);
  void scoreAndOffer(std::vector<OpenMove>& open, const Stop& stop, TraceRecorder& recorder);
  bool offerIfKnown(const SearchState& parent, const Move& move);
  void offer(const SearchState& parent, const Move& move, double latency);
  void widenTables(std::size_t states, TraceRecorder& recorder);
  void pruneTables(TraceRecorder& recorder);
  void discardTables(TraceRecorder& recorder);
  StateTable& table(std::int32_t covered) {
    return tables_[static_cast<std::size_t>(covered) % tables_.size()];
  }
  Plan trace(const SearchState& last) const;

  StepScorer& scorer_;
  const Problem& problem_;
  const Expander& expander_;
  BeamOptions options_;
  std::vector<StateTable> tables_;  // of the next progress counts, round robin
  SearchNodes nodes_;               // those in use, and some for the next beam
  std::size_t nodesUsed_ = 0;
  std::size_t movesPerState_ = 8;  // of the beam before
};

}  // namespace tilebeam
