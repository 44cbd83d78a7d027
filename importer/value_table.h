// The values of a model while it is lowered: which tensors stand for them, in which layout.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "importer/layout.h"
#include "importer/movement.h"
#include "importer/problem_draft.h"

namespace tilebeam::importer {

class ValueTable {
 public:
  ValueTable(const Model& model, ProblemDraft& draft)
      : model_(model), draft_(draft), movement_(draft) {}

  const Model& model() const { return model_; }
  ProblemDraft& draft() { return draft_; }
  const std::vector<std::string>& copies() const { return copies_; }

  // Graph inputs, weights and copies are in slow memory, and can be had in any layout.
  bool isSource(const std::string& value) const { return !values_.contains(value); }

  // The value as it was computed. Not for sources.
  const Value& computed(const std::string& value) const { return values_.at(value); }
  void define(const std::string& name, Value value) { values_.emplace(name, std::move(value)); }

  // The tensors of a value in this layout, one per part, each of this matrix shape. Copied, with a
  // note that names `node`, if it was computed in another one. Throws InputError for statistics.
  std::vector<TensorId> get(const Node& node, const std::string& value, const Layout& layout,
                            const Tensor& matrix);
  std::vector<TensorId> get(const Node& node, const std::string& value, const Layout& layout);

  // One of rows x columns blocks of a source.
  TensorId block(const std::string& value, const Tensor& matrix, std::int64_t row,
                 std::int64_t column);

  // Copies of a value: the other way round, and repeated to the shape of another value.
  TensorId transposed(const Node& node, const std::string& value, const Tensor& matrix);
  std::vector<TensorId> spread(const Node& node, const std::string& value, const Layout& layout,
                               const Tensor& matrix);

  // The output of a node that rearranges its inputs: a source from now on, in any layout. `layout`
  // is that of the output in which each part is made of the same part of the node's first input,
  // the only one; without it, all is made of all.
  void defineCopy(const Node& node, const std::string& output,
                  const std::optional<Layout>& layout = std::nullopt);

  // The output is a source as the input is: the same elements under another name. As for copies,
  // `layout` is where its parts end up.
  void defineSource(const std::string& output, const std::string& input,
                    const std::optional<Layout>& layout);

  // The layout in which a value's parts are known: of what was computed, or what a source was made
  // of.
  Layout knownLayout(const std::string& value) const;

 private:
  // What a source was made of, if it was not there from the start: tensors by part.
  struct Ancestry {
    Layout layout;
    std::vector<std::vector<TensorId>> parts;
    Origin origin;

    std::vector<TensorId> all() const;
  };

  using Key = std::tuple<std::string, Layout, std::int64_t, std::int64_t>;
  std::vector<TensorId> copy(const Node& node, const std::string& value, const std::string& how,
                             const Layout& layout, const Tensor& matrix);
  std::vector<TensorId> fresh(const std::string& name, const Layout& layout, const Tensor& matrix,
                              const Ancestry& ancestry);
  TensorId made(const Ancestry& ancestry, const Layout& layout, std::size_t part,
                const Tensor& matrix);
  Ancestry ancestryOf(const std::string& value) const;

  const Model& model_;
  ProblemDraft& draft_;
  Movement movement_;
  std::map<std::string, Value> values_;
  std::map<std::string, Ancestry> ancestries_;
  std::map<Key, std::vector<TensorId>> fresh_;
  std::map<std::tuple<Key, std::int64_t, std::int64_t>, TensorId> blocks_;
  std::vector<std::string> copies_;
};

}  // namespace tilebeam::importer
