# Runs at install time: "core/error.hpp" becomes <taintgraph/core/error.hpp> in every installed header.
set(include_directory $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/include/taintgraph)
file(GLOB_RECURSE headers ${include_directory}/*.hpp)
foreach(header ${headers})
  file(READ ${header} text)
  string(REGEX REPLACE "(#include )\"((core|gpu)/[^\"]*)\"" "\\1<taintgraph/\\2>" text "${text}")
  file(WRITE ${header} "${text}")
endforeach()
