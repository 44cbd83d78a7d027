// The graph in the two languages that draw graphs from text. They differ in their punctuation
// alone.
#include <algorithm>

#include "cli/joined.h"
#include "cli/markup.h"
#include "cli/renderers.h"
#include "cli/text_table.h"
#include "cli/utf8.h"

namespace tilebeam::cli {
namespace {

PictureGraph graphOf(const Problem& problem, const SchedulePicture* picture) {
  return picture != nullptr ? pictureGraph(*picture) : pictureGraph(problem);
}

// Lines of a node's label.
std::vector<std::string> labelOf(const Problem& problem, const PictureNode& node) {
  if (node.isOp()) {
    const Op& op = problem.op(node.op);
    return {"op " + std::to_string(node.op.value()), name(op.type),
            "base " + formatNumber(op.baseCost)};
  }
  std::vector<std::string> lines{"t" + std::to_string(node.tensor.value()),
                                 shapeText(problem.tensor(node.tensor))};
  if (node.retained) lines.push_back("retained");
  if (node.stored) lines.push_back("stored");
  return lines;
}

// How a node looks; the names are classes in Mermaid.
const char* classOf(const Problem& problem, const PictureNode& node) {
  if (node.isOp()) return problem.op(node.op).isMatMul() ? "matmul" : "pointwise";
  if (node.retained) return "retained";
  if (node.step && !node.stored) return "ephemeral";
  return "tensor";
}

std::string stepLabel(const SchedulePicture& picture, std::size_t s) {
  const StepReport& report = picture.evaluation.steps[s];
  const Granularity& g = picture.schedule.steps[s].granularity;
  return "step " + std::to_string(picture.first + s) + ": " +
         formatNumber(report.account.cost.latency) + ", " + boundBy(report) + "-bound, tile " +
         std::to_string(g.width) + "," + std::to_string(g.height) + "," + std::to_string(g.depth);
}

// Calls `open(step)` and `close()` around the nodes of each step. Those of a step are together.
template <class Open, class Node, class Close>
void forEachNode(const PictureGraph& graph, Open open, Node visit, Close close) {
  std::optional<std::size_t> current;
  for (const PictureNode& node : graph.nodes) {
    if (node.step != current) {
      if (current) close();
      if (node.step) open(*node.step);
      current = node.step;
    }
    visit(node);
  }
  if (current) close();
}

std::string dotStyle(const std::string& kind) {
  if (kind == "matmul") return "shape=box, style=filled, fillcolor=\"#cfe3f5\"";
  if (kind == "pointwise") return "shape=box, style=\"filled,rounded\", fillcolor=\"#e8e8e8\"";
  if (kind == "retained") return "shape=ellipse, penwidth=2.5, color=\"#009e73\"";
  if (kind == "ephemeral") return "shape=ellipse, style=dashed";
  return "shape=ellipse";
}

std::string dotQuoted(const std::string& text) {
  return "\"" + replacedAll(replacedAll(printable(text), "\\", "\\\\"), "\"", "\\\"") + "\"";
}

std::string mermaidQuoted(const std::string& text) {
  std::string safe = replacedAll(printable(text), "#", "#35;");
  for (const auto& [from, to] : {std::pair{"\"", "#quot;"}, {"<", "#lt;"}, {">", "#gt;"}}) {
    safe = replacedAll(std::move(safe), from, to);
  }
  return "\"" + safe + "\"";
}

const char* const kMermaidClasses =
    "  classDef matmul fill:#cfe3f5,stroke:#333,color:#111\n"
    "  classDef pointwise fill:#e8e8e8,stroke:#333,color:#111\n"
    "  classDef tensor fill:#fff,stroke:#333,color:#111\n"
    "  classDef ephemeral fill:#fff,stroke:#333,color:#111,stroke-dasharray:4 3\n"
    "  classDef retained fill:#fff,stroke:#009e73,color:#111,stroke-width:3px\n";

}  // namespace

std::string renderDot(const std::string& title, const Problem& problem,
                      const SchedulePicture* picture) {
  const PictureGraph graph = graphOf(problem, picture);
  const std::size_t first = picture != nullptr ? picture->first : 0;
  std::string text = "digraph tilebeam {\n  graph [label=" + dotQuoted(title) +
                     ", labelloc=t, fontname=\"sans-serif\"];\n"
                     "  node [fontname=\"sans-serif\", fontsize=10, margin=\"0.08,0.04\"];\n"
                     "  edge [fontname=\"sans-serif\", fontsize=9];\n";
  std::string indent = "  ";
  forEachNode(
      graph,
      [&](std::size_t s) {
        text += "  subgraph cluster_" + std::to_string(picture->first + s) +
                " {\n    label=" + dotQuoted(stepLabel(*picture, s)) + ";\n    color=" +
                (picture->evaluation.steps[s].computeBound() ? "\"#0072b2\"" : "\"#d55e00\"") +
                ";\n";
        indent = "    ";
      },
      [&](const PictureNode& node) {
        text += indent + nodeName(node, first) + " [label=\"" +
                joined(labelOf(problem, node), "\\n") + "\", " + dotStyle(classOf(problem, node)) +
                "];\n";
      },
      [&] {
        text += "  }\n";
        indent = "  ";
      });
  for (const PictureEdge& edge : graph.edges) {
    text += "  " + nodeName(graph.nodes[edge.from], first) + " -> " +
            nodeName(graph.nodes[edge.to], first) +
            (edge.retained ? " [label=\"retained\", penwidth=2.5, color=\"#009e73\"];\n" : ";\n");
  }
  return text + "}\n";
}

std::string renderMermaid(const std::string& title, const Problem& problem,
                          const SchedulePicture* picture) {
  const PictureGraph graph = graphOf(problem, picture);
  const std::size_t first = picture != nullptr ? picture->first : 0;
  // A title in front matter would be YAML.
  std::string text = "%% " + printable(title) + "\nflowchart TB\n";
  std::string indent = "  ";
  forEachNode(
      graph,
      [&](std::size_t s) {
        text += "  subgraph step" + std::to_string(picture->first + s) + "[" +
                mermaidQuoted(stepLabel(*picture, s)) + "]\n";
        indent = "    ";
      },
      [&](const PictureNode& node) {
        const std::string label = "\"" + joined(labelOf(problem, node), "<br>") + "\"";
        text += indent + nodeName(node, first) +
                (node.isOp() ? "[" + label + "]" : "([" + label + "])") +
                ":::" + classOf(problem, node) + "\n";
      },
      [&] {
        text += "  end\n";
        indent = "  ";
      });
  for (const PictureEdge& edge : graph.edges) {
    text += "  " + nodeName(graph.nodes[edge.from], first) +
            (edge.retained ? " ==>|retained| " : " --> ") + nodeName(graph.nodes[edge.to], first) +
            "\n";
  }
  return text + kMermaidClasses;
}

}  // namespace tilebeam::cli
