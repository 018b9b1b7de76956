# Configures, builds and runs one consumer; see CMakeLists.txt for the variables.
set(prefix ${SCRATCH}/prefix)
if(CONSUMER STREQUAL "installed")
  file(REMOVE_RECURSE ${prefix})
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${TAINTGRAPH_BUILD} --prefix ${prefix} --component development
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endif()
execute_process(
  COMMAND ${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR}/${CONSUMER} -B ${SCRATCH}/build --fresh
          -D CMAKE_PREFIX_PATH=${prefix} -D TAINTGRAPH_SOURCE=${TAINTGRAPH_SOURCE} -D CMAKE_BUILD_TYPE=${BUILD_TYPE}
          -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -D CMAKE_CXX_FLAGS=${FLAGS}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${SCRATCH}/build COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${SCRATCH}/build/consumer COMMAND_ERROR_IS_FATAL ANY)
