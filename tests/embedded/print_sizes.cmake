# Prints the sizes of the images listed line by line in the file ${IMAGES}.
file(STRINGS ${IMAGES} images)
execute_process(COMMAND ${SIZE} ${images} OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "[^\t\n]*/" "" table "${table}")
execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${table}")
