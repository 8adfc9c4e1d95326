# Functions that define tests. Each test file is one ctest entry, `<layer>.<topic>`, and runs in its own process. The files of
# a folder are linked into one program, which takes the file to run as an argument (tests/main.cpp). On a target each file is its
# own image: it has to fit the board's memory, and there are no arguments.

# Optimising a test takes longer than running it, unless it runs for seconds. The libraries keep the
# optimisation of the preset.
set(TACTOR_TEST_OPTIONS "" CACHE STRING "Compiler options for tests and examples that are short, e.g. -O0")
set(TACTOR_LONG_TEST_OPTIONS "" CACHE STRING "Compiler options for tests that run for seconds, e.g. -O1")

# What most tests include. No header of tactor: changing one must rebuild only what includes it. The target
# all_verify_interface_header_sets compiles each header of tactor alone, and clang-tidy (misc-include-cleaner) finds includes that are missing.
set(tactor_precompiled_headers
  <gtest/gtest.h>
  <algorithm> <array> <atomic> <chrono> <cstddef> <cstdint> <expected> <functional> <memory> <mutex> <optional> <random>
  <span> <string> <string_view> <thread> <utility> <vector>)
# Where sources are compiled together, everything is compiled anyway: then also the headers of tactor that most tests and examples
# include.
if(TACTOR_UNITY)
  set(tactor_precompiled_headers_of_tactor <tactor/host.hpp> <tactor/testkit.hpp>)
  set(tactor_precompiled_libraries tactor::host tactor::testkit)
endif()

# tactor_add_test_headers(<target> [OPTIONS ...] [LIBRARIES ...] [HEADERS ...])
#
# Makes a target that only precompiles headers, these and the usual ones, with these compiler options. Tests that reuse them need
# the same options.
function(tactor_add_test_headers target)
  cmake_parse_arguments(arg "" "" "OPTIONS;LIBRARIES;HEADERS" ${ARGN})
  set(nothing ${tactor_BINARY_DIR}/nothing.cpp)  # a library needs a source
  file(CONFIGURE OUTPUT ${nothing} CONTENT "")
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${nothing})
  tactor_compile_settings(${target})
  target_compile_options(${target} PRIVATE ${arg_OPTIONS})
  target_link_libraries(${target} PRIVATE GTest::gtest ${arg_LIBRARIES})
  target_precompile_headers(${target} PRIVATE ${tactor_precompiled_headers} ${arg_HEADERS})
  # ccache needs to see in the preprocessed text that a precompiled header is used.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()

# Makes the target `tactor_test_main` that every test links: GoogleTest with a main on the host and in the model, a shim
# with the same interface on a target. Also makes the targets whose precompiled headers tests reuse.
function(tactor_find_test_framework)
  if(TACTOR_PORT STREQUAL cortex_m)
    add_library(tactor_test_main INTERFACE)  # defined in tests/embedded
    return()
  endif()
  find_package(GTest REQUIRED)
  add_library(tactor_test_main STATIC tests/main.cpp)
  tactor_compile_settings(tactor_test_main)
  target_compile_options(tactor_test_main PRIVATE ${TACTOR_TEST_OPTIONS})
  target_link_libraries(tactor_test_main PUBLIC GTest::gtest)
  if(TACTOR_PORT STREQUAL model)
    return()  # tests/model has its own precompiled headers
  endif()
  set(more LIBRARIES ${tactor_precompiled_libraries} HEADERS ${tactor_precompiled_headers_of_tactor})
  tactor_add_test_headers(tactor_test_headers OPTIONS ${TACTOR_TEST_OPTIONS} ${more})
  tactor_add_test_headers(tactor_long_test_headers OPTIONS ${TACTOR_LONG_TEST_OPTIONS} ${more})

  add_custom_target(unit_tests)  # the programs that the tests of label `unit` run
endfunction()

# Adds the test files of a program to it, joined to units of about eight, so that the compiler reads headers and makes
# templates once per unit. The anonymous namespace of a file gets a named one around it: two files may use the same names.
# UNITY_BUILD of CMake only includes one file after the other, in one anonymous namespace; with UNITY_BUILD_UNIQUE_ID every test
# file would have to name its unit. `#line` keeps the places of the tests for `--file=`. A file with compiler settings of its own stays alone.
function(tactor_join_tests target)
  get_target_property(files ${target} tactor_test_files)
  get_target_property(binary_dir ${target} BINARY_DIR)
  set(joined "")
  foreach(file IN LISTS files)
    get_source_file_property(alone ${file} TARGET_DIRECTORY ${target} SKIP_UNITY_BUILD_INCLUSION)
    get_source_file_property(definitions ${file} TARGET_DIRECTORY ${target} COMPILE_DEFINITIONS)
    file(STRINGS ${file} namespaces REGEX "^namespace {$")
    list(LENGTH namespaces namespaces)
    if(alone OR definitions OR NOT namespaces EQUAL 1)
      target_sources(${target} PRIVATE ${file})
    else()
      list(APPEND joined ${file})
    endif()
  endforeach()
  list(LENGTH joined count)
  if(count LESS 2)
    target_sources(${target} PRIVATE ${joined})
    return()
  endif()
  math(EXPR units "(${count} + 7) / 8")
  foreach(unit RANGE 1 ${units})
    math(EXPR first "${count} * (${unit} - 1) / ${units}")
    math(EXPR length "${count} * ${unit} / ${units} - ${first}")
    list(SUBLIST joined ${first} ${length} batch)
    set(content "")
    foreach(file IN LISTS batch)
      file(READ ${file} text)
      cmake_path(GET file STEM name)
      string(REPLACE "\nnamespace {\n" "\nnamespace of_${name} { namespace {\n" text "${text}")
      string(REPLACE "\n}  // namespace\n" "\n}}  // namespace\n" text "${text}")
      cmake_path(GET file PARENT_PATH folder)
      cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${tactor_SOURCE_DIR})
      string(APPEND content "#line 1 \"${file}\"\n${text}")
      target_compile_options(${target} PRIVATE "SHELL:-iquote ${folder}")
    endforeach()
    set(output ${binary_dir}/${target}_${unit}.test.cpp)
    file(WRITE ${output}.new "${content}")
    file(COPY_FILE ${output}.new ${output} ONLY_IF_DIFFERENT)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${batch})
    target_sources(${target} PRIVATE ${output})
  endforeach()
endfunction()

# tactor_add_test_program(<target> SOURCES ... [LIBRARIES ...] [LONG] [HEADERS_FROM target])
#
# Makes a test program, or adds to an existing one. LONG: it runs for seconds, and is compiled with
# TACTOR_LONG_TEST_OPTIONS. HEADERS_FROM: reuse other precompiled headers.
function(tactor_add_test_program target)
  cmake_parse_arguments(arg "LONG" "HEADERS_FROM" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT TARGET ${target})
    add_executable(${target})
    set(is_new TRUE)
  endif()
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES})
  if(TACTOR_UNITY AND TACTOR_PORT STREQUAL host)  # joined when all test files of the program are known
    set(tests ${arg_SOURCES})
    list(FILTER tests INCLUDE REGEX "\\.test\\.cpp$")
    list(FILTER arg_SOURCES EXCLUDE REGEX "\\.test\\.cpp$")
    list(TRANSFORM tests PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    set_property(TARGET ${target} APPEND PROPERTY tactor_test_files ${tests})
    if(is_new)
      # Files of another directory may follow: when the project's own is done.
      cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY ${tactor_SOURCE_DIR} CALL tactor_join_tests ${target})")
    endif()
  endif()
  target_sources(${target} PRIVATE ${arg_SOURCES})
  if(NOT is_new)
    return()
  endif()
  tactor_compile_settings(${target})
  target_link_libraries(${target} PRIVATE tactor_test_main)
  if(TACTOR_PORT STREQUAL cortex_m)
    return()
  endif()
  if(arg_LONG)
    target_compile_options(${target} PRIVATE ${TACTOR_LONG_TEST_OPTIONS})
  else()
    target_compile_options(${target} PRIVATE ${TACTOR_TEST_OPTIONS})
  endif()
  if(NOT arg_HEADERS_FROM)
    set(arg_HEADERS_FROM tactor_test_headers)
    if(arg_LONG)
      set(arg_HEADERS_FROM tactor_long_test_headers)
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${arg_HEADERS_FROM})
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()

# tactor_add_test(<layer>.<topic> SOURCES ... [PROGRAM target] [LIBRARIES ...] [LABELS ...] [TIMEOUT seconds]
#                 [LONG] [HEADERS_FROM target])
#
# The first source holds the tests. Without PROGRAM they have their own program. In both cases the target
# test_<layer>_<topic> builds it. On a target the image runs in QEMU, by way of CMAKE_CROSSCOMPILING_EMULATOR.
function(tactor_add_test name)
  cmake_parse_arguments(arg "LONG" "TIMEOUT;PROGRAM;HEADERS_FROM" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)  # finds what hangs, however busy the machine is
  endif()
  set(how SOURCES ${arg_SOURCES} LIBRARIES ${arg_LIBRARIES})
  if(arg_LONG)
    list(APPEND how LONG)
  endif()
  if(arg_HEADERS_FROM)
    list(APPEND how HEADERS_FROM ${arg_HEADERS_FROM})
  endif()

  string(REPLACE "." "_" target "test_${name}")
  if(NOT arg_PROGRAM OR TACTOR_PORT STREQUAL cortex_m)
    set(arg_PROGRAM ${target})
    tactor_add_test_program(${target} ${how})
    add_test(NAME ${name} COMMAND ${target})
  else()
    tactor_add_test_program(${arg_PROGRAM} ${how})
    add_custom_target(${target} DEPENDS ${arg_PROGRAM})
    list(GET arg_SOURCES 0 file)
    cmake_path(GET file FILENAME file)
    add_test(NAME ${name} COMMAND ${arg_PROGRAM} --file=${file})
  endif()
  if(TARGET unit_tests AND "unit" IN_LIST arg_LABELS)
    add_dependencies(unit_tests ${arg_PROGRAM})
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()

# tactor_measures(<test>...): these tests measure time, memory or instructions, which depends on what else the machine does. `make test`
# leaves them out, `make verify` runs them.
function(tactor_measures)
  set_tests_properties(${ARGN} PROPERTIES LABELS measure)
endfunction()

# The unit tests of a layer: each `x.test.cpp` becomes the test `<layer>.x`; the files of one folder are one program. The
# folder src/tactor/core/message makes the program unit_tests_core_message.
function(tactor_add_unit_tests layer library)
  if(NOT TACTOR_BUILD_TESTS OR TACTOR_PORT STREQUAL model)
    return()
  endif()
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE folder)
    cmake_path(GET folder PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${tactor_SOURCE_DIR})
    string(REGEX REPLACE "^(src/tactor|tests)/" "" folder ${folder})
    string(REPLACE "/" "_" program unit_tests_${folder})
    string(REGEX REPLACE "^.*/|\\.test\\.cpp$" "" topic ${source})
    tactor_add_test(${layer}.${topic} PROGRAM ${program} SOURCES ${source} LIBRARIES tactor::${library})
  endforeach()
endfunction()
