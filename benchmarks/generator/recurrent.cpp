// Recurrent cells unrolled over time. All steps share the weights, so that a few tensors have very
// many consumers; the steps themselves form a chain.
#include "benchmarks/generator/structures.h"

namespace tilebeam::generator {
namespace {

struct Cell {
  std::int64_t batch = 0;
  std::int64_t features = 0;
  std::int64_t hidden = 0;
};

struct Gate {
  TensorId inputWeights;
  TensorId stateWeights;
};

Gate addWeights(Draft& draft, const Cell& cell) {
  Gate gate;
  gate.inputWeights = draft.input(cell.features, cell.hidden);
  gate.stateWeights = draft.input(cell.hidden, cell.hidden);
  return gate;
}

constexpr int kGateOps = 3;

TensorId addGate(Draft& draft, const Gate& gate, TensorId x, TensorId state) {
  const TensorId fromInput = draft.project(x, gate.inputWeights);
  const TensorId fromState = draft.project(state, gate.stateWeights);
  return draft.add({fromInput, fromState});
}

void unrollElman(Draft& draft, const Cell& cell, TensorId state) {
  const Gate gate = addWeights(draft, cell);
  do {
    state = addGate(draft, gate, draft.input(cell.batch, cell.features), state);
  } while (draft.left() >= kGateOps);
  draft.fill(state);
}

constexpr int kGruOps = 3 * kGateOps + 2;

void unrollGru(Draft& draft, const Cell& cell, TensorId state) {
  const Gate update = addWeights(draft, cell);
  const Gate reset = addWeights(draft, cell);
  const Gate candidate = addWeights(draft, cell);
  do {
    const TensorId x = draft.input(cell.batch, cell.features);
    const TensorId updated = addGate(draft, update, x, state);
    const TensorId kept = draft.add({addGate(draft, reset, x, state), state});
    state = draft.add({updated, addGate(draft, candidate, x, kept), state});
  } while (draft.left() >= kGruOps);
  draft.fill(state);
}

constexpr int kLstmOps = 4 * kGateOps + 2;

void unrollLstm(Draft& draft, const Cell& cell, TensorId state) {
  const Gate inputGate = addWeights(draft, cell);
  const Gate forget = addWeights(draft, cell);
  const Gate output = addWeights(draft, cell);
  const Gate candidate = addWeights(draft, cell);
  TensorId memory = draft.input(cell.batch, cell.hidden);
  do {
    const TensorId x = draft.input(cell.batch, cell.features);
    const TensorId let = addGate(draft, inputGate, x, state);
    const TensorId kept = addGate(draft, forget, x, state);
    const TensorId fresh = addGate(draft, candidate, x, state);
    memory = draft.add({let, fresh, kept, memory});
    state = draft.add({addGate(draft, output, x, state), memory});
  } while (draft.left() >= kLstmOps);
  draft.fill(state);
}

}  // namespace

void buildRecurrent(Draft& draft) {
  Cell cell;
  cell.batch = draft.edge({128, 256, 512, 1024});
  cell.features = draft.edge({128, 256, 512, 1024});
  cell.hidden = draft.edge({256, 512, 1024, 2048});
  const auto type = draft.rng().below(3);
  const TensorId state = draft.input(cell.batch, cell.hidden);
  if (type == 2 && draft.left() >= kLstmOps) {
    unrollLstm(draft, cell, state);
  } else if (type != 0 && draft.left() >= kGruOps) {
    unrollGru(draft, cell, state);
  } else {
    unrollElman(draft, cell, state);
  }
}

}  // namespace tilebeam::generator
