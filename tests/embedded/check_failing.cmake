# Fails unless the shim reports failing tests (failing.cpp) like GoogleTest does.
separate_arguments(RUN UNIX_COMMAND "${RUN}")
execute_process(COMMAND ${RUN} ${IMAGE} OUTPUT_VARIABLE output RESULT_VARIABLE status)
if(NOT status EQUAL 1)
  message(FATAL_ERROR "exit status ${status}, expected 1\n${output}")
endif()
foreach(line IN ITEMS
    "tests/embedded/failing.cpp:"
    ": Failure\nExpected: (one()) == (2), actual: 1 vs 2\nas expected\n"
    "[  FAILED  ] failing.an_expectation_goes_on (0 ms)\n"
    "[  FAILED  ] failing.an_assertion_leaves_the_test (0 ms)\n"
    "[  FAILED  ] failing.a_type_that_cannot_be_printed (0 ms)\n"
    "Expected: (one() == 2) is true, actual: false vs true\n"
    "Expected: ((std::optional<int>{})) == ((std::optional<int>{-3})), actual: (empty) vs -3\n"
    "[  SKIPPED ] failing.a_skipped_test (0 ms)\n"
    "[       OK ] failing_fixture.is_set_up (0 ms)\n"
    "[  PASSED  ] 1 test.\n"
    "[  FAILED  ] 4 tests.\n")
  string(FIND "${output}" "${line}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "missing: ${line}\nin\n${output}")
  endif()
endforeach()
string(FIND "${output}" "unreachable" position)
if(NOT position EQUAL -1)
  message(FATAL_ERROR "went on after a failed assertion\n${output}")
endif()
