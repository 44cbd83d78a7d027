#include <algorithm>
#include <cmath>
#include <functional>

#include "cli/markup.h"
#include "cli/renderers.h"
#include "cli/text_table.h"

namespace tilebeam::cli {
namespace {

constexpr double kWidth = 1000;
constexpr double kHeight = 450;
constexpr double kLeft = 104;
constexpr double kRight = 976;

struct Row {
  double top;
  double bottom;
};
constexpr Row kStepRow{96, 136};
constexpr Row kComputeRow{146, 170};
constexpr Row kMemoryRow{180, 204};
constexpr Row kOccupancy{236, 396};

const char* const kStyle = R"(<style>
svg { --ink: #1b1f24; --faint: #d5dae0; --paper: #ffffff; --compute: #0072b2; --memory: #d55e00;
  --peak: #9db4c8; --resident: #009e73; --limit: #b00020; font: 12px sans-serif; }
@media (prefers-color-scheme: dark) {
  svg { --ink: #e6e9ed; --faint: #3a424c; --paper: #14181d; --compute: #56b4e9; --memory: #f0a04b;
    --peak: #5d7488; --resident: #2fc49a; --limit: #ff6b7d; } }
text { fill: var(--ink); } .title { font-size: 18px; font-weight: bold; }
.paper { fill: var(--paper); } .compute { fill: var(--compute); } .memory { fill: var(--memory); }
.peak { fill: var(--peak); } .resident { fill: var(--resident); }
.step { stroke: var(--paper); stroke-width: 0.5; } .on { fill: var(--paper); }
.grid { stroke: var(--faint); } .axis { stroke: var(--ink); }
.limit { stroke: var(--limit); stroke-width: 1.5; stroke-dasharray: 6 4; }
</style>
)";

// Round numbers from 0 to `most`, five or so.
std::vector<double> ticks(double most) {
  if (!(most > 0)) return {0};
  const double decade = std::pow(10, std::floor(std::log10(most / 5)));
  const double ratio = most / 5 / decade;
  const double step = decade * (ratio > 5 ? 10 : ratio > 2 ? 5 : ratio > 1 ? 2 : 1);
  std::vector<double> values;
  for (int i = 0; i * step <= most * (1 + 1e-9); ++i) values.push_back(i * step);
  return values;
}

class Figure {
 public:
  explicit Figure(const SchedulePicture& picture) : picture_(picture) {
    const auto capacity = static_cast<double>(picture.problem.hardware().fastMemoryCapacity);
    most_ = std::max(capacity, static_cast<double>(picture.totals.peak));
    open();
    drawLegend();
    drawAxes();
    drawSteps();
    drawShares("compute", kComputeRow, [](const StepReport& r) { return r.account.computeTime; });
    drawShares("memory", kMemoryRow, [](const StepReport& r) { return r.account.memoryTime; });
    drawOccupancy();
    line(kLeft, elementsY(capacity), kRight, elementsY(capacity), "limit");
  }

  std::string svg() && { return std::move(svg_) + "</svg>\n"; }

 private:
  double x(double time) const {
    const double total = picture_.latency;
    return total > 0 ? kLeft + (kRight - kLeft) * (time / total) : kLeft;
  }
  double endOf(std::size_t s) const {
    return x(s + 1 < picture_.steps.size() ? picture_.steps[s + 1].start : picture_.latency);
  }
  double widthOf(std::size_t s) const { return endOf(s) - x(picture_.steps[s].start); }
  double elementsY(double elements) const {
    return kOccupancy.bottom - (kOccupancy.bottom - kOccupancy.top) * elements / most_;
  }

  void open() {
    const std::string title = "Schedule of " + picture_.title;
    svg_ =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1000 450\" width=\"1000\" "
        "height=\"450\" role=\"img\">\n<title>" +
        xmlEscaped(title) + "</title>\n" + kStyle;
    rectangle(0, 0, kWidth, kHeight, "paper");
    svg_ += "<text class=\"title\" x=\"24\" y=\"34\">" + xmlEscaped(title) + "</text>\n";
    text(24, 56, "start", pictureSummary(picture_));
  }

  void text(double px, double py, const char* anchor, const std::string& content,
            const std::string& kind = "") {
    svg_ += "<text" + (kind.empty() ? "" : " class=\"" + kind + "\"") + xmlAttribute("x", px) +
            xmlAttribute("y", py) + " text-anchor=\"" + anchor + "\">" + xmlEscaped(content) +
            "</text>\n";
  }

  void line(double x1, double y1, double x2, double y2, const char* kind) {
    svg_ += std::string("<line class=\"") + kind + "\"" + xmlAttribute("x1", x1) +
            xmlAttribute("y1", y1) + xmlAttribute("x2", x2) + xmlAttribute("y2", y2) + "/>\n";
  }

  void rectangle(double left, double top, double width, double height, const std::string& kind,
                 const std::string& tooltip = "") {
    svg_ += "<rect class=\"" + kind + "\" x=\"" + formatFixed(left, 2) + "\"" +
            xmlAttribute("y", top) + " width=\"" + formatFixed(width, 2) + "\"" +
            xmlAttribute("height", height) +
            (tooltip.empty() ? "/>\n" : "><title>" + xmlEscaped(tooltip) + "</title></rect>\n");
  }

  void drawLegend() {
    double px = kLeft;
    const auto add = [&](const char* kind, const char* label, double width) {
      rectangle(px, 72, 12, 12, kind);
      text(px + 18, 82, "start", label);
      px += width;
    };
    add("compute", "compute-bound step, compute time", 254);
    add("memory", "memory-bound step, memory time", 250);
    add("peak", "peak", 72);
    add("resident", "retained by the step before", 206);
    line(px, 78, px + 24, 78, "limit");
    text(px + 30, 82, "start", "capacity");
  }

  void drawAxes() {
    for (const double value : ticks(most_)) {
      line(kLeft, elementsY(value), kRight, elementsY(value), "grid");
      text(kLeft - 8, elementsY(value) + 4, "end", formatNumber(value));
    }
    for (const double value : ticks(picture_.latency)) {
      line(x(value), kStepRow.top, x(value), kOccupancy.bottom, "grid");
      text(x(value), kOccupancy.bottom + 18, "middle", formatNumber(picture_.begin + value));
    }
    line(kLeft, kOccupancy.bottom, kRight, kOccupancy.bottom, "axis");
    text((kLeft + kRight) / 2, kOccupancy.bottom + 40, "middle",
         "time, in units of the cost model");
    text(kLeft - 8, (kStepRow.top + kStepRow.bottom) / 2 + 4, "end", "steps");
    text(kLeft - 8, kComputeRow.bottom - 8, "end", "compute");
    text(kLeft - 8, kMemoryRow.bottom - 8, "end", "memory");
    text(kLeft, kOccupancy.top - 8, "start", "fast memory, elements");
  }

  // Steps too narrow to tell apart are drawn as one where the same thing bounds them, and in any
  // case below half a pixel; so the number of rectangles has a limit.
  void drawSteps() {
    // Below all, so that nothing shines through where colours meet.
    rectangle(kLeft, kStepRow.top, kRight - kLeft, kStepRow.bottom - kStepRow.top, "compute");
    for (std::size_t s = 0; s < picture_.steps.size();) {
      const std::size_t next = endOfGroup(s);
      drawGroup(s, next - 1);
      s = next;
    }
  }

  bool computeBound(std::size_t s) const { return picture_.evaluation.steps[s].computeBound(); }

  std::size_t endOfGroup(std::size_t first) const {
    constexpr double kNarrow = 1.5;
    constexpr double kInvisible = 0.5;
    const double left = x(picture_.steps[first].start);
    bool uniform = true;
    std::size_t next = first + 1;
    for (; next < picture_.steps.size(); ++next) {
      if (widthOf(next - 1) >= kNarrow || widthOf(next) >= kNarrow) break;
      uniform = uniform && computeBound(next) == computeBound(first);
      if (!uniform && endOf(next) - left >= kInvisible) break;
    }
    return next;
  }

  // Of several steps, coloured by what bounds most of their time.
  void drawGroup(std::size_t first, std::size_t last) {
    constexpr double kOutlined = 6;
    double balance = 0;
    bool uniform = true;
    for (std::size_t s = first; s <= last; ++s) {
      balance += computeBound(s) ? widthOf(s) : -widthOf(s);
      uniform = uniform && computeBound(s) == computeBound(first);
    }
    const bool compute = uniform ? computeBound(first) : balance >= 0;
    const std::string bound = compute ? "compute" : "memory";
    const std::string number = std::to_string(picture_.first + first);
    const double left = x(picture_.steps[first].start);
    const double width = endOf(last) - left;
    const std::string tooltip =
        first == last
            ? "step " + number + ": latency " +
                  formatNumber(picture_.evaluation.steps[first].account.cost.latency) + ", " +
                  bound + "-bound, ops " + formatIds(picture_.schedule.steps[first].ops)
            : "steps " + number + " to " + std::to_string(picture_.first + last) + ": " +
                  (uniform ? "" : "mostly ") + bound + "-bound";
    rectangle(left, kStepRow.top, width, kStepRow.bottom - kStepRow.top,
              bound + (first == last && width > kOutlined ? " step" : ""), tooltip);
    if (first != last || width < 8.0 * static_cast<double>(number.size()) + 6) return;
    text(left + width / 2, (kStepRow.top + kStepRow.bottom) / 2 + 4, "middle", number, "on");
  }

  // One outline over all steps, each as high as `topOf` says. Those that share a quarter of a pixel
  // are as high as the highest.
  void drawOutline(const char* kind, double bottom,
                   const std::function<double(std::size_t)>& topOf) {
    constexpr double kStride = 0.25;
    svg_ += std::string("<path class=\"") + kind + "\" d=\"M" + formatFixed(kLeft, 2) + " " +
            formatFixed(bottom, 1);
    double drawn = kLeft;
    double top = bottom;
    for (std::size_t s = 0; s < picture_.steps.size(); ++s) {
      top = std::min(top, topOf(s));
      if (endOf(s) - drawn < kStride && s + 1 < picture_.steps.size()) continue;
      drawn = endOf(s);
      svg_ += "V" + formatFixed(top, 1) + "H" + formatFixed(drawn, 2);
      top = bottom;
    }
    svg_ += "V" + formatFixed(bottom, 1) + "Z\"/>\n";
  }

  // The part of each step's time that `timeOf` takes.
  void drawShares(const char* kind, Row row,
                  const std::function<double(const StepReport&)>& timeOf) {
    drawOutline(kind, row.bottom, [&](std::size_t s) {
      const StepReport& report = picture_.evaluation.steps[s];
      const double latency = report.account.cost.latency;
      const double share = latency > 0 ? std::min(1.0, timeOf(report) / latency) : 0;
      return row.bottom - (row.bottom - row.top) * share;
    });
  }

  void drawOccupancy() {
    drawOutline("peak", kOccupancy.bottom, [&](std::size_t s) {
      return elementsY(
          static_cast<double>(picture_.evaluation.steps[s].account.cost.peakFastMemory));
    });
    drawOutline("resident", kOccupancy.bottom, [&](std::size_t s) {
      return elementsY(static_cast<double>(picture_.steps[s].residentElements));
    });
  }

  const SchedulePicture& picture_;
  double most_ = 1;
  std::string svg_;
};

}  // namespace

std::string renderSvg(const SchedulePicture& picture) { return Figure(picture).svg(); }

}  // namespace tilebeam::cli
