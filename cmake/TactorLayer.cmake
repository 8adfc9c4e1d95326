# One function that makes a layer: standard, warnings, header set, install and alias in one place.
include(GNUInstallDirs)

# The options of every tactor target; consumers inherit only the standard.
function(tactor_compile_settings target)
  target_compile_features(${target} PUBLIC cxx_std_23)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast
    $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
    # A note, not a warning: how versions of g++ before 4.6 passed over-aligned arguments.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-psabi>
    # g++ 12 warns of its own std::string, of `":" + std::to_string(n)`.
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
    $<$<BOOL:${TACTOR_WARNINGS_AS_ERRORS}>:-Werror>)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  if(TARGET tactor_board_headers AND NOT target STREQUAL tactor_board_headers)
    target_precompile_headers(${target} REUSE_FROM tactor_board_headers)
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # see tactor_add_test_headers
  endif()
  if(TACTOR_SANITIZE)
    # Not `vptr`: it needs RTTI on both sides, and the core has none.
    target_compile_options(${target} PUBLIC -fsanitize=${TACTOR_SANITIZE} -fno-sanitize=vptr
                                            -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${TACTOR_SANITIZE})
  endif()
endfunction()

# On a board all targets are compiled with the options of the toolchain file, so they share one set of precompiled headers.
function(tactor_add_board_headers)
  set(nothing ${tactor_BINARY_DIR}/nothing.cpp)  # a library needs a source
  file(CONFIGURE OUTPUT ${nothing} CONTENT "")
  add_library(tactor_board_headers OBJECT EXCLUDE_FROM_ALL ${nothing})
  tactor_compile_settings(tactor_board_headers)
  target_precompile_headers(tactor_board_headers PRIVATE
    <algorithm> <array> <atomic> <bit> <chrono> <concepts> <coroutine> <cstddef> <cstdint> <expected> <memory> <new> <optional>
    <span> <string_view> <type_traits> <utility>)
  target_compile_options(tactor_board_headers PRIVATE -fpch-preprocess)
endfunction()

# What a shared library has and a static one has not: only names of tactor are exported, and the libraries find each other
# in the folder they are in. Before 1.0 a new minor version may break.
function(tactor_shared_settings target)
  set_target_properties(${target} PROPERTIES
    VERSION ${tactor_VERSION} SOVERSION ${tactor_VERSION_MAJOR}.${tactor_VERSION_MINOR}
    INSTALL_RPATH $ORIGIN DEFINE_SYMBOL "")
  get_target_property(type ${target} TYPE)
  if(type STREQUAL SHARED_LIBRARY)
    set(exports ${tactor_SOURCE_DIR}/cmake/exports.map)
    target_link_options(${target} PRIVATE LINKER:--version-script=${exports})
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${exports})
  endif()
endfunction()

# tactor_add_layer(<name> [WITH_EXCEPTIONS] [HEADERS ...] [NOT_INSTALLED ...] [SOURCES ...] [DEPENDS ...])
#
# Makes the library tactor_<name> with the alias tactor::<name>: static, or on the host shared with BUILD_SHARED_LIBS.
# Paths are relative to the calling folder; the include path is src/. Every header of the folder is checked and installed, but
# those of tests and those of NOT_INSTALLED, which only sources of the layer include; HEADERS names headers of other folders. Without WITH_EXCEPTIONS the layer is compiled like the core:
# no exceptions, no RTTI. The model port needs exceptions (Relacy), so there they stay on.
function(tactor_add_layer name)
  cmake_parse_arguments(arg "WITH_EXCEPTIONS" "" "HEADERS;NOT_INSTALLED;SOURCES;DEPENDS" ${ARGN})
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.hpp)
  list(FILTER headers EXCLUDE REGEX "\\.(test|model|fuzz)\\.hpp$")
  list(REMOVE_ITEM headers ${arg_NOT_INSTALLED})
  set(target tactor_${name})
  if(TACTOR_PORT STREQUAL host)
    add_library(${target} ${arg_SOURCES})
    tactor_shared_settings(${target})
  else()
    add_library(${target} STATIC ${arg_SOURCES})
  endif()
  add_library(tactor::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} LINKER_LANGUAGE CXX
                                             VERIFY_INTERFACE_HEADER_SETS ON)
  tactor_compile_settings(${target})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${tactor_SOURCE_DIR}/src FILES ${headers} ${arg_HEADERS})
  target_link_libraries(${target} PUBLIC ${arg_DEPENDS})
  if(NOT arg_WITH_EXCEPTIONS AND NOT TACTOR_PORT STREQUAL model)
    target_compile_options(${target} PRIVATE -fno-exceptions -fno-rtti)
  endif()
  list(LENGTH arg_SOURCES sources)
  if(TACTOR_UNITY AND sources GREATER 1)
    # The headers are read once per unit, so nothing is precompiled. Names of one source may hide those of another.
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
    target_compile_options(${target} PRIVATE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  elseif(TACTOR_PRECOMPILE_HEADERS AND TACTOR_PORT STREQUAL host AND sources GREATER 10)  # precompiling takes as long as about five sources
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <atomic> <bit> <chrono> <concepts> <cstddef> <cstdint> <expected> <functional> <memory> <mutex> <new>
      <optional> <span> <string> <string_view> <thread> <type_traits> <utility> <vector>)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)  # see tactor_add_test_headers
  endif()
  if(NOT TACTOR_PORT STREQUAL model)
    install(TARGETS ${target} EXPORT tactor FILE_SET HEADERS COMPONENT headers)
  endif()
endfunction()
