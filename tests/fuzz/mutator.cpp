#include "fuzz/mutator.h"

#include <array>
#include <nlohmann/json.hpp>
#include <vector>

namespace tilebeam::fuzz {
namespace {

using Json = nlohmann::ordered_json;
using test::Random;

template <class T, std::size_t n>
const T& pick(const std::array<T, n>& list, Random& random) {
  return list[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(n) - 1))];
}

std::size_t place(std::size_t count, Random& random) {
  return static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(count) - 1));
}

// Text that no JSON library would write stands in the tree as a string between these marks, and is
// set free when all is written.
constexpr const char* kRawBegin = "\"<raw:";
constexpr const char* kRawEnd = ":raw>\"";

Json raw(const std::string& text) { return "<raw:" + text + ":raw>"; }

std::string written(const Json& json) {
  const std::string text = json.dump();
  std::string result;
  const std::string begin = kRawBegin;
  std::size_t at = 0;
  for (std::size_t mark = 0; (mark = text.find(begin, at)) != std::string::npos;) {
    result.append(text, at, mark - at);
    const std::size_t end = text.find(kRawEnd, mark);
    for (at = mark + begin.size(); at < end; ++at) {
      if (text[at] == '\\') ++at;  // the library escaped it
      result.push_back(text[at]);
    }
    at = end + std::string(kRawEnd).size();
  }
  return result.append(text, at);
}

std::string nested(std::size_t depth, Random& random) {
  if (random.chance(50)) return std::string(depth, '[') + std::string(depth, ']');
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += "{\"a\":";
  return text + "1" + std::string(depth, '}');
}

constexpr std::array<const char*, 34> kExtremeNumbers{"0",
                                                      "-1",
                                                      "1",
                                                      "2",
                                                      "3",
                                                      "7",
                                                      "127",
                                                      "128",
                                                      "129",
                                                      "65536",
                                                      "2147483647",
                                                      "2147483648",
                                                      "4294967296",
                                                      "9007199254740993",
                                                      "288230376151711744",
                                                      "576460752303423488",
                                                      "4611686018427387904",
                                                      "9223372036854775807",
                                                      "9223372036854775808",
                                                      "-9223372036854775808",
                                                      "18446744073709551616",
                                                      "0.5",
                                                      "-0.0",
                                                      "128.0",
                                                      "1.28e2",
                                                      "1e100",
                                                      "1e-100",
                                                      "1e308",
                                                      "5e-324",
                                                      "1e400",
                                                      "-1e400",
                                                      "nan",
                                                      "Infinity",
                                                      "0x10"};

Json otherValue(Random& random) {
  constexpr std::array<const char*, 12> kValues{"null",   "true",    "\"MatMul\"", "\"128\"",
                                                "[]",     "{}",      "[[]]",       "\"\"",
                                                "[null]", "[1,2,3]", "\"\\ud800",  "\"\\u0000\""};
  if (random.chance(10)) return raw(nested(random.chance(5) ? 100'000 : 70, random));
  return raw(random.chance(50) ? pick(kValues, random) : pick(kExtremeNumbers, random));
}

// Every value below `root`, itself left out.
void collect(Json& root, std::vector<Json*>& values) {
  for (Json& child : root) {
    values.push_back(&child);
    if (child.is_structured()) collect(child, values);
  }
}

std::vector<Json*> valuesOf(Json& root, bool (*wanted)(const Json&)) {
  std::vector<Json*> all;
  collect(root, all);
  std::erase_if(all, [&](const Json* json) { return !wanted(*json); });
  return all;
}

void changeNumber(Json& root, Random& random) {
  const auto numbers = valuesOf(root, [](const Json& json) { return json.is_number(); });
  if (numbers.empty()) return;
  Json& number = *numbers[place(numbers.size(), random)];
  if (random.chance(60)) {
    number = raw(std::to_string(random.between(0, random.chance(50) ? 9 : 300)));
  } else {
    number = raw(pick(kExtremeNumbers, random));
  }
}

// One number everywhere it stands under one key or two: shapes stay in step, so that the mutant is
// likely to be accepted.
void changeDimension(Json& root, Random& random) {
  const auto numbers = valuesOf(root, [](const Json& json) { return json.is_number_integer(); });
  if (numbers.empty()) return;
  const Json from = *numbers[place(numbers.size(), random)];
  const Json to = random.chance(80) ? Json(random.between(1, 40))
                                    : Json(random.between(1, std::int64_t{1} << 29));
  for (const char* const key : {"widths", "heights"}) {
    if (!root.contains(key)) continue;
    for (Json& value : root[key]) {
      if (value == from) value = to;
    }
  }
}

void changeType(Json& root, Random& random) {
  std::vector<Json*> all;
  collect(root, all);
  if (!all.empty()) *all[place(all.size(), random)] = otherValue(random);
}

void repeat(Json& list, std::size_t times) {
  const Json last = list.back();
  for (std::size_t i = 0; i < times; ++i) list.push_back(last);
}

void changeList(Json& root, Random& random) {
  const auto lists =
      valuesOf(root, [](const Json& json) { return json.is_array() && !json.empty(); });
  if (lists.empty()) return;
  Json& list = *lists[place(lists.size(), random)];
  const std::size_t at = place(list.size(), random);
  switch (random.between(0, 6)) {
    case 0:
      list.erase(at);
      break;
    case 1:
      list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), list[at]);
      break;
    case 2:
      std::swap(list[at], list[place(list.size(), random)]);
      break;
    case 3:
      list.push_back(otherValue(random));
      break;
    case 4:
      list.clear();
      break;
    case 5:
      repeat(list, random.chance(10) ? 20'000 : 50);
      break;
    default:
      list = Json(list[at]);
      break;
  }
}

std::string keyOf(const Json& object, Random& random) {
  auto entry = object.begin();
  std::advance(entry, static_cast<std::ptrdiff_t>(place(object.size(), random)));
  return entry.key();
}

void changeKeys(Json& root, Random& random) {
  if (root.empty()) return;
  const std::string key = keyOf(root, random);
  switch (random.between(0, 4)) {
    case 0:
      root.erase(key);
      break;
    case 1:
      root[key] = raw(written(root[key]) + ",\"" + key + "\":" + written(root[key]));
      break;
    case 2:
      std::swap(root[key], root[keyOf(root, random)]);
      break;
    case 3:
      root[key + "_"] = root[key];
      break;
    default:
      root[key].swap(root["other"]);
      break;
  }
}

// Two entries of all the parallel lists at once: steps or ops change places, or one of them goes,
// or comes twice.
void changeEntries(Json& root, Random& random) {
  std::size_t least = SIZE_MAX;
  for (const Json& list : root) {
    if (list.is_array()) least = std::min(least, list.size());
  }
  if (least == SIZE_MAX || least == 0) return;
  const std::size_t a = place(least, random);
  const std::size_t b = place(least, random);
  const std::int64_t kind = random.between(0, 2);
  for (Json& list : root) {
    if (!list.is_array()) continue;
    if (kind == 0) std::swap(list[a], list[b]);
    if (kind == 1) list.erase(a);
    if (kind == 2) list.push_back(list[a]);
  }
}

// A number that may be anything positive: what comes out is likely to be accepted.
void changeFreeNumber(Json& root, Random& random) {
  constexpr std::array<const char*, 6> kKeys{
      "base_costs",         "fast_memory_capacity", "slow_memory_bandwidth",
      "native_granularity", "granularities",        "tensors_to_retain"};
  constexpr std::array<const char*, 12> kValues{
      "1",   "2",   "3", "1.5e1", "7", "64", "1000", "65536", "2147483648", "9223372036854775807",
      "1e9", "4e15"};
  const std::string key = pick(kKeys, random);
  if (!root.contains(key)) return;
  Json* value = &root[key];
  while (value->is_array() && !value->empty()) value = &(*value)[place(value->size(), random)];
  if (value->is_number()) {
    *value = raw(random.chance(50) ? std::to_string(random.between(1, 9)) : pick(kValues, random));
  }
}

void changeGently(Json& root, Random& random) {
  switch (random.between(0, 3)) {
    case 0:
      return changeDimension(root, random);
    case 1:
      return changeEntries(root, random);
    default:
      return changeFreeNumber(root, random);
  }
}

void changeStructure(Json& root, Random& random) {
  switch (random.between(0, 9)) {
    case 0:
    case 1:
    case 2:
      return changeNumber(root, random);
    case 3:
    case 4:
      return changeDimension(root, random);
    case 5:
      return changeType(root, random);
    case 6:
      return changeList(root, random);
    case 7:
      return changeKeys(root, random);
    default:
      return changeEntries(root, random);
  }
}

void changeBytes(std::string& text, Random& random) {
  if (text.empty()) return;
  const std::size_t at = place(text.size(), random);
  switch (random.between(0, 5)) {
    case 0:
      text[at] = static_cast<char>(random.between(0, 255));
      break;
    case 1:
      text.erase(at, static_cast<std::size_t>(random.between(1, 20)));
      break;
    case 2:
      text.insert(at, 1, "[]{},:\"-+.eE0129 \n\t\\"[place(20, random)]);
      break;
    case 3:
      text.resize(at);
      break;
    case 4:
      text.insert(at, text, at, static_cast<std::size_t>(random.between(1, 100)));
      break;
    default:
      text[at] = static_cast<char>(text[at] ^ (1 << random.between(0, 7)));
      break;
  }
}

}  // namespace

std::string mutant(const std::string& text, Random& random) {
  std::string result = text;
  if (random.chance(80)) {
    Json root = Json::parse(text);
    const auto change = random.chance(50) ? changeGently : changeStructure;
    for (std::int64_t n = random.between(1, 3); n > 0; --n) change(root, random);
    result = written(root);
    if (random.chance(95)) return result;
  }
  for (std::int64_t n = random.between(1, 3); n > 0; --n) changeBytes(result, random);
  return result;
}

}  // namespace tilebeam::fuzz
