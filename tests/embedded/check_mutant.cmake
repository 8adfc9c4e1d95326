# Fails unless ${IMAGE} fails when the functions ${FUNCTIONS} do not mask interrupts: with the status ${STATUS}, or with any if that is
# empty. A mutant that hangs is ended after three seconds.
set(mutant ${IMAGE}_unmasked)
execute_process(COMMAND ${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/unmask.py ${OBJDUMP} ${IMAGE} ${mutant} "${FUNCTIONS}"
                COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "timeout 20" "timeout 3" RUN "${RUN}")
separate_arguments(RUN UNIX_COMMAND "${RUN}")
execute_process(COMMAND ${RUN} ${mutant} OUTPUT_VARIABLE printed ERROR_VARIABLE errors RESULT_VARIABLE status)
if(status EQUAL 0 OR (STATUS AND NOT status EQUAL STATUS))
  message(FATAL_ERROR "the mutant ended with ${status}, expected ${STATUS}\n${printed}${errors}")
endif()
message(STATUS "the mutant is caught: status ${status}")
