# Fails unless ${IMAGE} succeeds and writes exactly the bytes in the file ${EXPECTED}: hexadecimal digits; white space does not count.
# OUTPUT: where its bytes are put. RUN: how to run it.
separate_arguments(RUN UNIX_COMMAND "${RUN}")
execute_process(COMMAND ${RUN} ${IMAGE} OUTPUT_FILE ${OUTPUT} RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "exit status ${status}")
endif()
file(READ ${OUTPUT} printed HEX)
file(READ ${EXPECTED} expected)
string(REGEX REPLACE "[ \n]" "" expected "${expected}")
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "expected\n${expected}\nwritten\n${printed}")
endif()
message(STATUS "the bytes of ${EXPECTED}")
