#include "cli/page_graph.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "cli/graph_layout.h"
#include "cli/picture_graph.h"

namespace tilebeam::cli {
namespace {

constexpr std::size_t kMaxRuns = 20'000;  // browsers slow down beyond

constexpr double kRunHeight = 20;
constexpr double kPadding = 8;
constexpr double kTitleHeight = 16;
constexpr LayoutSpacing kInsideSteps{8, 12, 1.5};
constexpr LayoutSpacing kBetweenSteps{24, 30, 1.9};

double textWidth(std::size_t number) {
  return 7.0 * static_cast<double>(std::to_string(number).size());
}

struct Run {
  std::size_t step;
  OpId op;
  LayoutSize size;
  LayoutPoint corner;  // first within the step, then on the page
};

struct RunEdge {
  std::size_t from;
  std::size_t to;
  TensorId tensor;
  bool retained;
};

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

class PlacedGraph {
 public:
  explicit PlacedGraph(const SchedulePicture& picture) : first_(picture.first) {
    takeRuns(pictureGraph(picture), picture.steps.size());
    for (std::size_t s = 0; s < boxes_.size(); ++s) placeInside(s);
    placeBoxes();
  }

  Json json() const {
    Json boxes = Json::array();
    for (std::size_t s = 0; s < boxes_.size(); ++s) {
      boxes.push_back(rectangle(layout_.corners[s], boxes_[s]));
    }
    Json runs = Json::array();
    for (const Run& run : runs_) {
      Json row = Json::array({run.step, run.op.value()});
      for (const Json& number : rectangle(run.corner, run.size)) row.push_back(number);
      runs.push_back(std::move(row));
    }
    Json edges = Json::array();
    for (const RunEdge& edge : edges_) {
      edges.push_back(
          Json::array({edge.from, edge.to, edge.tensor.value(), edge.retained ? 1 : 0}));
    }
    return {{"width", rounded(layout_.size.width)},
            {"height", rounded(layout_.size.height)},
            {"boxes", std::move(boxes)},
            {"runs", std::move(runs)},
            {"edges", std::move(edges)}};
  }

 private:
  static Json rounded(double value) { return jsonNumber(std::round(value * 10) / 10); }
  static Json rectangle(const LayoutPoint& corner, const LayoutSize& size) {
    return Json::array(
        {rounded(corner.x), rounded(corner.y), rounded(size.width), rounded(size.height)});
  }

  // Tensors become edges, from the run that makes one to those that take it.
  void takeRuns(const PictureGraph& graph, std::size_t steps) {
    std::vector<std::size_t> runOf(graph.nodes.size());  // the maker's, for a tensor
    std::vector<bool> made(graph.nodes.size(), false);
    firstRun_.assign(steps + 1, 0);
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      const PictureNode& node = graph.nodes[n];
      if (!node.isOp()) continue;
      runOf[n] = runs_.size();
      const double width = 18 + textWidth(node.op.index());
      runs_.push_back({*node.step, node.op, {width, kRunHeight}, {}});
      firstRun_[*node.step + 1] = runs_.size();
    }
    for (const PictureEdge& edge : graph.edges) {
      const PictureNode& from = graph.nodes[edge.from];
      if (from.isOp()) {
        runOf[edge.to] = runOf[edge.from];
        made[edge.to] = true;
      } else if (made[edge.from]) {
        edges_.push_back({runOf[edge.from], runOf[edge.to], from.tensor, edge.retained});
      }
    }
    boxes_.resize(steps);
  }

  void placeInside(std::size_t s) {
    const std::size_t first = firstRun_[s];
    std::vector<LayoutSize> sizes;
    for (std::size_t r = first; r < firstRun_[s + 1]; ++r) sizes.push_back(runs_[r].size);
    Pairs inside;
    for (; nextEdge_ < edges_.size() && runs_[edges_[nextEdge_].to].step == s; ++nextEdge_) {
      const RunEdge& edge = edges_[nextEdge_];
      if (runs_[edge.from].step == s) inside.emplace_back(edge.from - first, edge.to - first);
    }
    const Layout layout = layeredLayout(sizes, inside, kInsideSteps);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      runs_[first + i].corner = {layout.corners[i].x + kPadding,
                                 layout.corners[i].y + kTitleHeight + kPadding};
    }
    const double titleWidth = 36 + textWidth(first_ + s);
    boxes_[s] = {std::max(layout.size.width, titleWidth) + 2 * kPadding,
                 layout.size.height + kTitleHeight + 2 * kPadding};
  }

  void placeBoxes() {
    std::set<std::pair<std::size_t, std::size_t>> between;
    for (const RunEdge& edge : edges_) {
      const std::size_t from = runs_[edge.from].step;
      const std::size_t to = runs_[edge.to].step;
      if (from != to) between.emplace(from, to);
    }
    layout_ = layeredLayout(boxes_, Pairs(between.begin(), between.end()), kBetweenSteps);
    for (Run& run : runs_) {
      run.corner.x += layout_.corners[run.step].x;
      run.corner.y += layout_.corners[run.step].y;
    }
  }

  std::size_t first_;                  // the number of the first step
  std::vector<Run> runs_;              // by step
  std::vector<std::size_t> firstRun_;  // of each step, and one past the last
  std::vector<RunEdge> edges_;         // by the step they lead to
  std::size_t nextEdge_ = 0;
  std::vector<LayoutSize> boxes_;
  Layout layout_;
};

}  // namespace

Json pageGraph(const SchedulePicture& picture) {
  std::size_t runs = 0;
  for (const Step& step : picture.schedule.steps) runs += step.ops.size();
  if (runs > kMaxRuns) return nullptr;
  return PlacedGraph(picture).json();
}

}  // namespace tilebeam::cli
