// tilebeam import, as users run it.
#include <gmock/gmock.h>

#include "importer/model_builder.h"
#include "support/paths.h"
#include "support/program_fixture.h"
#include "tilebeam/json_io.h"

namespace tilebeam::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using Import = ProgramTest;

constexpr BlockSizes kSizes{.tokens = 64, .width = 128, .heads = 2, .inner = 256};

TEST_F(Import, AnImportedModelCanBeSolved) {
  const std::string model = file("m.onnx", transformerModel(kSizes, Norm::kOneNode));
  const RunResult imported = tilebeam({"import", model, "-o", path("p.json")});
  ASSERT_EQ(imported.exitCode, 0) << imported.err;
  EXPECT_EQ(imported.out, "");
  EXPECT_THAT(imported.err, HasSubstr("m.onnx: copied in slow memory: node 'Transpose"));
  EXPECT_THAT(imported.err, HasSubstr("ops, 14 of them MatMul, "));
  const RunResult solved =
      tilebeam({"solve", path("p.json"), "--max-rounds", "1", "-o", path("s.json")});
  EXPECT_EQ(solved.exitCode, 0) << solved.err;
  EXPECT_EQ(tilebeam({"evaluate", path("p.json"), path("s.json")}).exitCode, 0);
}

// benchmarks/models holds what the examples of the documentation import. To make it anew, write
// model_builder.h's models to files.
TEST_F(Import, BundledModels) {
  const std::string models = sourceDirectory() + "/benchmarks/models/";
  constexpr BlockSizes kBlock{.tokens = 128, .width = 256, .heads = 4, .inner = 1024};
  EXPECT_EQ(contentOf(models + "transformer-block.onnx"), transformerModel(kBlock, Norm::kOneNode));
  EXPECT_EQ(contentOf(models + "mlp.onnx"), mlpModel());
  EXPECT_EQ(contentOf(models + "small-vit.onnx"), visionTransformerModel());
  const RunResult result = tilebeam({"import", models + "mlp.onnx", "--dim", "batch=32"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
}

TEST_F(Import, DimensionsAndHardware) {
  const std::string model = file("m.onnx", mlpModel());
  const std::string hardware = file("h.json", R"({"native_granularity": [16, 8],
    "fast_memory_capacity": 4096, "slow_memory_bandwidth": 3, "matmul_cost": 11,
    "pointwise_cost": 2})");
  const RunResult result = tilebeam({"import", model, "--dim", "batch=24", "--hardware", hardware});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  const Problem problem = parseProblem(result.out);
  EXPECT_EQ(problem.tensor(problem.op(OpId(0)).output).height, 24);
  EXPECT_EQ(problem.op(OpId(0)).baseCost, 11);
  EXPECT_EQ(problem.op(OpId(1)).baseCost, 2);
  EXPECT_EQ(problem.hardware().fastMemoryCapacity, 4096);
  EXPECT_EQ(problem.hardware().nativeHeight, 8);
}

TEST_F(Import, Map) {
  const std::string model = file("m.onnx", mlpModel());
  const RunResult result = tilebeam(
      {"import", model, "--dim", "batch=1", "-o", path("p.json"), "--map", path("map.csv")});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_THAT(contentOf(path("map.csv")),
              StartsWith("op,type,node,node_type\n0,MatMul,Gemm_2,Gemm\n"
                         "1,Pointwise,Gemm_2,Gemm\n2,Pointwise,Relu_3,Relu\n"));
}

TEST_F(Import, NoProblemWithoutItsMap) {
  const std::string model = file("m.onnx", mlpModel());
  const auto import = [&](const std::string& output, const std::string& map) {
    return tilebeam({"import", model, "--dim", "batch=1", "-o", output, "--map", map});
  };
  const RunResult noMap = import(path("p.json"), "/dev/full");
  EXPECT_EQ(noMap.exitCode, 5);
  EXPECT_THAT(noMap.err, HasSubstr("/dev/full: cannot be written: No space left on device\n"));
  EXPECT_EQ(import("/dev/full", path("map.csv")).exitCode, 5);
  EXPECT_EQ(entries(), 1U) << "the model alone";
}

TEST_F(Import, StrictRefusesCopies) {
  const std::string model = file("m.onnx", transformerModel(kSizes, Norm::kOneNode));
  const RunResult result = tilebeam({"import", model, "--strict", "-o", path("p.json")});
  EXPECT_EQ(result.exitCode, 3);
  EXPECT_EQ(result.err, "tilebeam: error: " + model +
                            ": node 'Transpose_16' (Transpose): rearranges its inputs to "
                            "'Transpose_16': a copy in slow memory, which --strict refuses\n");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Import, DimensionsThatTheModelDoesNotName) {
  const auto refusal = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "import");
    const RunResult result = tilebeam(arguments);
    EXPECT_EQ(result.exitCode, 2) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  const std::string open = file("open.onnx", mlpModel());
  const std::string why = "tilebeam: error: " + open +
                          ": --dim: no dimension is named 'nosuch'; the model names batch\n";
  EXPECT_EQ(refusal({open, "--dim", "batch=1", "--dim", "nosuch=7"}), why);
  EXPECT_EQ(refusal({open, "--dim", "nosuch=7"}), why) << "rather than that batch has no size";
  const std::string settled = file("settled.onnx", transformerModel(kSizes, Norm::kOneNode));
  EXPECT_EQ(refusal({settled, "--dim", "batch=1"}),
            "tilebeam: error: " + settled +
                ": --dim: no dimension is named 'batch'; the model names none\n");
}

// The sizes that the user or the model gave, not what is left of their product.
TEST_F(Import, SizesBeyondAllProblems) {
  const auto refusal = [&](const std::string& model, const std::vector<std::string>& options) {
    std::vector<std::string> arguments{"import", file("m.onnx", model)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const RunResult result = tilebeam(arguments);
    EXPECT_EQ(result.exitCode, 3) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  const std::string start = "tilebeam: error: " + path("m.onnx") + ": ";
  const std::string end = " is too large; the areas of all tensors may sum to 2^59 at most\n";
  for (const char* const size : {"735293071565559", "4611686018427387904", "9223372036854775807"}) {
    EXPECT_EQ(refusal(mlpModel(), {"--dim", std::string("batch=") + size}),
              start + "input 'x': " + size + "x784" + end);
  }
  const auto product = [](std::int64_t rows, std::int64_t columns) {
    ModelBuilder m;
    m.output(m.node("MatMul", {m.input("x", Dims{rows, 2}), m.weight({2, columns})}));
    return m.write();
  };
  constexpr std::int64_t kLarge = std::int64_t{1} << 40;
  EXPECT_EQ(refusal(product(INT64_MAX, 2), {}), start + "input 'x': 9223372036854775807x2" + end);
  EXPECT_THAT(refusal(product(2, INT64_MAX), {}), HasSubstr("': 2x9223372036854775807" + end));
  EXPECT_THAT(refusal(product(kLarge, kLarge), {}),
              HasSubstr("(MatMul): its output: 1099511627776x1099511627776" + end));
}

// A broken file in the way of the library stands for one that is not there.
TEST_F(Import, WithoutOnnx) {
  file("libonnx.so.1", "");
  RunSetup setup;
  setup.environment = {"LD_LIBRARY_PATH=" + path("")};
  const RunResult result = tilebeam({"import", file("m.onnx", mlpModel())}, setup);
  EXPECT_EQ(result.exitCode, 70);
  EXPECT_THAT(result.err, StartsWith("tilebeam: error: models cannot be read without libonnx, "
                                     "Debian's libonnx1, and this program's part for it: "));
}

TEST_F(Import, Refusals) {
  const std::string model = file("m.onnx", mlpModel());
  EXPECT_EQ(tilebeam({"import", model, "--dim", "batch"}).exitCode, 2);
  EXPECT_EQ(tilebeam({"import", model, "--dim", "batch=0"}).exitCode, 2);
  EXPECT_EQ(tilebeam({"import", model, "--dim", "batch=2", "--dim", "batch=3"}).err,
            "tilebeam: error: --dim: 'batch' is given twice\n");
  EXPECT_EQ(tilebeam({"import", model, "--dim", "=3"}).err,
            "tilebeam: error: --dim: '=3' is not NAME=N, as in batch=1\n");
  EXPECT_EQ(tilebeam({"import", model, "-o", model}).exitCode, 2);
  EXPECT_EQ(tilebeam({"import", path("none.onnx")}).exitCode, 3);
  EXPECT_EQ(tilebeam({"import", model, "--dim", "batch=1", "-o", path("none/p.json")}).exitCode, 5);
  const RunResult broken = tilebeam({"import", file("b.onnx", kDiamond)});
  EXPECT_EQ(broken.exitCode, 3);
  EXPECT_EQ(broken.err, "tilebeam: error: " + path("b.onnx") + ": not an ONNX model\n");
}

}  // namespace
}  // namespace tilebeam::test
