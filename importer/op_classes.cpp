#include "importer/op_classes.h"

#include <initializer_list>
#include <map>

namespace tilebeam::importer {
namespace {

using Table = std::map<std::string, OpClass>;

void add(Table& table, OpClass opClass, std::initializer_list<const char*> types) {
  for (const char* const type : types) table.emplace(type, opClass);
}

Table makeTable() {
  Table table;
  add(table, OpClass::kMatMul, {"MatMul"});
  add(table, OpClass::kGemm, {"Gemm"});
  add(table, OpClass::kConv, {"Conv"});
  add(table, OpClass::kElementwise,
      {"Abs",
       "Add",
       "And",
       "BatchNormalization",
       "BitShift",
       "Ceil",
       "Celu",
       "Clip",
       "Cos",
       "Div",
       "Elu",
       "Equal",
       "Erf",
       "Exp",
       "Floor",
       "Gelu",
       "Greater",
       "GreaterOrEqual",
       "HardSigmoid",
       "HardSwish",
       "IsInf",
       "IsNaN",
       "LeakyRelu",
       "Less",
       "LessOrEqual",
       "Log",
       "Max",
       "Mean",
       "Min",
       "Mish",
       "Mod",
       "Mul",
       "Neg",
       "Not",
       "Or",
       "PRelu",
       "Pow",
       "Reciprocal",
       "Relu",
       "Round",
       "Selu",
       "Sigmoid",
       "Sign",
       "Sin",
       "Softplus",
       "Softsign",
       "Sqrt",
       "Sub",
       "Sum",
       "Tan",
       "Tanh",
       "ThresholdedRelu",
       "Where",
       "Xor",
       "com.microsoft.Gelu",
       "com.microsoft.FastGelu",
       "com.microsoft.QuickGelu"});
  add(table, OpClass::kRowwise,
      {"Softmax", "LogSoftmax", "LayerNormalization", "LpNormalization",
       "SimplifiedLayerNormalization", "RMSNormalization"});
  add(table, OpClass::kReduction,
      {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2",
       "ReduceSumSquare", "ReduceLogSumExp"});
  add(table, OpClass::kRename, {"Identity", "Cast", "CastLike", "Dropout"});
  add(table, OpClass::kReshape, {"Reshape", "Flatten", "Squeeze", "Unsqueeze"});
  add(table, OpClass::kTranspose, {"Transpose"});
  add(table, OpClass::kSplit, {"Split"});
  add(table, OpClass::kMovement,
      {"Concat", "Slice", "Gather", "GatherElements", "GatherND", "Expand", "Tile", "Pad",
       "DepthToSpace", "SpaceToDepth"});
  return table;
}

}  // namespace

OpClass classify(const std::string& type) {
  static const Table table = makeTable();
  const auto found = table.find(type);
  return found == table.end() ? OpClass::kUnsupported : found->second;
}

}  // namespace tilebeam::importer
