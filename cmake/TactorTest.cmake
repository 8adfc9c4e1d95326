# How tests are made: one executable and one ctest entry per test file.

# Makes the target `tactor_test_main` that every unit test links: GoogleTest with its main on the host and in the
# model, a shim of the same face on a target.
function(tactor_find_test_framework)
  add_library(tactor_test_main INTERFACE)
  if(TACTOR_PORT STREQUAL cortex_m)
    return()  # tests/embedded fills it in
  endif()
  find_package(GTest REQUIRED)
  target_link_libraries(tactor_test_main INTERFACE GTest::gtest GTest::gtest_main)
endfunction()

# tactor_add_test(<layer>.<topic> SOURCES ... [LIBRARIES ...] [LABELS ...] [TIMEOUT seconds])
#
# On a target the image runs in QEMU, by way of CMAKE_CROSSCOMPILING_EMULATOR.
function(tactor_add_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  string(REPLACE "." "_" target "test_${name}")
  add_executable(${target} ${arg_SOURCES})
  tactor_compile_settings(${target})
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} tactor_test_main)
  add_test(NAME ${name} COMMAND ${target})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()

# The unit tests of a layer: each `x.test.cpp` in the calling folder becomes the test `<layer>.x`.
function(tactor_add_unit_tests layer library)
  if(NOT TACTOR_BUILD_TESTS OR TACTOR_PORT STREQUAL model)
    return()
  endif()
  foreach(source IN LISTS ARGN)
    string(REGEX REPLACE "^.*/|\\.test\\.cpp$" "" topic ${source})
    tactor_add_test(${layer}.${topic} SOURCES ${source} LIBRARIES tactor::${library})
  endforeach()
endfunction()
