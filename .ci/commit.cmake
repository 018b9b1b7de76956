# Writes commit.hpp, the commit that the program was built from. Run at build time whenever HEAD moves.
# cmake -D SOURCE_DIR=... -D OUTPUT=... -P commit.cmake
set(commit "unknown")
find_program(GIT git)
if(GIT AND EXISTS ${SOURCE_DIR}/.git)
  execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} rev-parse HEAD
    OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
  if(NOT failed)
    set(commit ${head})
  endif()
endif()
file(WRITE ${OUTPUT} "#pragma once\n\nnamespace taintgraph {\n"
  "inline constexpr char kCommit[] = \"${commit}\";\n}  // namespace taintgraph\n")
