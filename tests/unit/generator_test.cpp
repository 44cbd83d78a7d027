#include "benchmarks/generator/generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "tilebeam/schedule.h"
#include "tilebeam/step_simulator.h"
#include "tilebeam/subgraph.h"

namespace tilebeam {
namespace {

using generator::generate;
using generator::Kind;
using generator::kinds;
using generator::Memory;
using generator::Request;

constexpr Memory kAllMemories[] = {Memory::kTight, Memory::kRoomy, Memory::kContest};

Request request(const std::string& kind, int ops, std::uint64_t seed,
                Memory memory = Memory::kContest) {
  return {kind, ops, seed, memory};
}

// Everything a problem consists of, as one list of numbers.
std::vector<std::uint64_t> contentOf(const Problem& problem) {
  std::vector<std::uint64_t> content;
  const auto number = [&](auto value) { content.push_back(static_cast<std::uint64_t>(value)); };
  for (const Tensor& t : problem.tensors()) {
    number(t.width);
    number(t.height);
  }
  for (const Op& op : problem.ops()) {
    number(op.type);
    number(std::bit_cast<std::uint64_t>(op.baseCost));
    for (const TensorId t : op.inputs) number(t.value());
    number(op.output.value());
  }
  const Hardware& hardware = problem.hardware();
  number(hardware.fastMemoryCapacity);
  number(std::bit_cast<std::uint64_t>(hardware.slowMemoryBandwidth));
  number(hardware.nativeWidth);
  number(hardware.nativeHeight);
  return content;
}

std::uint64_t signatureOf(const Problem& problem) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::uint64_t word : contentOf(problem)) {
    for (int shift = 0; shift < 64; shift += 8) {
      hash = (hash ^ ((word >> shift) & 0xff)) * 0x100000001b3U;
    }
  }
  return hash;
}

// The peak of a step of one op whose every edge and reduction is cut off at these lengths. All
// input slices differ at worst; the accumulator and the stored tile share their space.
std::int64_t peakAlone(const Problem& problem, OpId o, const Granularity& g) {
  const Op& op = problem.op(o);
  const Tensor& out = problem.tensor(op.output);
  const std::int64_t columns = std::min(g.width, out.width);
  const std::int64_t rows = std::min(g.height, out.height);
  const std::int64_t tile = rows * columns;
  if (op.isMatMul()) return tile + (rows + columns) * std::min(g.depth, problem.reduction(o));
  const std::set<TensorId> inputs(op.inputs.begin(), op.inputs.end());
  return tile * static_cast<std::int64_t>(inputs.size() + 1);
}

Granularity nativeOf(const Problem& problem) {
  const Hardware& h = problem.hardware();
  return {h.nativeWidth, h.nativeHeight, h.nativeDepth()};
}

std::vector<OpId> allOps(const Problem& problem) {
  const auto order = problem.graph().topologicalOrder();
  return {order.begin(), order.end()};
}

int countMatMuls(const Problem& problem) {
  return static_cast<int>(std::count_if(problem.ops().begin(), problem.ops().end(),
                                        [](const Op& op) { return op.isMatMul(); }));
}

std::vector<int> sizesOf(const Kind& kind) {
  std::vector<int> sizes;
  for (const int ops : {1, 2, 3, 4, 5, 6, 7, 11, 17, 24, 50, 99, 333}) {
    if (ops >= kind.minOps && ops <= kind.maxOps) sizes.push_back(ops);
  }
  return sizes;
}

const Kind& kindNamed(const std::string& name) {
  return *std::find_if(kinds().begin(), kinds().end(),
                       [&](const Kind& kind) { return kind.name == name; });
}

// The kinds that can have that many ops.
std::vector<std::string> kindNames(int ops) {
  std::vector<std::string> names;
  for (const Kind& kind : kinds()) {
    if (kind.maxOps >= ops) names.push_back(kind.name);
  }
  return names;
}

std::string testName(const testing::TestParamInfo<std::string>& tested) {
  std::string name = tested.param;
  std::erase(name, '-');
  return name;
}

TEST(GeneratorKinds, HaveDistinctNamesAndDescriptions) {
  std::set<std::string> names;
  for (const Kind& kind : kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(kind.description.empty()) << kind.name;
    EXPECT_EQ(kind.description.find('\n'), std::string::npos) << kind.name;
  }
  for (const char* name : {"transformer", "gated-mlp", "moe", "multi-head", "unet", "recurrent",
                           "chain", "random", "ragged", "tiny"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(Generator, RefusesUnknownKindsAndOpCountsOutOfRange) {
  EXPECT_THROW(generate(request("no such kind", 10, 1)), std::invalid_argument);
  EXPECT_THROW(generate(request("", 10, 1)), std::invalid_argument);
  for (const Kind& kind : kinds()) {
    EXPECT_THROW(generate(request(kind.name, kind.minOps - 1, 1)), std::invalid_argument);
    EXPECT_THROW(generate(request(kind.name, kind.maxOps + 1, 1)), std::invalid_argument);
    EXPECT_THROW(generate(request(kind.name, -5, 1)), std::invalid_argument);
  }
}

TEST(Generator, SaysWhatItRefuses) {
  try {
    generate(request("tiny", 7, 1));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "tiny takes 1 to 6 ops, not 7");
  }
}

// The tests below hold for every kind.
class GeneratorOfKind : public testing::TestWithParam<std::string> {
 protected:
  static const Kind& kind() { return kindNamed(GetParam()); }

  // Calls visit(problem, memory) for several sizes, seeds and memory classes.
  template <class Visit>
  void forManyProblems(Visit visit) const {
    for (const int ops : sizesOf(kind())) {
      for (std::uint64_t seed = 0; seed < 12; ++seed) {
        for (const Memory memory : kAllMemories) {
          SCOPED_TRACE(testing::Message()
                       << ops << " ops, seed " << seed << ", memory " << static_cast<int>(memory));
          visit(generate(request(GetParam(), ops, seed, memory)), ops, memory);
        }
      }
    }
  }
};

// Well-formedness is the constructor's business: it throws on a malformed problem.
TEST_P(GeneratorOfKind, HasExactlyTheOpsAskedForAndNoIdleTensor) {
  forManyProblems([](const Problem& problem, int ops, Memory) {
    EXPECT_EQ(problem.opCount(), static_cast<std::size_t>(ops));
    for (std::size_t t = 0; t < problem.tensorCount(); ++t) {
      const TensorId id = TensorId::fromIndex(t);
      EXPECT_TRUE(problem.graph().producer(id).valid() || problem.isGraphInput(id)) << t;
    }
  });
}

TEST_P(GeneratorOfKind, FitsEveryOpAlone) {
  const bool tiny = GetParam() == "tiny";
  forManyProblems([&](const Problem& problem, int, Memory) {
    const Granularity native = nativeOf(problem);
    // Realistic problems shall not depend on absurdly small tiles.
    const Granularity decent =
        tiny ? Granularity{1, 1, 1}
             : Granularity{native.width / 2, native.height / 2, native.depth / 4};
    for (const OpId o : allOps(problem)) {
      EXPECT_LE(peakAlone(problem, o, {1, 1, 1}), problem.hardware().fastMemoryCapacity);
      EXPECT_LE(peakAlone(problem, o, decent), problem.hardware().fastMemoryCapacity);
    }
  });
}

TEST_P(GeneratorOfKind, IsTightOrRoomyAsAskedFor) {
  forManyProblems([](const Problem& problem, int, Memory memory) {
    const std::int64_t capacity = problem.hardware().fastMemoryCapacity;
    const Granularity native = nativeOf(problem);
    int tooLarge = 0;
    for (const OpId o : allOps(problem)) {
      const std::int64_t peak = peakAlone(problem, o, native);
      if (memory == Memory::kRoomy) {
        EXPECT_LE(3 * peak, capacity);
      }
      tooLarge += problem.op(o).isMatMul() && peak > capacity;
    }
    // Tiny tensors may need all they take: 1 x 1 times 1 x 1 has no smaller tile.
    if (memory == Memory::kTight && GetParam() != "tiny") {
      EXPECT_GE(2 * tooLarge, countMatMuls(problem));
    }
  });
}

TEST_P(GeneratorOfKind, DependsOnItsRequestAlone) {
  for (const int ops : sizesOf(kind())) {
    for (const Memory memory : kAllMemories) {
      const Request r = request(GetParam(), ops, 42, memory);
      EXPECT_EQ(contentOf(generate(r)), contentOf(generate(r)));
    }
  }
}

TEST_P(GeneratorOfKind, DiffersFromSeedToSeed) {
  const int ops = std::min(40, kind().maxOps);
  std::set<std::vector<std::uint64_t>> contents;
  constexpr std::size_t kSeeds = 20;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    contents.insert(contentOf(generate(request(GetParam(), ops, seed))));
  }
  EXPECT_EQ(contents.size(), kSeeds);
}

TEST_P(GeneratorOfKind, KeepsTheGraphWhenOnlyMemoryChanges) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const int ops = std::min(40, kind().maxOps);
    auto tight = contentOf(generate(request(GetParam(), ops, seed, Memory::kTight)));
    auto roomy = contentOf(generate(request(GetParam(), ops, seed, Memory::kRoomy)));
    ASSERT_EQ(tight.size(), roomy.size());
    const std::size_t capacity = tight.size() - 4;
    EXPECT_LT(tight[capacity], roomy[capacity]);
    tight[capacity] = roomy[capacity];
    EXPECT_EQ(tight, roomy);
  }
}

TEST_P(GeneratorOfKind, MixesMatMulAndPointwise) {
  const int ops = std::min(60, kind().maxOps);
  int matMuls = 0;
  constexpr int kSeeds = 30;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    matMuls += countMatMuls(generate(request(GetParam(), ops, seed)));
  }
  EXPECT_GT(matMuls, kSeeds * ops / 4);
  EXPECT_LT(matMuls, kSeeds * ops * 9 / 10);
}

INSTANTIATE_TEST_SUITE_P(All, GeneratorOfKind, testing::ValuesIn(kindNames(1)), testName);

class GeneratorOfLargeKind : public testing::TestWithParam<std::string> {};

TEST_P(GeneratorOfLargeKind, TakesLinearTime) {
  // Anything quadratic would take minutes; a sanitizer on a busy machine takes seconds.
  const auto start = std::chrono::steady_clock::now();
  const Problem problem = generate(request(GetParam(), 100'000, 3));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(problem.opCount(), 100'000U);
  EXPECT_LT(took.count(), 20.0);
}

INSTANTIATE_TEST_SUITE_P(All, GeneratorOfLargeKind, testing::ValuesIn(kindNames(100'000)),
                         testName);

class GeneratorSlow : public testing::TestWithParam<std::string> {};

TEST_P(GeneratorSlow, ReachesAMillionOps) {
  EXPECT_EQ(generate(request(GetParam(), 1'000'000, 5)).opCount(), 1'000'000U);
}

INSTANTIATE_TEST_SUITE_P(All, GeneratorSlow, testing::ValuesIn(kindNames(1'000'000)), testName);

TEST(Generator, MakesRaggedProblemsWithoutAnEvenEdge) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Problem problem = generate(request("ragged", 40, seed));
    const Hardware& h = problem.hardware();
    EXPECT_NE(h.nativeWidth, h.nativeHeight);
    EXPECT_EQ(h.fastMemoryCapacity % 2, 1);
    for (const Tensor& t : problem.tensors()) {
      for (const std::int64_t edge : {t.width, t.height}) {
        EXPECT_NE(edge % h.nativeWidth, 0) << "seed " << seed;
        EXPECT_NE(edge % h.nativeHeight, 0) << "seed " << seed;
      }
    }
  }
}

TEST(Generator, MakesTinyProblemsWithinTheirLimits) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Problem problem = generate(request("tiny", 1 + static_cast<int>(seed % 6), seed));
    for (const std::int64_t side :
         {problem.hardware().nativeWidth, problem.hardware().nativeHeight}) {
      EXPECT_GE(side, 2);
      EXPECT_LE(side, 8);
    }
    for (const Tensor& t : problem.tensors()) EXPECT_LE(std::max(t.width, t.height), 24);
  }
}

TEST(Generator, KeepsEvenProblemsInTheContestsRange) {
  for (const Kind& kind : kinds()) {
    if (kind.name == "ragged" || kind.name == "tiny") continue;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Problem problem = generate(request(kind.name, 80, seed));
      EXPECT_GE(problem.hardware().fastMemoryCapacity, 25'000) << kind.name;
      EXPECT_LE(problem.hardware().fastMemoryCapacity, 800'000) << kind.name;
      for (const Tensor& t : problem.tensors()) {
        EXPECT_GE(std::min(t.width, t.height), 128) << kind.name;
        EXPECT_LE(std::max(t.width, t.height), 4096) << kind.name;
        EXPECT_EQ(t.width % 128 + t.height % 128, 0) << kind.name;
      }
    }
  }
}

std::size_t mostConsumers(const Problem& problem) {
  std::size_t most = 0;
  for (std::size_t t = 0; t < problem.tensorCount(); ++t) {
    most = std::max(most, problem.graph().consumers(TensorId::fromIndex(t)).size());
  }
  return most;
}

int countOutputs(const Problem& problem) {
  int outputs = 0;
  for (std::size_t t = 0; t < problem.tensorCount(); ++t) {
    outputs += problem.isGraphOutput(TensorId::fromIndex(t));
  }
  return outputs;
}

TEST(Generator, BuildsWholeBlocksThatEndInOneOutput) {
  for (const char* kind : {"transformer", "gated-mlp", "moe", "multi-head", "unet", "recurrent"}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      for (const int ops : {48, 77, 150}) {
        EXPECT_EQ(countOutputs(generate(request(kind, ops, seed))), 1) << kind << " " << seed;
      }
    }
  }
}

TEST(Generator, SharesTheWeightsOfRecurrentCells) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    constexpr std::size_t kLargestCell = 14;
    EXPECT_GE(mostConsumers(generate(request("recurrent", 1400, seed))), 1400 / kLargestCell);
  }
}

TEST(Generator, RunsManyHeadsInParallel) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    // All heads take their queries and values from the same activations.
    EXPECT_GE(mostConsumers(generate(request("multi-head", 200, seed))), 2U * 4U);
  }
}

// Whether a native k-step of the first MatMul loads longer than it computes.
bool boundByMemory(const Problem& problem) {
  const Hardware& h = problem.hardware();
  const auto matMul = std::find_if(problem.ops().begin(), problem.ops().end(),
                                   [](const Op& op) { return op.isMatMul(); });
  const auto loads = static_cast<double>((h.nativeWidth + h.nativeHeight) * h.nativeDepth());
  return loads / h.slowMemoryBandwidth > matMul->baseCost;
}

TEST(Generator, MakesProblemsBoundByMemoryAndByCompute) {
  for (const Memory memory : kAllMemories) {
    int byMemory = 0;
    constexpr int kSeeds = 100;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      byMemory += boundByMemory(generate(request("gated-mlp", 20, seed, memory)));
    }
    EXPECT_GT(byMemory, kSeeds / 10);
    EXPECT_LT(byMemory, kSeeds * 9 / 10);
  }
}

// The simulator itself agrees that the smallest tile fits.
TEST(Generator, FitsEveryOpOfTinyProblemsBySimulation) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Problem problem = generate(request("tiny", 6, seed, Memory::kTight));
    for (const OpId o : allOps(problem)) {
      const Subgraph alone(problem, {o});
      ASSERT_FALSE(alone.violation()) << alone.violation()->message;
      const StepAccount account = simulateLiteral(
          alone, {1, 1, 1}, {}, {{}, {problem.op(o).output}, {}}, DepthReading::kNative);
      EXPECT_LE(account.cost.peakFastMemory, problem.hardware().fastMemoryCapacity);
    }
  }
}

// Problems and results recorded elsewhere go by their requests: these must not drift, nor differ
// from one platform to another. Where they change on purpose, run benchmarks/regenerate.
TEST(Generator, KeepsItsSignatures) {
  struct Expected {
    const char* kind;
    int ops;
    std::uint64_t signature;
  };
  for (const Expected& e : {
           Expected{"transformer", 40, 4703671757890552420U},
           Expected{"gated-mlp", 40, 107611864418893867U},
           Expected{"moe", 40, 13279492667741700180U},
           Expected{"multi-head", 40, 3453764379359623138U},
           Expected{"unet", 40, 12373999567153437881U},
           Expected{"recurrent", 40, 18078814862619724209U},
           Expected{"chain", 40, 8628624849916078453U},
           Expected{"random", 40, 5395852382029684418U},
           Expected{"ragged", 40, 15224010555092919944U},
           Expected{"tiny", 6, 4399126948625066118U},
       }) {
    EXPECT_EQ(signatureOf(generate(request(e.kind, e.ops, 1))), e.signature) << e.kind;
  }
}

}  // namespace
}  // namespace tilebeam
