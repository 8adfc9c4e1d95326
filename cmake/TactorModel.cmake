# The model checker and how its tests are made. Only for TACTOR_PORT=model.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# Relacy is a folder of headers; Debian has it as relacy-dev.
find_path(TACTOR_RELACY_INCLUDE_DIR relacy/relacy.hpp REQUIRED DOC "The folder that holds relacy/relacy.hpp")
add_library(tactor_relacy INTERFACE)
target_include_directories(tactor_relacy SYSTEM INTERFACE ${TACTOR_RELACY_INCLUDE_DIR})
# Its own assertions find scenarios that are not deterministic, whose search would mean nothing.
target_compile_definitions(tactor_relacy INTERFACE RL_DO_ASSERT=1)
# Fibers are switched by long jumps, which the fortified ones take for an error. And what a destructor writes is
# to be kept: it is how an access to a dead object is seen.
target_compile_options(tactor_relacy INTERFACE -U_FORTIFY_SOURCE $<$<CXX_COMPILER_ID:GNU>:-fno-lifetime-dse>)
# Warnings of GCC's optimiser, for which there are no system headers.
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
                  LONG HEADERS_FROM tactor_model_headers LABELS model TIMEOUT 300)
endfunction()

# tactor_add_mutant(<name> SCENARIO x.model.cpp HEADER tactor/base/x.hpp REPLACE "..." WITH "..." [LIBRARIES ...]
#                   [SOURCES ...])
#
# Makes the test model.mutant.<name>: the scenario compiled against a copy of the header in which one piece of text
# has been replaced. It passes if the checker refutes a scenario, and fails if all of them pass or if the text is
# not found in the header exactly once. HEADER may as well name a source of one of the libraries: the copy then takes
# its place. SOURCES are sources of the libraries that include the header and have to be compiled against the copy.
#
# There are many, and each is a program of its own: one of three is made in each run, all of them with
# TACTOR_ALL_MUTANTS (`make soak`).
option(TACTOR_ALL_MUTANTS "Make every mutant for the model checker, not one of three" OFF)
set_property(GLOBAL PROPERTY tactor_mutants_seen 0)
function(tactor_add_mutant name)
  get_property(seen GLOBAL PROPERTY tactor_mutants_seen)
  math(EXPR turn "${seen} % 3")
  math(EXPR seen "${seen} + 1")
  set_property(GLOBAL PROPERTY tactor_mutants_seen ${seen})
  if(NOT TACTOR_ALL_MUTANTS AND NOT turn EQUAL 0)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SCENARIO;HEADER;REPLACE;WITH" "LIBRARIES;SOURCES")
  if(NOT arg_LIBRARIES)
    set(arg_LIBRARIES tactor::base)
  endif()
  set(original ${tactor_SOURCE_DIR}/src/${arg_HEADER})
  set(script ${tactor_SOURCE_DIR}/tests/model/mutate.py)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name})
  set(mutated ${folder}/include/${arg_HEADER})
  # By way of files: no shell and no build tool gets a chance to misread the code in between.
  file(CONFIGURE OUTPUT ${folder}/replace.txt CONTENT "${arg_REPLACE}" @ONLY)
  file(CONFIGURE OUTPUT ${folder}/with.txt CONTENT "${arg_WITH}" @ONLY)
  add_custom_command(
    OUTPUT ${mutated}
    COMMAND ${Python3_EXECUTABLE} ${script} apply ${original} ${folder}/replace.txt ${folder}/with.txt ${mutated}
    DEPENDS ${original} ${script} ${folder}/replace.txt ${folder}/with.txt
    COMMENT "Mutating ${arg_HEADER}: ${name}"
    VERBATIM)

  set(target mutant_${name})
  list(TRANSFORM arg_SOURCES PREPEND ${tactor_SOURCE_DIR}/src/)
  add_executable(${target} ${arg_SCENARIO} ${mutated} ${arg_SOURCES})
  tactor_compile_settings(${target})
  target_include_directories(${target} BEFORE PRIVATE ${folder}/include)
  target_link_libraries(${target} PRIVATE tactor_model ${arg_LIBRARIES})
  target_compile_options(${target} PRIVATE -w)  # a mutant may look odd
  add_test(NAME model.mutant.${name}
           COMMAND ${Python3_EXECUTABLE} ${script} expect-caught ${name} ${original} ${folder}/replace.txt
                   $<TARGET_FILE:${target}>)
  set_tests_properties(model.mutant.${name} PROPERTIES LABELS model TIMEOUT 300)
endfunction()
