# Configures, builds, runs and installs one consumer; see CMakeLists.txt for the variables.
set(prefix ${SCRATCH}/prefix)
file(REMOVE_RECURSE ${prefix} ${SCRATCH}/consumers_own)
if(NOT CONSUMER STREQUAL "embedded")
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${TAINTGRAPH_BUILD} --prefix ${prefix} --component development
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE for_tests ${prefix}/*_for_tests.hpp)
  if(for_tests)
    message(FATAL_ERROR "installed, but for tests only: ${for_tests}")
  endif()
endif()
execute_process(
  COMMAND ${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR}/${CONSUMER} -B ${SCRATCH}/build --fresh
          -D CMAKE_PREFIX_PATH=${prefix} -D TAINTGRAPH_SOURCE=${TAINTGRAPH_SOURCE} -D CMAKE_BUILD_TYPE=${BUILD_TYPE}
          -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -D CMAKE_CXX_FLAGS=${FLAGS}
          -D CUDA_HEADERS=${CUDA_HEADERS}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${SCRATCH}/build --target consumer COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${SCRATCH}/build/consumer COMMAND_ERROR_IS_FATAL ANY)

# A consumer installs what is its own and nothing else.
execute_process(COMMAND ${CMAKE_COMMAND} --install ${SCRATCH}/build --prefix ${SCRATCH}/consumers_own
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE own RELATIVE ${SCRATCH}/consumers_own ${SCRATCH}/consumers_own/*)
list(FILTER own EXCLUDE REGEX "^(bin/consumer|lib[^/]*/libplugin\\.so)$")
if(own)
  message(FATAL_ERROR "the consumer's installation has in it ${own}")
endif()
