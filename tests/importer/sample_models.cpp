// The models of model_builder.h's end, as PyTorch's exporter writes them.
#include "importer/model_builder.h"

namespace tilebeam::test {
namespace {

std::string decomposedNorm(ModelBuilder& m, const std::string& x, std::int64_t width) {
  const std::string mean = m.node("ReduceMean", {x}, {{"axes", Dims{-1}}});
  const std::string centred = m.node("Sub", {x, mean});
  const std::string squared = m.node("Pow", {centred, m.weight({})});
  const std::string variance = m.node("ReduceMean", {squared}, {{"axes", Dims{-1}}});
  const std::string deviation = m.node("Sqrt", {m.node("Add", {variance, m.weight({})})});
  const std::string scaled =
      m.node("Mul", {m.node("Div", {centred, deviation}), m.weight({width})});
  return m.node("Add", {scaled, m.weight({width})});
}

std::string normalise(ModelBuilder& m, const std::string& x, std::int64_t width, Norm norm) {
  if (norm == Norm::kDecomposed) return decomposedNorm(m, x, width);
  return m.node("LayerNormalization", {x, m.weight({width}), m.weight({width})},
                {{"axis", std::int64_t{-1}}});
}

// [1, tokens, width] to [1, heads, tokens, head], or its last two axes the other way round.
std::string toHeads(ModelBuilder& m, const std::string& x, const BlockSizes& s, bool turned) {
  const std::string split = m.node("Reshape", {x, m.integers({1, s.tokens, s.heads, s.head()})});
  return m.node("Transpose", {split}, {{"perm", turned ? Dims{0, 2, 3, 1} : Dims{0, 2, 1, 3}}});
}

std::string attention(ModelBuilder& m, const std::string& x, const BlockSizes& s) {
  const std::string q = toHeads(m, linear(m, x, s.width, s.width), s, false);
  const std::string k = toHeads(m, linear(m, x, s.width, s.width), s, true);
  const std::string v = toHeads(m, linear(m, x, s.width, s.width), s, false);
  const std::string scores = m.node("Div", {m.node("MatMul", {q, k}), m.weight({})});
  const std::string weights = m.node("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
  const std::string heads = m.node("MatMul", {weights, v});
  const std::string joined = m.node("Transpose", {heads}, {{"perm", Dims{0, 2, 1, 3}}});
  const std::string merged = m.node("Reshape", {joined, m.integers({1, s.tokens, s.width})});
  return linear(m, merged, s.width, s.width);
}

// GELU as it is written where no op of that name exists.
std::string gelu(ModelBuilder& m, const std::string& x) {
  const std::string erf = m.node("Erf", {m.node("Div", {x, m.weight({})})});
  const std::string product = m.node("Mul", {x, m.node("Add", {erf, m.weight({})})});
  return m.node("Mul", {product, m.weight({})});
}

}  // namespace

std::string linear(ModelBuilder& m, const std::string& x, std::int64_t in, std::int64_t out) {
  return m.node("Add", {m.weight({out}), m.node("MatMul", {x, m.weight({in, out})})});
}

std::string transformerBlock(ModelBuilder& m, const std::string& x, const BlockSizes& sizes,
                             Norm norm) {
  const std::string attended = attention(m, normalise(m, x, sizes.width, norm), sizes);
  const std::string middle = m.node("Add", {x, attended});
  const std::string up =
      linear(m, normalise(m, middle, sizes.width, norm), sizes.width, sizes.inner);
  return m.node("Add", {middle, linear(m, gelu(m, up), sizes.inner, sizes.width)});
}

std::string mlpModel() {
  ModelBuilder m;
  std::string x = m.input("x", std::vector<std::string>{"batch", "784"});
  std::int64_t width = 784;
  for (const std::int64_t next : {512, 256, 10}) {
    x = m.node("Gemm", {x, m.weight({next, width}), m.weight({next})},
               {{"transB", std::int64_t{1}}});
    if (next != 10) x = m.node("Relu", {x});
    width = next;
  }
  m.output(x);
  return m.write();
}

std::string transformerModel(const BlockSizes& sizes, Norm norm) {
  ModelBuilder m;
  const std::string x = m.input("x", Dims{1, sizes.tokens, sizes.width});
  m.output(transformerBlock(m, x, sizes, norm));
  return m.write();
}

std::string visionTransformerModel() {
  const BlockSizes sizes{.tokens = 17, .width = 64, .heads = 4, .inner = 256};
  ModelBuilder m;
  const std::string image = m.input("image", Dims{1, 3, 32, 32});
  const std::string patches =
      m.node("Conv", {image, m.weight({64, 3, 8, 8}), m.weight({64})},
             {{"kernel_shape", Dims{8, 8}}, {"strides", Dims{8, 8}}, {"pads", Dims{0, 0, 0, 0}}});
  const std::string flat = m.node("Reshape", {patches, m.integers({1, 64, 16})});
  const std::string tokens = m.node("Transpose", {flat}, {{"perm", Dims{0, 2, 1}}});
  const std::string all =
      m.node("Concat", {m.weight({1, 1, 64}), tokens}, {{"axis", std::int64_t{1}}});
  std::string x = m.node("Add", {all, m.weight({1, 17, 64})});
  for (int block = 0; block < 2; ++block) x = transformerBlock(m, x, sizes, Norm::kOneNode);
  const std::string first = m.node("Gather", {x, m.integers({0})}, {{"axis", std::int64_t{1}}});
  const std::string row = m.node("Reshape", {first, m.integers({1, 64})});
  m.output(linear(m, row, 64, 10));
  return m.write();
}

}  // namespace tilebeam::test
