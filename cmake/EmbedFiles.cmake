# Writes a C++ source that holds the page's files as strings. Run at build time, with
# -DDIRECTORY=cli/render -DOUTPUT=FILE.
set(scripts format.js steps.js table.js timeline.js graph.js details.js page.js)

# Compilers need take no more than 64 KiB in one literal, and no file is as long.
function(embed name)
  set(literals)
  foreach(file IN LISTS ARGN)
    file(READ "${DIRECTORY}/${file}" content)
    string(APPEND literals "\n    R\"tilebeam(${content})tilebeam\"")
  endforeach()
  file(APPEND "${OUTPUT}" "\nconst std::string_view ${name} =${literals};\n")
endfunction()

file(WRITE "${OUTPUT}" "// Made by cmake/EmbedFiles.cmake.
#include \"cli/page_files.h\"

namespace tilebeam::cli {
")
embed(kPageHtml page.html)
embed(kPageStyle page.css)
embed(kPageScript ${scripts})
file(APPEND "${OUTPUT}" "\n}  // namespace tilebeam::cli\n")
