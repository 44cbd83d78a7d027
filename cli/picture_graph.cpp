#include "cli/picture_graph.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tilebeam::cli {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

bool contains(const std::vector<TensorId>& tensors, TensorId t) {
  return std::find(tensors.begin(), tensors.end(), t) != tensors.end();
}

// Node numbers by tensor.
using NodeOfTensor = std::vector<std::size_t>;

class ScheduleGraph {
 public:
  // `outside`: tensors that come from steps that are not shown.
  ScheduleGraph(const SchedulePicture& picture, const std::vector<TensorId>& outside)
      : picture_(picture),
        slow_(picture.problem.tensorCount(), kNone),
        made_(picture.problem.tensorCount(), kNone),
        carried_(picture.problem.tensorCount(), kNone) {
    for (std::size_t t = 0; t < slow_.size() && !picture.partial(); ++t) {
      const TensorId tensor = TensorId::fromIndex(t);
      if (picture.problem.isGraphInput(tensor)) slow_[t] = add({{}, tensor, {}});
    }
    for (const TensorId t : outside) slow_[t.index()] = add({{}, t, {}});
    for (std::size_t s = 0; s < picture.steps.size(); ++s) addStep(s);
  }

  PictureGraph graph() && { return std::move(graph_); }

  // What was taken without having been made. If there is any, the graph lacks its nodes.
  const std::vector<TensorId>& missing() const { return missing_; }

 private:
  std::size_t add(const PictureNode& node) {
    graph_.nodes.push_back(node);
    return graph_.nodes.size() - 1;
  }

  void addStep(std::size_t s) {
    const Step& step = picture_.schedule.steps[s];
    for (const OpId o : step.ops) addRun(s, o);
    // From here on the step's tensors are where it leaves them.
    for (const TensorId t : picture_.steps[s].resident) carried_[t.index()] = kNone;
    for (const OpId o : step.ops) {
      const std::size_t t = picture_.problem.op(o).output.index();
      const std::size_t node = std::exchange(made_[t], kNone);
      if (graph_.nodes[node].retained) carried_[t] = node;
      if (graph_.nodes[node].stored) slow_[t] = node;
    }
  }

  void addRun(std::size_t s, OpId o) {
    const Op& op = picture_.problem.op(o);
    const std::size_t run = add({o, {}, s});
    for (const TensorId t : op.inputs) {
      const std::size_t i = t.index();
      const bool carried = made_[i] == kNone && carried_[i] != kNone;
      const std::size_t from = made_[i] != kNone ? made_[i] : carried ? carried_[i] : slow_[i];
      if (from == kNone) {
        missing_.push_back(t);
        slow_[i] = run;  // once
        continue;
      }
      graph_.edges.push_back({from, run, carried});
    }
    const bool stored = contains(picture_.evaluation.steps[s].stored, op.output);
    const bool retained = contains(picture_.schedule.steps[s].retained, op.output);
    made_[op.output.index()] = add({{}, op.output, s, stored, retained});
    graph_.edges.push_back({run, made_[op.output.index()]});
  }

  const SchedulePicture& picture_;
  PictureGraph graph_;
  std::vector<TensorId> missing_;
  NodeOfTensor slow_;     // in slow memory, as the last step to store it made it
  NodeOfTensor made_;     // by the step at hand
  NodeOfTensor carried_;  // retained by the step before
};

}  // namespace

PictureGraph pictureGraph(const Problem& problem) {
  PictureGraph graph;
  NodeOfTensor nodes(problem.tensorCount(), kNone);
  const auto nodeOf = [&](TensorId t) {
    if (nodes[t.index()] == kNone) {
      nodes[t.index()] = graph.nodes.size();
      graph.nodes.push_back({{}, t, {}});
    }
    return nodes[t.index()];
  };
  const auto order = problem.graph().topologicalOrder();
  for (const OpId o : order.first(std::min(order.size(), kMostDrawnOps))) {
    for (const TensorId t : problem.op(o).inputs) nodeOf(t);
    const std::size_t run = graph.nodes.size();
    graph.nodes.push_back({o, {}, {}});
    for (const TensorId t : problem.op(o).inputs) graph.edges.push_back({nodeOf(t), run});
    graph.edges.push_back({run, nodeOf(problem.op(o).output)});
  }
  return graph;
}

PictureGraph pictureGraph(const SchedulePicture& picture) {
  ScheduleGraph graph(picture, {});
  if (graph.missing().empty()) return std::move(graph).graph();
  // They stand first, so that the nodes of a step are together.
  return ScheduleGraph(picture, graph.missing()).graph();
}

std::string nodeName(const PictureNode& node, std::size_t first) {
  const std::string prefix = node.step ? "s" + std::to_string(first + *node.step) + "_" : "";
  return prefix + (node.isOp() ? "op" + std::to_string(node.op.value())
                               : "t" + std::to_string(node.tensor.value()));
}

std::string shapeText(const Tensor& tensor) {
  return std::to_string(tensor.height) + "×" + std::to_string(tensor.width);
}

}  // namespace tilebeam::cli
