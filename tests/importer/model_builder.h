// Writes ONNX models as exporters do, small ones.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tilebeam::test {

using Dims = std::vector<std::int64_t>;

// An attribute: an integer, a list, or a text.
using Attribute = std::variant<std::int64_t, Dims, std::string>;
using Attributes = std::map<std::string, Attribute>;

class ModelBuilder {
 public:
  explicit ModelBuilder(std::int64_t opset = 17);
  ~ModelBuilder();
  ModelBuilder(const ModelBuilder&) = delete;
  ModelBuilder& operator=(const ModelBuilder&) = delete;

  // Names as sizes leave dimensions open: {"batch", "16"}.
  std::string input(const std::string& name, const std::vector<std::string>& dims);
  std::string input(const std::string& name, const Dims& dims);
  // A weight whose content is in a file that nobody wrote: only shapes matter.
  std::string weight(const Dims& dims);
  std::string integers(const Dims& values);  // a constant list

  // Returns the output's name; the node is called after it.
  std::string node(const std::string& type, const std::vector<std::string>& inputs,
                   const Attributes& attributes = {});
  std::vector<std::string> node(const std::string& type, const std::vector<std::string>& inputs,
                                std::size_t outputs, const Attributes& attributes);

  void output(const std::string& name);

  std::string write() const;  // the file's content

 private:
  struct Proto;
  std::string fresh(const std::string& stem);

  std::unique_ptr<Proto> proto_;
  int count_ = 0;
};

// x @ W + b
std::string linear(ModelBuilder& m, const std::string& x, std::int64_t in, std::int64_t out);

struct BlockSizes {
  std::int64_t tokens = 0;
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t inner = 0;

  std::int64_t head() const { return width / heads; }
};

// How an exporter writes a normalisation.
enum class Norm { kOneNode, kDecomposed };

// A pre-norm transformer block on [1, tokens, width]: attention by heads, MLP with GELU, residuals.
std::string transformerBlock(ModelBuilder& m, const std::string& x, const BlockSizes& sizes,
                             Norm norm);

// Three layers with ReLU, by Gemm.
std::string mlpModel();
std::string transformerModel(const BlockSizes& sizes, Norm norm);
// Patches by Conv, a class token, two blocks, a classifier on the class token.
std::string visionTransformerModel();

}  // namespace tilebeam::test
