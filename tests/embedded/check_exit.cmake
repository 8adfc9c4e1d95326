# Fails unless ${IMAGE} ends with exactly ${STATUS}.
separate_arguments(RUN UNIX_COMMAND "${RUN}")
execute_process(COMMAND ${RUN} ${IMAGE} RESULT_VARIABLE status)
if(NOT status STREQUAL "${STATUS}")
  message(FATAL_ERROR "exit status ${status}, expected ${STATUS}")
endif()
