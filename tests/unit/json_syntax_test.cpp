// What is no JSON at all, or no JSON object, is refused whatever it was meant to be.
#include <gmock/gmock.h>

#include "support/json_samples.h"
#include "tilebeam/json_io.h"

namespace tilebeam::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string refusalOf(std::string_view text) { return refusal(parseProblem, text); }

TEST(JsonSyntax, EmptyFile) {
  EXPECT_EQ(refusalOf(""), "byte 1: not JSON: the file is empty");
  EXPECT_EQ(refusalOf(std::string_view()), "byte 1: not JSON: the file is empty");
  EXPECT_THAT(refusalOf(" \n "), HasSubstr("unexpected end of input"));
}

TEST(JsonSyntax, ByteOrderMark) {
  EXPECT_EQ(refusalOf("\xEF\xBB\xBF" + kDiamond), "byte 1: not JSON: a byte order mark");
}

TEST(JsonSyntax, ZeroByteDoesNotHideWhatFollows) {
  EXPECT_EQ(refusalOf(std::string("{}\0garbage", 10)), "byte 3: not JSON: a zero byte");
}

TEST(JsonSyntax, TrailingGarbage) {
  EXPECT_THAT(refusalOf(kDiamond + "x"), StartsWith("byte "));
  EXPECT_THAT(refusalOf(kDiamond + kDiamond), HasSubstr("expected end of input"));
  EXPECT_EQ(refusalOf(kDiamond + " \n\t\r\n"), "accepted");
}

TEST(JsonSyntax, CutOffAnywhere) {
  const std::string whole = kDiamond.substr(0, kDiamond.rfind('}') + 1);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string message = refusalOf(whole.substr(0, length));
    EXPECT_THAT(message, AllOf(StartsWith("byte "), Not(HasSubstr("\n")))) << length;
  }
}

TEST(JsonSyntax, WhatOtherDialectsAllow) {
  for (const char* const text :
       {"{\"a\": NaN}", "{\"a\": Infinity}", "{\"a\": -Infinity}", "{\"a\": 1,}", "{\"a\": [1,]}",
        "{'a': 1}", "{a: 1}", "{\"a\": 01}", "{\"a\": +1}", "{\"a\": .5}", "{\"a\": 1.}",
        "{\"a\": 0x10}", "{\"a\": 1} // done", "/* */ {}"}) {
    EXPECT_THAT(refusalOf(text), StartsWith("byte ")) << text;
  }
}

TEST(JsonSyntax, InvalidUtf8) {
  EXPECT_THAT(refusalOf("{\"\xFF\": 1}"), HasSubstr("UTF-8"));
  EXPECT_THAT(refusalOf("{\"a\": \"\xC0\xAF\"}"), HasSubstr("UTF-8"));
  EXPECT_THAT(refusalOf("{\"a\": \"\\ud800\"}"), HasSubstr("surrogate"));
}

TEST(JsonSyntax, OverlongTokensAreNotQuoted) {
  const std::string message = refusalOf("{\"a\": \"" + std::string(100000, 'x'));
  EXPECT_LT(message.size(), 200U);
}

TEST(JsonSyntax, TopLevelMustBeAnObject) {
  EXPECT_EQ(refusalOf("[]"), "top level: must be an object, not a list");
  EXPECT_EQ(refusalOf("128"), "top level: must be an object, not a number");
  EXPECT_EQ(refusalOf("1.5"), "top level: must be an object, not a number");
  EXPECT_EQ(refusalOf("null"), "top level: must be an object, not null");
  EXPECT_EQ(refusalOf("true"), "top level: must be an object, not a boolean");
  EXPECT_EQ(refusalOf("\"{}\""), "top level: must be an object, not a string");
}

TEST(JsonSyntax, DeepNestingIsRefusedWhereItStarts) {
  constexpr std::size_t kDeep = 50'000'000;
  const std::string brackets(kDeep, '[');
  EXPECT_EQ(refusalOf(brackets), "top level: must be an object, not a list");
  EXPECT_THAT(refusalOf("{\"widths\": " + brackets), HasSubstr("widths[0]: must be an integer"));
  EXPECT_THAT(refusalOf("{\"note\": " + brackets), HasSubstr("nested more than 64 deep"));
}

TEST(JsonSyntax, NestedObjectsAreRefusedToo) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "{\"a\":";
  EXPECT_THAT(refusalOf(text), HasSubstr("nested more than 64 deep"));
}

TEST(JsonSyntax, UnknownKeysAreSkippedWhateverTheyHold) {
  const std::string extra = R"({"note": {"by": ["me", null, {"x": [[[1.5, true]]]}], "n": 1e300},
    "widths_note": "none", )";
  EXPECT_EQ(refusalOf(replaced(kDiamond, "{", extra)), "accepted");
}

TEST(JsonSyntax, KnownKeysWithinUnknownOnesMeanNothing) {
  EXPECT_EQ(refusalOf(replaced(kDiamond, "{", R"({"note": {"widths": "none"}, )")), "accepted");
}

TEST(JsonSyntax, DuplicateKeys) {
  const std::string rule = ": the key stands twice";
  EXPECT_EQ(refusalOf(replaced(kDiamond, "{", "{\"widths\": [1], ")), "\"widths\"" + rule);
  EXPECT_EQ(refusalOf(replaced(kDiamond, "{", "{\"x\": 1, \"x\": 1, ")), "\"x\"" + rule);
  EXPECT_EQ(refusalOf(replaced(kDiamond, "{", R"({"x": [{"y": 1, "y": 2}], )")), "\"y\"" + rule);
  EXPECT_EQ(refusalOf(replaced(kDiamond, "{", R"({"\u0077idths": [1], )")), "\"widths\"" + rule);
  EXPECT_EQ(refusalOf(replaced(kDiamond, "{", R"({"x": {"y": 1}, "z": {"y": 1}, )")), "accepted");
}

TEST(JsonSyntax, MessagesStayOnOneLine) {
  EXPECT_EQ(refusalOf("{\"a\\nb\": 1, \"a\\nb\": 2}"), "\"a?b\": the key stands twice");
}

}  // namespace
}  // namespace tilebeam::test
