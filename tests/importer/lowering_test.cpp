// What the import makes of whole models and of single nodes. Expected counts follow from the models
// by hand (docs/import.md).
#include "importer/lowering.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "importer/model_builder.h"
#include "support/random_steps.h"
#include "tilebeam/errors.h"
#include "tilebeam/schedule_evaluator.h"

namespace tilebeam::test {
namespace {

using importer::Imported;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Imported lowered(const std::string& content, const importer::NamedDimensions& dimensions = {}) {
  return importer::lower(importer::readOnnx(content, dimensions), {});
}

std::string refusal(const std::string& content) {
  try {
    lowered(content);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

// Of copies, ops cost nothing but their traffic.
bool computes(const Op& op) { return op.baseCost > 0; }

std::ptrdiff_t matMuls(const Problem& problem) {
  return std::count_if(problem.ops().begin(), problem.ops().end(),
                       [](const Op& op) { return op.isMatMul() && computes(op); });
}

std::ptrdiff_t moves(const Problem& problem) {
  return std::count_if(problem.ops().begin(), problem.ops().end(),
                       [](const Op& op) { return !computes(op); });
}

// Whether `later` takes, over whatever ops, what `earlier` makes.
bool dependsOn(const Problem& problem, OpId later, OpId earlier) {
  if (later == earlier) return true;
  const std::vector<TensorId>& inputs = problem.op(later).inputs;
  return std::any_of(inputs.begin(), inputs.end(), [&](TensorId t) {
    const OpId producer = problem.graph().producer(t);
    return producer.valid() && dependsOn(problem, producer, earlier);
  });
}

// Multiplications in all MatMuls: the work that must not be lost, nor be done twice.
std::int64_t multiplications(const Problem& problem) {
  std::int64_t sum = 0;
  for (std::size_t o = 0; o < problem.opCount(); ++o) {
    const OpId id = OpId::fromIndex(o);
    if (!problem.op(id).isMatMul() || !computes(problem.op(id))) continue;
    sum += problem.reduction(id) * problem.tensor(problem.op(id).output).area();
  }
  return sum;
}

std::ptrdiff_t graphOutputs(const Problem& problem) {
  return std::count_if(problem.ops().begin(), problem.ops().end(),
                       [&](const Op& op) { return problem.isGraphOutput(op.output); });
}

Evaluation opByOp(const Problem& p) {
  Schedule schedule;
  for (const OpId o : p.graph().topologicalOrder()) {
    Step step;
    step.ops = {o};
    step.granularity = {64, 64,
                        p.op(o).isMatMul() ? std::min<std::int64_t>(64, p.reduction(o)) : 1};
    schedule.steps.push_back(step);
  }
  return ScheduleEvaluator(p).evaluate(schedule);
}

TEST(Lowering, Mlp) {
  const Imported imported = lowered(mlpModel(), {{"batch", 32}});
  const Problem& p = imported.problem;
  // Gemm is a MatMul and the bias, twice with a ReLU.
  EXPECT_EQ(p.opCount(), 8U);
  EXPECT_EQ(matMuls(p), 3);
  EXPECT_EQ(multiplications(p), 32 * (784 * 512 + 512 * 256 + 256 * 10));
  EXPECT_THAT(imported.copies, IsEmpty());
  EXPECT_EQ(graphOutputs(p), 1);
  // x, and three times weights, product, sum; two ReLUs.
  EXPECT_EQ(p.tensorCount(), 1U + 3 * 3 + 2);
  const Tensor output = p.tensor(p.ops().back().output);
  EXPECT_EQ(output.width, 10);
  EXPECT_EQ(output.height, 32);
}

class TransformerBlock : public testing::TestWithParam<Norm> {
 protected:
  static constexpr BlockSizes kSizes{.tokens = 48, .width = 96, .heads = 3, .inner = 200};
};

TEST_P(TransformerBlock, ComesHeadByHead) {
  const Imported imported = lowered(transformerModel(kSizes, GetParam()));
  const Problem& p = imported.problem;
  // Per head: queries, keys, values, scores, context, its part of the output projection; and the
  // two of the MLP.
  EXPECT_EQ(matMuls(p), 6 * 3 + 2);
  EXPECT_EQ(multiplications(p), 4 * 48 * 96 * 96 + 2 * 48 * 48 * 96 + 2 * 48 * 96 * 200);
  // Keys are needed the other way round; nothing else moves.
  ASSERT_THAT(imported.copies, SizeIs(1));
  EXPECT_THAT(imported.copies[0], HasSubstr("(Transpose)"));
  // Each head's keys are summed up in two ops and spread in two.
  EXPECT_EQ(moves(p), 3 * 4);
  EXPECT_EQ(graphOutputs(p), 1);
}

// No head's scores come before its own keys, and none wait for those of another head.
TEST_P(TransformerBlock, ScoresWaitForTheKeysOfTheirHead) {
  const Imported imported = lowered(transformerModel(kSizes, GetParam()));
  const Problem& p = imported.problem;
  // In the order of nodes: the transposed keys are what scores take from a move.
  std::vector<OpId> scores;
  std::vector<OpId> summed;  // the ops that read keys
  for (std::size_t o = 0; o < p.opCount(); ++o) {
    const OpId id = OpId::fromIndex(o);
    const auto made = [&](std::size_t i) { return p.graph().producer(p.op(id).inputs[i]); };
    if (!p.op(id).isMatMul() || !made(1).valid()) continue;
    if (!computes(p.op(id)) && computes(p.op(made(1)))) summed.push_back(id);
    if (computes(p.op(id)) && !computes(p.op(made(1)))) scores.push_back(id);
  }
  ASSERT_THAT(scores, SizeIs(3));
  ASSERT_THAT(summed, SizeIs(3));
  for (std::size_t head = 0; head < 3; ++head) {
    for (std::size_t other = 0; other < 3; ++other) {
      EXPECT_EQ(dependsOn(p, scores[head], summed[other]), head == other) << head << " " << other;
    }
  }
}

TEST_P(TransformerBlock, ResidualsAreOneTensorEach) {
  const Problem p = lowered(transformerModel(kSizes, GetParam())).problem;
  const Op& last = p.ops().back();
  EXPECT_FALSE(last.isMatMul());
  EXPECT_THAT(last.inputs, SizeIs(2));
  EXPECT_EQ(p.tensor(last.output), (Tensor{96, 48}));
}

INSTANTIATE_TEST_SUITE_P(Norms, TransformerBlock,
                         testing::Values(Norm::kOneNode, Norm::kDecomposed));

TEST(Lowering, RowStatisticsAreFusedIntoTheirUsers) {
  constexpr BlockSizes kSizes{.tokens = 48, .width = 96, .heads = 3, .inner = 200};
  const std::size_t one = lowered(transformerModel(kSizes, Norm::kOneNode)).problem.opCount();
  const std::size_t many = lowered(transformerModel(kSizes, Norm::kDecomposed)).problem.opCount();
  // Sub, Pow, Div, Mul and Add stand for one op; means, sum and root for none.
  EXPECT_EQ(many, one + 2 * 4);
}

TEST(Lowering, VisionTransformer) {
  const Imported imported = lowered(visionTransformerModel());
  const Problem& p = imported.problem;
  EXPECT_EQ(matMuls(p), 1 + 2 * (6 * 4 + 2) + 1);
  const std::int64_t block = 4 * 17 * 64 * 64 + 2 * 17 * 17 * 64 + 2 * 17 * 64 * 256;
  EXPECT_EQ(multiplications(p), 16 * 192 * 64 + 2 * block + 64 * 10);
  // Patches become tokens, the class token joins them, keys are turned twice, a token is taken.
  EXPECT_THAT(imported.copies, SizeIs(5));
  EXPECT_EQ(graphOutputs(p), 1);
}

TEST(Lowering, QueriesKeysAndValuesOfOneProduct) {
  ModelBuilder m;
  const std::string x = m.input("x", Dims{1, 10, 24});
  const std::string all = linear(m, x, 24, 72);
  const auto parts = m.node("Split", {all}, 3, {{"axis", std::int64_t{-1}}});
  m.output(m.node("Mul", {m.node("Add", {parts[0], parts[1]}), parts[2]}));
  const Imported imported = lowered(m.write());
  EXPECT_EQ(matMuls(imported.problem), 3);
  EXPECT_EQ(multiplications(imported.problem), 10 * 24 * 72);
  EXPECT_THAT(imported.copies, IsEmpty());
}

TEST(Lowering, BatchesAreFoldedIntoRows) {
  ModelBuilder m;
  const std::string x = m.input("x", Dims{4, 5, 6, 7});
  m.output(m.node("Relu", {m.node("MatMul", {x, m.weight({7, 9})})}));
  const Problem p = lowered(m.write()).problem;
  EXPECT_EQ(p.opCount(), 2U);
  EXPECT_EQ(p.tensor(p.op(OpId(0)).inputs[0]), (Tensor{7, 120}));
  EXPECT_EQ(p.tensor(p.op(OpId(1)).output), (Tensor{9, 120}));
}

TEST(Lowering, MorePartsThanThereCanBeAreOneWhole) {
  ModelBuilder m;
  const std::string x = m.input("x", Dims{1, 3, 4});
  const std::string y = m.node("Relu", {m.node("MatMul", {x, m.weight({4, 200000000})})});
  m.output(m.node("Reshape", {y, m.integers({1, 3, 100000000, 2})}));
  const Problem p = lowered(m.write()).problem;
  ASSERT_EQ(p.opCount(), 2U);
  EXPECT_EQ(p.tensor(p.op(OpId(1)).output), (Tensor{200000000, 3}));
}

TEST(Lowering, AValueUsedWholeAndInBlocksIsCopied) {
  ModelBuilder m;
  const std::string x = m.input("x", Dims{1, 10, 24});
  const std::string y = m.node("MatMul", {x, m.weight({24, 24})});
  const std::string split = m.node("Reshape", {y, m.integers({1, 10, 4, 6})});
  const std::string heads = m.node("Transpose", {split}, {{"perm", Dims{0, 2, 1, 3}}});
  m.output(m.node("MatMul", {heads, m.weight({4, 6, 5})}));
  m.output(m.node("Softmax", {y}, {{"axis", std::int64_t{-1}}}));
  const Imported imported = lowered(m.write());
  EXPECT_EQ(matMuls(imported.problem), 1 + 4);
  EXPECT_THAT(imported.copies, SizeIs(1));
}

// x -> Relu -> this rearrangement -> Relu. What it rearranges must come first, and no element is
// loaded or stored that a copy would not load or store.
class Copies : public testing::Test {
 protected:
  static void expectInOrder(const ModelBuilder& m, std::size_t sources, std::ptrdiff_t moving) {
    const Problem p = lowered(m.write()).problem;
    const OpId last = OpId::fromIndex(p.opCount() - 1);
    for (std::size_t o = 0; o < sources; ++o) {
      EXPECT_TRUE(dependsOn(p, last, OpId::fromIndex(o))) << o;
    }
    EXPECT_EQ(moves(p), moving);
    EXPECT_EQ(graphOutputs(p), 1);
  }

  static std::string relu(ModelBuilder& m, const std::string& name, const Dims& dims) {
    return m.node("Relu", {m.input(name, dims)});
  }
};

TEST_F(Copies, OfOneShapeAreAPointwise) {
  ModelBuilder m;
  const std::string x = relu(m, "x", {12, 12});
  m.output(m.node("Relu", {m.node("Transpose", {x}, {{"perm", Dims{1, 0}}})}));
  expectInOrder(m, 1, 1);
}

TEST_F(Copies, OfAnotherShapeGoThroughAScalar) {
  ModelBuilder m;
  const std::string x = relu(m, "x", {12, 20});
  m.output(m.node("Relu", {m.node("Transpose", {x}, {{"perm", Dims{1, 0}}})}));
  expectInOrder(m, 1, 4);
}

TEST_F(Copies, TakeAllTheirInputs) {
  ModelBuilder m;
  const std::string x = relu(m, "x", {3, 20});
  const std::string y = relu(m, "y", {4, 20});
  const std::string joined = m.node("Concat", {x, y}, {{"axis", 0L}});
  m.output(m.node("Relu", {joined}));
  expectInOrder(m, 2, 2 + 2 + 1 + 2);
}

TEST_F(Copies, UnderOtherNamesKeepTheirOrder) {
  ModelBuilder m;
  const std::string x = relu(m, "x", {12, 20});
  const std::string turned = m.node("Transpose", {x}, {{"perm", Dims{1, 0}}});
  const std::string flat = m.node("Reshape", {turned, m.integers({5, 4, 12})});
  m.output(m.node("Relu", {m.node("Transpose", {flat}, {{"perm", Dims{1, 2, 0}}})}));
  expectInOrder(m, 1, 4);
}

TEST_F(Copies, InBlocksKeepTheirOrder) {
  ModelBuilder m;
  const std::string x = relu(m, "x", {12, 20});
  const std::string turned = m.node("Transpose", {x}, {{"perm", Dims{1, 0}}});
  const std::string weights = m.node("MatMul", {m.input("z", Dims{6, 20}), turned});
  const auto parts = m.node("Split", {weights}, 2, {{"axis", 1L}});
  m.output(m.node("Add", {parts[0], parts[1]}));
  const Problem p = lowered(m.write()).problem;
  EXPECT_TRUE(dependsOn(p, OpId::fromIndex(p.opCount() - 1), OpId(0)));
}

TEST_F(Copies, LoadAndStoreWhatACopyDoes) {
  ModelBuilder m;
  const std::string x = relu(m, "x", {64, 128});
  m.output(m.node("Relu", {m.node("Transpose", {x}, {{"perm", Dims{1, 0}}})}));
  const Problem p = lowered(m.write()).problem;
  double loads = 0;
  double stores = 0;
  for (const StepReport& report : opByOp(p).steps) {
    loads += report.account.loads;
    stores += report.account.stores;
  }
  // Relu, copy, Relu: each loads and stores all elements; scalars and vectors of ones besides.
  EXPECT_NEAR(loads, 3 * 64 * 128, 1000);
  EXPECT_NEAR(stores, 3 * 64 * 128, 1000);
}

TEST(Lowering, MeanOfRowsIsAProduct) {
  ModelBuilder m;
  const std::string x = m.node("Relu", {m.input("x", Dims{1, 10, 24})});
  m.output(m.node("ReduceMean", {x}, {{"axes", Dims{1}}, {"keepdims", std::int64_t{0}}}));
  const Problem p = lowered(m.write()).problem;
  EXPECT_EQ(p.opCount(), 2U);
  EXPECT_EQ(p.tensor(p.op(OpId(1)).output), (Tensor{24, 1}));
}

TEST(Lowering, MasksOfTheFullShapeAreTaken) {
  ModelBuilder m;
  const std::string x = m.input("x", Dims{1, 4, 10, 10});
  const std::string y = m.node("MatMul", {x, m.input("y", Dims{1, 4, 10, 10})});
  m.output(m.node("Add", {y, m.weight({10, 10})}));
  const Problem p = lowered(m.write()).problem;
  EXPECT_EQ(p.opCount(), 8U);
  // All heads take the same mask.
  EXPECT_EQ(p.tensorCount(), 4U * 4 + 1);
  EXPECT_EQ(p.op(OpId(4)).inputs.back(), p.op(OpId(5)).inputs.back());
}

TEST(Lowering, RowsAreLeftOutAndLargerBroadcastsAreCopies) {
  ModelBuilder m;
  const std::string x = m.node("Relu", {m.input("x", Dims{1, 4, 10, 12})});
  const std::string mask = m.node("Relu", {m.input("mask", Dims{1, 1, 1, 12})});
  m.output(m.node("Add", {x, mask}));
  const Imported rows = lowered(m.write());
  EXPECT_THAT(rows.problem.op(OpId(2)).inputs, SizeIs(1));
  EXPECT_THAT(rows.copies, IsEmpty());
  const std::string table = m.node("Relu", {m.input("table", Dims{1, 1, 10, 12})});
  m.output(m.node("Add", {x, table}));
  const Imported tables = lowered(m.write());
  EXPECT_THAT(tables.problem.op(OpId(4)).inputs, SizeIs(2));
  EXPECT_THAT(tables.copies, SizeIs(1));
}

TEST(Lowering, UnusedNodesAreLeftOut) {
  ModelBuilder m;
  const std::string x = m.input("x", Dims{4, 4});
  m.node("Loop", {x});
  m.node("Exp", {x});
  m.output(m.node("Relu", {x}));
  EXPECT_EQ(lowered(m.write()).problem.opCount(), 1U);
}

TEST(Lowering, TheNodeOfEachOpIsKnown) {
  const Imported imported = lowered(mlpModel(), {{"batch", 1}});
  ASSERT_EQ(imported.origins.size(), imported.problem.opCount());
  EXPECT_EQ(imported.origins[0].type, "Gemm");
  EXPECT_EQ(imported.origins[2].type, "Relu");
  EXPECT_EQ(imported.origins[0].node, imported.origins[1].node);
}

TEST(Lowering, ImportedProblemsCanBeScheduledOpByOp) {
  const Evaluation evaluation = opByOp(lowered(visionTransformerModel()).problem);
  EXPECT_TRUE(evaluation.valid()) << evaluation.violation->message();
}

// One node on inputs of these shapes.
std::string single(const std::string& type, const std::vector<Dims>& inputs,
                   const Attributes& attributes = {}) {
  ModelBuilder m;
  std::vector<std::string> names;
  for (const Dims& dims : inputs) {
    names.push_back(m.input("x" + std::to_string(names.size()), dims));
  }
  m.output(m.node(type, names, attributes));
  return m.write();
}

TEST(Refusals, NameNodeAndOp) {
  EXPECT_EQ(refusal(single("LSTM", {{3, 2, 4}, {1, 8, 4}, {1, 8, 2}}, {{"hidden_size", 2L}})),
            "node 'LSTM_0' (LSTM): this op is not supported");
  EXPECT_EQ(refusal(single("MatMul", {{4, 5}, {5}})),
            "node 'MatMul_0' (MatMul): a vector is no matrix: 4x5 times 5");
  EXPECT_EQ(refusal(single("Softmax", {{4, 5}}, {{"axis", 0L}})),
            "node 'Softmax_0' (Softmax): works along axis 0; only the last one is supported");
  EXPECT_THAT(refusal(single("MatMul", {{2, 3, 4, 5}, {2, 3, 5, 4}})),
              HasSubstr("along several axes; import the model with a batch of 1"));
  EXPECT_EQ(refusal(single("MatMul", {{400000000, 1, 2}, {400000000, 2, 1}})),
            "node 'MatMul_0' (MatMul): comes in 400000000 parts, an op each; at most 1000000 are "
            "supported");
  EXPECT_THAT(refusal(single("Conv", {{1, 3, 8, 8}, {4, 3, 3, 3}})),
              HasSubstr("node 'Conv_0' (Conv): only convolutions of a batch of 1"));
  EXPECT_THAT(refusal(single("ReduceMax", {{4, 5}}, {{"axes", Dims{0}}})),
              HasSubstr("reduces other axes than the last one of 4x5"));
  EXPECT_THAT(refusal(single("NoSuchOp", {{4, 5}})), HasSubstr("node 'NoSuchOp_0' (NoSuchOp)"));
}

TEST(Refusals, OpenDimensions) {
  EXPECT_EQ(refusal(mlpModel()),
            "input 'x': dimension 0 (batch) has no size; give one with --dim NAME=N");
}

TEST(Refusals, WhatIsNoModel) {
  EXPECT_EQ(refusal("no model"), "not an ONNX model");
  EXPECT_EQ(refusal(""), "a model without nodes");
  const std::string model = mlpModel();
  for (std::size_t size = 0; size < model.size(); size += 7) {
    EXPECT_NE(refusal(model.substr(0, size)), "accepted") << size;
  }
}

// Whatever is wrong with a model, it is refused or taken, and nothing else happens.
TEST(Refusals, BentModels) {
  const std::string model =
      transformerModel({.tokens = 6, .width = 8, .heads = 2, .inner = 8}, Norm::kDecomposed);
  Random random(1);
  int refused = 0;
  for (int i = 0; i < 1500; ++i) {
    std::string bent = model;
    for (std::int64_t n = random.between(1, 4); n > 0; --n) {
      const auto at =
          static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(bent.size()) - 1));
      if (random.chance(70)) {
        bent[at] = static_cast<char>(random.between(0, 255));
      } else {
        bent.erase(at, static_cast<std::size_t>(random.between(1, 9)));
      }
    }
    const std::string why = refusal(bent);
    if (why != "accepted") ++refused;
    EXPECT_EQ(why.find('\n'), std::string::npos) << why;
  }
  EXPECT_GT(refused, 500);
}

TEST(Refusals, EmptyInputs) {
  for (const bool transposed : {false, true}) {
    ModelBuilder m;
    const std::string weight = m.weight(transposed ? Dims{5, 0} : Dims{0, 5});
    m.output(m.node("Gemm", {m.input("x", Dims{3, 4}), weight},
                    {{"transB", std::int64_t{transposed ? 1 : 0}}}));
    EXPECT_THAT(refusal(m.write()), testing::EndsWith(": its input '" + weight + "' is empty"));
  }
}

TEST(Refusals, NothingToCompute) {
  ModelBuilder m;
  m.output(m.node("Identity", {m.input("x", Dims{4, 5})}));
  EXPECT_EQ(refusal(m.write()), "nothing in it is computed by MatMul or elementwise ops");
}

}  // namespace
}  // namespace tilebeam::test
