// The work that the benchmarks time: the steps that the search meets on the bundled problems.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/candidate_generator.h"
#include "tilebeam/step_simulator.h"

namespace tilebeam::bench {

// A bundled problem, by its name in benchmarks/problems.
Problem bundled(const std::string& name);

// One subgraph in its context, with granularities that a search of it tries.
struct Candidate {
  Subgraph subgraph;
  StepContext context;
  CollapsedSimulator simulator;
  std::vector<Granularity> granularities;
};

struct Workload {
  std::vector<std::unique_ptr<Problem>> problems;  // what the subgraphs refer to
  std::vector<Candidate> candidates;

  // Empty, or where the collapsed simulator does not agree with the literal one, on a sample.
  std::string disagreement() const;
};

// Candidates of all bundled problems, each shape once (the step cache sees to that in the search),
// `most` per problem, evenly picked. Made once.
const Workload& workload();

// The candidates of a problem, as the first round of the search finds them.
CandidatePool poolOf(StepScorer& scorer, const OpPrices& prices);

}  // namespace tilebeam::bench
