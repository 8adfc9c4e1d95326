# The model checker and its tests. Only for TACTOR_PORT=model.

# Relacy is a folder of headers; Debian has it as relacy-dev.
find_path(TACTOR_RELACY_INCLUDE_DIR relacy/relacy.hpp REQUIRED DOC "The folder that holds relacy/relacy.hpp")
add_library(tactor_relacy INTERFACE)
target_include_directories(tactor_relacy SYSTEM INTERFACE ${TACTOR_RELACY_INCLUDE_DIR})
# Relacy's own assertions find scenarios that are not deterministic, whose search would be meaningless.
target_compile_definitions(tactor_relacy INTERFACE RL_DO_ASSERT=1)
# Fibers are switched by long jumps, which the fortified versions reject. The stores of a destructor must be
# kept: they make an access to a destroyed object visible.
target_compile_options(tactor_relacy INTERFACE -U_FORTIFY_SOURCE $<$<CXX_COMPILER_ID:GNU>:-fno-lifetime-dse>)
# Relacy replaces operator new and delete, but not the delete that is told the size.
target_compile_options(tactor_relacy INTERFACE -fno-sized-deallocation)
# Warnings of GCC's optimiser, which system headers do not suppress.
target_compile_options(tactor_relacy INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:-Wno-alloc-size-larger-than;-Wno-array-bounds;-Wno-stringop-overflow>)

# tactor_add_model(<topic> [LIBRARIES ...])
#
# Makes <topic>.model.cpp of the calling folder the test model.<topic>.
function(tactor_add_model topic)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES")
  if(NOT arg_LIBRARIES)
    set(arg_LIBRARIES tactor::base)
  endif()
  tactor_add_test(model.${topic} SOURCES ${topic}.model.cpp LIBRARIES tactor_model ${arg_LIBRARIES}
                  LONG HEADERS_FROM tactor_model_headers LABELS model TIMEOUT 900)
endfunction()
