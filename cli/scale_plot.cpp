#include "cli/scale_plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/markup.h"
#include "cli/scale_report.h"
#include "cli/text_table.h"

namespace tilebeam::cli {
namespace {

constexpr double kWidth = 840;
constexpr double kHeight = 480;
constexpr double kLeft = 64;
constexpr double kRight = 320;  // room for the legend
constexpr double kTop = 48;
constexpr double kBottom = 56;

// Tell-apart for most colour-blind eyes, dark enough on white.
constexpr std::array<const char*, 6> kColours{"#0072b2", "#d55e00", "#009e73",
                                              "#aa4499", "#806000", "#444444"};

struct Point {
  double workers = 1;
  double speedup = 1;
};

struct Line {
  std::string label;
  std::vector<Point> points;
  std::string colour;
  bool dashed = false;
};

// One line per curve of the study. A setting's measured and projected curves share a colour.
std::vector<Line> linesOf(const ScaleStudy& study) {
  std::vector<Line> lines;
  const auto lineOf = [&](const ScaleSetting& setting, bool projected) -> Line& {
    const std::string text = settingText(setting);
    const std::string label =
        (projected ? "projected" : "measured") + (text.empty() ? "" : ": " + text);
    for (Line& line : lines) {
      if (line.label == label) return line;
    }
    lines.push_back({label, {}, "", projected});
    return lines.back();
  };
  for (const ScaleRow& row : study.rows) {
    // Speedups count from the fewest threads; where those are several, the curve begins on the
    // ideal.
    lineOf(row.setting, false).points.push_back({1.0 * row.threads, row.efficiency * row.threads});
  }
  std::size_t colour = 0;
  for (Line& line : lines) line.colour = kColours[colour++ % kColours.size()];
  colour = 0;
  for (const ScaleProjection& projection : study.projections) {
    Line& line = lineOf(projection.setting, true);
    line.colour = kColours[colour++ % kColours.size()];
    for (std::size_t i = 0; i < projection.workers.size(); ++i) {
      line.points.push_back({1.0 * projection.workers[i], projection.speedups[i]});
    }
  }
  return lines;
}

// Both axes double from tick to tick, from 1 to beyond the largest number.
class Plot {
 public:
  Plot(std::vector<Line> lines, const std::string& title) : lines_(std::move(lines)) {
    double most = 2;
    for (const Line& line : lines_) {
      for (const Point& p : line.points) most = std::max({most, p.workers, p.speedup});
    }
    doublings_ = static_cast<int>(std::ceil(std::log2(most) - 1e-9));
    drawFrame(title);
    drawIdeal();
    for (const Line& line : lines_) draw(line);
  }

  std::string svg() && { return std::move(svg_) + "</svg>\n"; }

 private:
  double x(double workers) const {
    return kLeft + (kWidth - kLeft - kRight) * std::log2(std::max(workers, 1.0)) / doublings_;
  }
  double y(double speedup) const {
    const double height = kHeight - kTop - kBottom;
    // A run that more threads slow down lies on the axis.
    return kHeight - kBottom - height * std::log2(std::max(speedup, 1.0)) / doublings_;
  }

  void text(double px, double py, const char* anchor, const std::string& content) {
    svg_ += "<text" + xmlAttribute("x", px) + xmlAttribute("y", py) + " text-anchor=\"" + anchor +
            "\">" + xmlEscaped(content) + "</text>\n";
  }

  void segment(double x1, double y1, double x2, double y2, const std::string& style) {
    svg_ += "<line" + xmlAttribute("x1", x1) + xmlAttribute("y1", y1) + xmlAttribute("x2", x2) +
            xmlAttribute("y2", y2) + " " + style + "/>\n";
  }

  void drawFrame(const std::string& title) {
    svg_ =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 840 480\" width=\"840\" "
        "height=\"480\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\">\n<title>" +
        xmlEscaped(title) + "</title>\n<rect width=\"840\" height=\"480\" fill=\"#ffffff\"/>\n";
    text(kLeft, kTop - 20, "start", title);
    for (int i = 0; i <= doublings_; ++i) {
      const double value = std::exp2(i);
      const std::string grid = "stroke=\"#dddddd\"";
      segment(x(value), y(1), x(value), kTop, grid);
      segment(kLeft, y(value), kWidth - kRight, y(value), grid);
      text(x(value), y(1) + 18, "middle", formatFixed(value, 0));
      text(kLeft - 8, y(value) + 4, "end", formatFixed(value, 0));
    }
    text((kLeft + kWidth - kRight) / 2, kHeight - 14, "middle", "threads");
    svg_ += "<text transform=\"translate(18 " + formatFixed((kTop + kHeight - kBottom) / 2, 1) +
            ") rotate(-90)\" text-anchor=\"middle\">speedup</text>\n";
  }

  void drawIdeal() {
    const std::string style = "stroke=\"#999999\"";
    segment(x(1), y(1), x(std::exp2(doublings_)), kTop, style);
    addLegend("ideal", style);
  }

  void draw(const Line& line) {
    const std::string style = "stroke=\"" + line.colour + "\" stroke-width=\"2\"" +
                              (line.dashed ? " stroke-dasharray=\"6 4\"" : "");
    svg_ += "<polyline fill=\"none\" " + style + " points=\"";
    for (const Point& p : line.points) {
      svg_ += formatFixed(x(p.workers), 1) + "," + formatFixed(y(p.speedup), 1) + " ";
    }
    svg_ += "\"/>\n";
    for (const Point& p : line.points) {
      svg_ += "<circle" + xmlAttribute("cx", x(p.workers)) + xmlAttribute("cy", y(p.speedup)) +
              " r=\"3.5\" fill=\"" + (line.dashed ? "#ffffff" : line.colour) + "\" stroke=\"" +
              line.colour + "\"><title>" + xmlEscaped(line.label) + ", " + formatNumber(p.workers) +
              " threads: " + formatFixed(p.speedup, 2) + "</title></circle>\n";
    }
    addLegend(line.label, style);
  }

  void addLegend(const std::string& label, const std::string& style) {
    const double px = kWidth - kRight + 16;
    const double py = kTop + 8 + 20 * legends_++;
    segment(px, py, px + 24, py, style);
    text(px + 30, py + 4, "start", label);
  }

  std::vector<Line> lines_;
  int doublings_ = 1;
  int legends_ = 0;
  std::string svg_;
};

}  // namespace

std::string scalePlot(const ScaleStudy& study, const std::string& title) {
  return Plot(linesOf(study), title).svg();
}

}  // namespace tilebeam::cli
