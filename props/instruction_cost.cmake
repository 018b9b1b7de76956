# Counts the instructions that a checked operation takes (generator, runtime, simulated driver, model and comparison),
# and fails beyond a limit: times are noisy, counts repeat.
#
#   cmake -D PROGRAM=instruction_cost -D LIMIT=N -P instruction_cost.cmake
find_program(VALGRIND valgrind)
if(NOT VALGRIND)
  message("SKIPPED: there is no valgrind to count instructions with")
  return()
endif()

# count(CASES OPERATIONS INSTRUCTIONS): sets both for a run of so many cases.
function(count cases operations instructions)
  execute_process(
    COMMAND ${VALGRIND} --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null ${PROGRAM} ${cases}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE log OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0 OR NOT log MATCHES "I +refs: +([0-9,]+)")
    message(FATAL_ERROR "${PROGRAM} ${cases} ends with ${status}:\n${output}\n${log}")
  endif()
  string(REPLACE "," "" counted "${CMAKE_MATCH_1}")
  set(${operations} ${output} PARENT_SCOPE)
  set(${instructions} ${counted} PARENT_SCOPE)
endfunction()

count(50 few_operations few_instructions)
count(350 operations instructions)
math(EXPR each "(${instructions} - ${few_instructions}) / (${operations} - ${few_operations})")
message("${each} instructions an operation; the limit is ${LIMIT}")
if(each GREATER LIMIT)
  message(FATAL_ERROR "a checked operation has become dearer: profile it, or raise the limit with a reason")
endif()
