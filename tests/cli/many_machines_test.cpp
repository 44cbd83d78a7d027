// Runs the examples of docs/many-machines.md as they stand there.
#include <gmock/gmock.h>

#include "support/paths.h"
#include "support/suite_fixture.h"

namespace tilebeam::test {
namespace {

class ManyMachines : public SuiteTest {
 protected:
  void SetUp() override {
    SuiteTest::SetUp();
    ASSERT_EQ(suite({"--csv", path("whole.csv")}).exitCode, 0);
  }

  // The shell commands under a heading of the page.
  static std::string example(const std::string& heading) {
    const std::string page = contentOf(sourceDirectory() + "/docs/many-machines.md");
    const std::string fence = "```sh\n";
    const std::size_t section = page.find("\n## " + heading + "\n");
    const std::size_t begin = page.find(fence, section) + fence.size();
    return page.substr(begin, page.find("```", begin) - begin);
  }

  RunResult shell(const std::string& script) const {
    const std::string bin = std::filesystem::path(tilebeamProgram()).parent_path().string();
    return run({"/bin/sh", "-ec", "cd '" + path("") + "'; PATH='" + bin + "':$PATH\n" + script});
  }

  bool installed(const char* program) const {
    return shell("command -v " + std::string(program)).exitCode == 0;
  }

  void expectWhole(const RunResult& result) const {
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(csv("results.csv"), csv("whole.csv"));
  }
};

TEST_F(ManyMachines, Xargs) { expectWhole(shell(example("xargs"))); }

TEST_F(ManyMachines, GnuParallel) {
  if (!installed("parallel")) GTEST_SKIP() << "no GNU parallel";
  expectWhole(shell(example("GNU parallel")));
}

// Where Open MPI is missing, the processes get its variables from xargs.
TEST_F(ManyMachines, OpenMpi) {
  const std::string permissions =
      "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
      "OMPI_MCA_rmaps_base_oversubscribe=1\n";
  const std::string standIn =
      "mpirun() { seq 0 2 | OMPI_COMM_WORLD_SIZE=$2 xargs -P 3 -I@ "
      "env OMPI_COMM_WORLD_RANK=@ sh -c \"$5\"; }\n";
  expectWhole(shell((installed("mpirun") ? permissions : standIn) + example("Open MPI")));
}

TEST_F(ManyMachines, SlurmArray) {
  file("array.sh", example("A Slurm array"));
  expectWhole(
      shell("export SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1 SLURM_CPUS_PER_TASK=1\n"
            "for i in 1 2 3; do SLURM_ARRAY_TASK_ID=$i sh array.sh; done\n"
            "tilebeam merge part-*.csv --csv results.csv"));
}

TEST_F(ManyMachines, SlurmArraysOfOtherNumbers) {
  expectWhole(
      shell("export SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=4 SLURM_ARRAY_TASK_STEP=2\n"
            "for i in 4 6 8; do SLURM_ARRAY_TASK_ID=$i tilebeam suite problems --shard auto "
            "--max-rounds 1 --csv part-$i.csv; done\n"
            "tilebeam merge part-*.csv --csv results.csv"));
}

TEST_F(ManyMachines, OtherMpis) {
  expectWhole(
      shell("for i in 0 1; do PMI_RANK=$i PMI_SIZE=2 tilebeam suite problems --shard auto "
            "--max-rounds 1 --csv part-$i.csv; done\n"
            "tilebeam merge part-*.csv --csv results.csv"));
}

}  // namespace
}  // namespace tilebeam::test
