// Exit code 3: one line that names the file, the place and the rule. What is refused in detail is
// tested in tests/unit.
#include <gmock/gmock.h>

#include "support/program_fixture.h"

namespace tilebeam::test {
namespace {

class Input : public ProgramTest {
 protected:
  static void expectMalformed(const RunResult& result, const std::string& line) {
    EXPECT_EQ(result.exitCode, 3);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, line + "\n");
  }
};

TEST_F(Input, EveryCommandNamesFilePlaceAndRule) {
  const std::string problem = file("p.json", replaced(kDiamond, "[128,", "[128.5,"));
  const std::string schedule = file("s.json", kDiamondSchedule);
  const std::string rule = problem + ": widths[0]: must be an integer, not 128.5";
  expectMalformed(tilebeam({"solve", problem}), "tilebeam: error: " + rule);
  expectMalformed(tilebeam({"bound", problem}), "tilebeam: error: " + rule);
  expectMalformed(tilebeam({"evaluate", problem, schedule}), "tilebeam: error: " + rule);
  expectMalformed(tilebeam({"evaluate", problem, schedule, "--json"}), "tilebeam: error: " + rule);
  expectMalformed(mlsys({problem, path("out.json")}), "mlsys: error: " + rule);
  EXPECT_EQ(entries(), 2U);
}

TEST_F(Input, MalformedSchedule) {
  const std::string problem = file("p.json", kDiamond);
  const std::string schedule = file("s.json", replaced(kDiamondSchedule, "[[2], []]", "[[2]]"));
  expectMalformed(tilebeam({"evaluate", problem, schedule, "--json"}),
                  "tilebeam: error: " + schedule +
                      ": tensors_to_retain: must have as many entries as subgraphs, 2, not 1");
}

TEST_F(Input, UnreadableFiles) {
  const std::string start = "tilebeam: error: " + path("");
  expectMalformed(tilebeam({"bound", path("none")}),
                  start + "none: cannot be read: No such file or directory");
  expectMalformed(tilebeam({"bound", path("")}), start + ": cannot be read: Is a directory");
}

TEST_F(Input, EmptyFile) {
  expectMalformed(tilebeam({"bound", file("p.json", "")}),
                  "tilebeam: error: " + path("p.json") + ": byte 1: not JSON: the file is empty");
}

TEST_F(Input, ControlCharactersInNamesStayOffTheTerminal) {
  expectMalformed(tilebeam({"bound", "no\nsuch\x1b[1mfile"}),
                  "tilebeam: error: no?such?[1mfile: cannot be read: No such file or directory");
}

// With 100 MB of memory: what is read of it must be far less than that.
class Endless : public Input {
 protected:
  Endless() { setup_.addressSpace = std::size_t{100} << 20; }

  // Each command that reads, with its input in this place.
  std::vector<std::vector<std::string>> reading(const std::string& input) const {
    const std::string problem = file("p.json", kDiamond);
    return {{"bound", input},
            {"evaluate", problem, input},
            {"import", input},
            {"import", problem, "--hardware", input},
            {"merge", input},
            {"suite", problem, "--baseline", input},
            {"solve", problem, "--initial", input}};
  }

  // What the program says, given this by a pipe.
  RunResult piped(const std::string& writer, const std::string& arguments) const {
    return run({"/bin/sh", "-c", writer + " | \"$0\" " + arguments, tilebeamProgram()}, setup_);
  }

  RunSetup setup_;
};

TEST_F(Endless, DevicesAreRefused) {
  for (const char* const device : {"/dev/zero", "/dev/urandom", "/dev/null"}) {
    for (const auto& arguments : reading(device)) {
      expectMalformed(tilebeam(arguments, setup_),
                      std::string("tilebeam: error: ") + device +
                          ": cannot be read: a device, neither a file nor a pipe");
    }
  }
}

TEST_F(Endless, StreamsAreRefusedAtTheirFirstByte) {
  for (const char* const writer : {"cat /dev/zero", "yes"}) {
    for (const auto& arguments : reading("/dev/stdin")) {
      std::string line;
      for (const std::string& argument : arguments) line += " " + argument;
      const RunResult result = piped(writer, line);
      EXPECT_EQ(result.exitCode, 3) << writer << line;
      EXPECT_THAT(result.err, testing::StartsWith("tilebeam: error: /dev/stdin: "));
    }
  }
  expectMalformed(piped("cat /dev/zero", "import /dev/stdin"),
                  "tilebeam: error: /dev/stdin: not an ONNX model");
}

// Nothing is wrong with its beginning, and memory for it is there.
TEST_F(Endless, StreamsMayHaveAQuarterOfAGigabyte) {
  setup_.addressSpace = 0;
  expectMalformed(piped("(printf '{'; cat /dev/zero | tr '\\0' ' ')", "bound /dev/stdin"),
                  "tilebeam: error: /dev/stdin: cannot be read: larger than 256 MiB, the most that "
                  "is read from a pipe");
}

TEST_F(Endless, ResultsAreRefusedAtTheirFirstLine) {
  expectMalformed(piped("cat /dev/zero", "merge /dev/stdin"),
                  "tilebeam: error: /dev/stdin: neither CSV nor JSON");
  expectMalformed(piped("yes", "merge /dev/stdin"),
                  "tilebeam: error: /dev/stdin: line 1: 1 cells where there should be 2");
  expectMalformed(piped("yes | tr -d '\\n'", "merge /dev/stdin"),
                  "tilebeam: error: /dev/stdin: neither CSV nor JSON: no line ends in the first 64 "
                  "KiB");
}

TEST_F(Input, NumbersPast32Bits) {
  const std::string problem = file("p.json", kDiamond);
  const auto fault = [&](const char* from, const char* to) {
    return tilebeam({"evaluate", problem, file("s.json", replaced(kDiamondSchedule, from, to))})
        .err;
  };
  EXPECT_THAT(fault("[[0, 1]", "[[0, 99999999999]"),
              testing::HasSubstr("op 99999999999 does not exist"));
  EXPECT_THAT(fault("[[0, 1]", "[[0, -99999999999]"),
              testing::HasSubstr("op -99999999999 does not exist"));
  EXPECT_THAT(fault("[[2]", "[[99999999999]"),
              testing::HasSubstr("tensor 99999999999 is retained but no op"));
}

// Each byte is looked at once: it took minutes when all were looked at again for each read.
TEST_F(Input, ManyBlanksFromAPipeAreReadAtOnce) {
  const std::string command = "yes '   ' | head -c 30000000 | \"$0\" bound /dev/stdin";
  expectMalformed(run({"/bin/sh", "-c", command, tilebeamProgram()}),
                  "tilebeam: error: /dev/stdin: byte 30000001: not JSON: unexpected end of input; "
                  "expected '[', '{', or a literal");
}

TEST_F(Input, ManyBracketsAreRefusedAtOnce) {
  const std::string problem = file("p.json", std::string(100'000'000, '['));
  expectMalformed(tilebeam({"bound", problem}),
                  "tilebeam: error: " + problem + ": top level: must be an object, not a list");
}

TEST_F(Input, RulesOfWellFormedProblems) {
  const auto code = [&](const char* from, const char* to) {
    return tilebeam({"bound", file("p.json", replaced(kDiamond, from, to))}).exitCode;
  };
  EXPECT_EQ(code("[128, 128, 128, 128]", "[128, 0, 128, 128]"), 3);
  EXPECT_EQ(code("[128, 128, 128, 128]", "[128, -128, 128, 128]"), 3);
  EXPECT_EQ(code("[128, 128, 128, 128]", "[128, 4611686018427387904, 128, 128]"), 3);
  EXPECT_EQ(code("[128, 128, 128, 128]", "[128, 64, 128, 128]"), 3);
  EXPECT_EQ(code("[[0], [1], [1, 2]]", "[[3], [1], [1, 2]]"), 3);
  EXPECT_EQ(code("[[1], [2], [3]]", "[[1], [2], [2]]"), 3);
  EXPECT_EQ(code("50000", "0"), 3);
  EXPECT_EQ(code("[128, 128]\n", "[0, 128]\n"), 3);
  EXPECT_EQ(code("50000", "50000"), 0);
}

}  // namespace
}  // namespace tilebeam::test
