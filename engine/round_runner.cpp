#include "engine/round_runner.h"

#include <algorithm>
#include <utility>

#include "engine/recorded_tasks.h"

namespace tilebeam {

void RoundRunner::run(std::int64_t most, const std::function<bool()>& stop, const Offer& offer) {
  const auto statesGenerated = [&] { return setting_.scorer.counters().sum().statesGenerated; };
  const std::int64_t count = std::min(batch_.next(done_), most);
  const std::int64_t states = statesGenerated();
  const std::int64_t version = setting_.plans.version();
  Rounds rounds(static_cast<std::size_t>(count));
  current_ = done_ + 1;
  runAll(rounds, stop);
  offerFound(rounds, offer);
  prices_ = std::move(rounds.back()->prices());
  // It takes a while to give back the memory of so many plans.
  sharedOut(recorder_, TraceKind::kRounds, rounds.size(),
            [&](std::size_t i) { rounds[i].reset(); });
  batch_.took(count, statesGenerated() - states, setting_.plans.version() != version);
  done_ += count;
}

void RoundRunner::runAll(Rounds& rounds, const std::function<bool()>& stop) {
  const auto begin = [&](std::size_t i, SearchPosition* position) -> SearchRound& {
    return rounds[i].emplace(setting_, done_ + 1 + static_cast<std::int64_t>(i), prices_, position);
  };
  if (rounds.size() == 1) return begin(0, &position_).run(stop, recorder_);
  position_.enter(SearchPhase::kRounds, rounds.size());
  recordedChains(recorder_, TraceKind::kRounds, rounds.size(),
                 [&](std::size_t i, TraceRecorder& chain) {
                   begin(i, nullptr).run(stop, chain);
                   position_.advance();
                 });
}

// What an earlier plan has bettered, the later ones may better further; so they are spliced anew,
// some at a time, since the next may be better again.
void RoundRunner::offerFound(Rounds& rounds, const Offer& offer) {
  constexpr std::size_t kSplicedAtOnce = 16;
  std::vector<std::pair<std::int64_t, FoundPlan*>> all;  // with their rounds
  for (auto& round : rounds) {
    for (FoundPlan& found : round->found()) all.emplace_back(round->number(), &found);
  }
  std::int64_t version = setting_.plans.version();  // that plans before `spliced` were spliced with
  std::size_t spliced = all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (setting_.plans.version() != version || i == spliced) {
      version = setting_.plans.version();
      spliced = std::min(all.size(), i + kSplicedAtOnce);
      sharedOut(recorder_, TraceKind::kRounds, spliced - i, [&](std::size_t next) {
        FoundPlan& found = *all[i + next].second;
        found.spliced = setting_.plans.splicedWithBase(found.plan);
      });
    }
    current_ = all[i].first;
    FoundPlan& found = *all[i].second;
    Plan& better = found.spliced.steps.empty() ? found.plan : found.spliced;
    if (setting_.plans.wants(better)) offer(std::move(better), found.source);
  }
  current_ = rounds.back()->number();
}

}  // namespace tilebeam
