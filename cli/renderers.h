// The pictures of `tilebeam render`, each as the whole content of a file (docs/pictures.md).
#pragma once

#include <string>

#include "cli/picture_graph.h"
#include "cli/schedule_picture.h"

namespace tilebeam::cli {

// The graph as text for Graphviz and Mermaid, with steps as clusters where `picture` is not null.
std::string renderDot(const std::string& title, const Problem& problem,
                      const SchedulePicture* picture);
std::string renderMermaid(const std::string& title, const Problem& problem,
                          const SchedulePicture* picture);

// Timeline and fast memory in one figure that needs nothing else.
std::string renderSvg(const SchedulePicture& picture);

// Trace events, as chrome://tracing and Perfetto read them.
std::string renderTrace(const SchedulePicture& picture);

// A page that needs nothing else.
std::string renderHtml(const SchedulePicture& picture);

}  // namespace tilebeam::cli
