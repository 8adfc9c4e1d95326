# Fails if ${IMAGE} takes more than ${DATA} bytes of memory with initial values, or more than ${BSS} without.
execute_process(COMMAND ${SIZE} ${IMAGE} OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
if(NOT table MATCHES "\n *([0-9]+)[ \t]+([0-9]+)[ \t]+([0-9]+)")
  message(FATAL_ERROR "not understood:\n${table}")
endif()
if(CMAKE_MATCH_2 GREATER DATA OR CMAKE_MATCH_3 GREATER BSS)
  message(FATAL_ERROR "data ${CMAKE_MATCH_2} of at most ${DATA} bytes, bss ${CMAKE_MATCH_3} of at most ${BSS}")
endif()
message(STATUS "text ${CMAKE_MATCH_1}, data ${CMAKE_MATCH_2}, bss ${CMAKE_MATCH_3}")
