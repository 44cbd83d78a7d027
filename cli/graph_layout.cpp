#include "cli/graph_layout.h"

#include <algorithm>
#include <cmath>

namespace tilebeam::cli {
namespace {

using Row = std::vector<std::size_t>;  // boxes from left to right

class LayeredLayout {
 public:
  LayeredLayout(const std::vector<LayoutSize>& boxes,
                const std::vector<std::pair<std::size_t, std::size_t>>& edges,
                const LayoutSpacing& spacing)
      : boxes_(boxes), spacing_(spacing), before_(boxes.size()), centres_(boxes.size(), 0) {
    for (const auto& [from, to] : edges) before_[to].push_back(from);
    layout_.corners.resize(boxes.size());
    makeRows();
    for (Row& row : rows_) placeAcross(row);
    placeDown();
  }

  Layout result() && { return std::move(layout_); }

 private:
  double widthOf(const Row& row) const {
    double width = 0;
    for (const std::size_t b : row) width += boxes_[b].width + spacing_.across;
    return width - spacing_.across;
  }

  double heightOf(const Row& row) const {
    double height = 0;
    for (const std::size_t b : row) height = std::max(height, boxes_[b].height);
    return height;
  }

  // By the longest way to each box; what is too long for the wanted shape is broken.
  void makeRows() {
    std::vector<std::size_t> rank(boxes_.size(), 0);
    std::vector<Row> layers;
    for (std::size_t b = 0; b < boxes_.size(); ++b) {
      for (const std::size_t from : before_[b]) rank[b] = std::max(rank[b], rank[from] + 1);
      if (rank[b] >= layers.size()) layers.resize(rank[b] + 1);
      layers[rank[b]].push_back(b);
    }
    const double limit = rowLimit();
    for (const Row& layer : layers) {
      double width = 0;
      for (std::size_t i = 0; i < layer.size(); ++i) {
        width += boxes_[layer[i]].width + spacing_.across;
        if (i == 0 || width > limit) {
          rows_.emplace_back();
          width = boxes_[layer[i]].width + spacing_.across;
        }
        rows_.back().push_back(layer[i]);
      }
    }
  }

  double rowLimit() const {
    if (spacing_.aspect <= 0) return HUGE_VAL;
    double area = 0;
    double widest = 0;
    for (const LayoutSize& box : boxes_) {
      area += (box.width + spacing_.across) * (box.height + spacing_.down);
      widest = std::max(widest, box.width + spacing_.across);
    }
    return std::max(4 * widest, std::sqrt(area * spacing_.aspect));
  }

  // Each box below the middle of what leads to it, as far as its neighbours allow.
  void placeAcross(Row& row) {
    std::vector<double> wanted(boxes_.size() > 0 ? row.size() : 0, 0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      for (const std::size_t from : before_[row[i]]) wanted[i] += centres_[from];
      if (!before_[row[i]].empty()) wanted[i] /= static_cast<double>(before_[row[i]].size());
      centres_[row[i]] = wanted[i];
    }
    std::stable_sort(row.begin(), row.end(),
                     [&](std::size_t a, std::size_t b) { return centres_[a] < centres_[b]; });
    double left = -HUGE_VAL;
    double shift = 0;
    for (const std::size_t b : row) {
      const double centre = std::max(centres_[b], left + boxes_[b].width / 2);
      shift += centre - centres_[b];
      centres_[b] = centre;
      left = centre + boxes_[b].width / 2 + spacing_.across;
    }
    shift /= static_cast<double>(row.size());
    for (const std::size_t b : row) centres_[b] -= shift;
  }

  double leftOf(std::size_t box) const { return centres_[box] - boxes_[box].width / 2; }

  // Stacks the rows, in as many columns as the wanted shape asks for.
  void placeDown() {
    double height = 0;
    double width = 0;
    for (const Row& row : rows_) {
      height += heightOf(row) + spacing_.down;
      width = std::max(width, widthOf(row) + 3 * spacing_.across);
    }
    double columns = 1;
    if (spacing_.aspect > 0 && width > 0) {
      columns = std::max(1.0, std::round(std::sqrt(spacing_.aspect * height / width)));
    }
    const double columnHeight = height / columns;
    double left = 0;
    for (std::size_t first = 0; first < rows_.size();) {
      std::size_t last = first;
      double filled = 0;
      while (last < rows_.size() && (last == first || filled < columnHeight - 1e-6)) {
        filled += heightOf(rows_[last++]) + spacing_.down;
      }
      left = placeColumn(first, last, left) + 3 * spacing_.across;
      first = last;
    }
  }

  // The rows from `first` to before `last`, at `left`. Returns where the column ends.
  double placeColumn(std::size_t first, std::size_t last, double left) {
    double least = HUGE_VAL;
    for (std::size_t r = first; r < last; ++r) least = std::min(least, leftOf(rows_[r].front()));
    double top = 0;
    double right = left;
    for (std::size_t r = first; r < last; ++r) {
      for (const std::size_t b : rows_[r]) {
        layout_.corners[b] = {left + leftOf(b) - least, top};
        right = std::max(right, layout_.corners[b].x + boxes_[b].width);
      }
      top += heightOf(rows_[r]);
      layout_.size.height = std::max(layout_.size.height, top);
      top += spacing_.down;
    }
    layout_.size.width = std::max(layout_.size.width, right);
    return right;
  }

  const std::vector<LayoutSize>& boxes_;
  LayoutSpacing spacing_;
  std::vector<std::vector<std::size_t>> before_;
  std::vector<double> centres_;
  std::vector<Row> rows_;
  Layout layout_;
};

}  // namespace

Layout layeredLayout(const std::vector<LayoutSize>& boxes,
                     const std::vector<std::pair<std::size_t, std::size_t>>& edges,
                     const LayoutSpacing& spacing) {
  return LayeredLayout(boxes, edges, spacing).result();
}

}  // namespace tilebeam::cli
