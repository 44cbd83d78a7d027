#include "importer/hardware_file.h"

#include <algorithm>
#include <vector>

#include "simulator/json_columns.h"

namespace tilebeam::importer {
namespace {

using json::Cell;
using json::Column;

enum Key : std::size_t { kNative, kCapacity, kBandwidth, kMatMul, kPointwise };

std::vector<Column> columns() {
  return {{"native_granularity", Cell::kInteger, 1},
          {"fast_memory_capacity", Cell::kInteger, 0},
          {"slow_memory_bandwidth", Cell::kReal, 0},
          {"matmul_cost", Cell::kReal, 0},
          {"pointwise_cost", Cell::kReal, 0}};
}

double number(const Column& column, double least) {
  constexpr double kMost = 1e100;
  const double value = column.reals.front();
  if (!(value >= least && value <= kMost)) {
    json::refuse(column.key,
                 least > 0 ? "must be from 1e-100 to 1e100" : "must be from 0 to 1e100");
  }
  return value;
}

void requirePositive(const Column& column) {
  const auto bad =
      std::find_if(column.integers.begin(), column.integers.end(), [](auto n) { return n < 1; });
  if (bad != column.integers.end()) {
    json::refuse(column.key, "must be at least 1, not " + std::to_string(*bad));
  }
}

}  // namespace

HardwareDescription parseHardware(std::string_view text) {
  std::vector<Column> read = columns();
  json::readColumns(text, read);
  if (read[kNative].size() != 2) {
    json::refuse(read[kNative].key,
                 "must be two integers, not " + std::to_string(read[kNative].size()));
  }
  requirePositive(read[kNative]);
  requirePositive(read[kCapacity]);
  HardwareDescription result;
  result.hardware = {.fastMemoryCapacity = read[kCapacity].integers[0],
                     .slowMemoryBandwidth = number(read[kBandwidth], 1e-100),
                     .nativeWidth = read[kNative].integers[0],
                     .nativeHeight = read[kNative].integers[1]};
  result.matMulCost = number(read[kMatMul], 0);
  result.pointwiseCost = number(read[kPointwise], 0);
  return result;
}

}  // namespace tilebeam::importer
