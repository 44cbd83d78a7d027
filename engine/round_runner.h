// Runs the rounds of a search, one after another or several side by side, and offers what they
// find.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/round_batch.h"
#include "engine/search_round.h"

namespace tilebeam {

class RoundRunner {
 public:
  using Offer = std::function<void(Plan, const char* source)>;

  // All outlive it.
  RoundRunner(const RoundSetting& setting, SearchPosition& position, TraceRecorder& recorder)
      : setting_(setting),
        position_(position),
        recorder_(recorder),
        batch_(setting.options.beamWidth, setting.scorer.problem().opCount()) {}

  // Comes first: what the first round goes by.
  void begin(const OpPrices& prices) { prices_ = prices; }

  // Runs the next round, or several side by side, `most` at the most. Their plans are offered in
  // order, so that the number of threads does not show. `offer` changes the setting's plans, if it
  // likes.
  void run(std::int64_t most, const std::function<bool()>& stop, const Offer& offer);

  std::int64_t done() const { return done_; }  // rounds
  // The round that runs, the first of several, or the one whose plans are being offered.
  std::int64_t current() const { return current_; }

 private:
  using Rounds = std::vector<std::optional<SearchRound>>;

  void runAll(Rounds& rounds, const std::function<bool()>& stop);
  void offerFound(Rounds& rounds, const Offer& offer);

  const RoundSetting& setting_;
  SearchPosition& position_;
  TraceRecorder& recorder_;
  RoundBatch batch_;
  OpPrices prices_;
  std::int64_t done_ = 0;
  std::int64_t current_ = 0;
};

}  // namespace tilebeam
