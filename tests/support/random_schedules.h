// Random schedules of random problems: overlapping steps, recomputation, retention.
#pragma once

#include <optional>
#include <vector>

#include "support/random_steps.h"
#include "tilebeam/schedule_evaluator.h"

namespace tilebeam::test {

// Pointwise and square MatMul ops of one shape, each taking earlier tensors at random.
Problem randomDag(Random& random, std::int64_t opCount);

// Steps without violation that together cover all ops, producers first; each takes what earlier
// steps produce, and some ops run again.
std::vector<Subgraph> randomSubgraphs(const Problem& problem, Random& random);

// For each step, tensors to retain that rule 3.7 allows.
std::vector<std::vector<TensorId>> randomRetention(const std::vector<Subgraph>& subgraphs,
                                                   Random& random);

// A valid schedule, or none if the dice fell badly.
std::optional<Schedule> randomSchedule(const Problem& problem, Random& random);

}  // namespace tilebeam::test
