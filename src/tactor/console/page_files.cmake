# Makes a source that holds the files of the page as texts, when CMake configures: users need no other tool.
function(tactor_make_page_files output)
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/page/dist)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*)
  if(NOT files)
    set(folder ${CMAKE_CURRENT_SOURCE_DIR})
    set(files ${folder}/index.html)
  endif()
  set(rows "")
  foreach(file IN LISTS files)
    cmake_path(GET file FILENAME name)
    file(READ ${file} content)
    string(APPEND rows "    {\"${name}\", R\"tactor_page(${content})tactor_page\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  string(CONCAT source "// Made by page_files.cmake.\n#include \"tactor/console/page_files.hpp\"\n\n"
    "namespace tactor::inline v0::internal {\n\nstd::span<const page_file> page_files() noexcept {\n"
    "  static constexpr page_file all[] = {\n" "${rows}" "  };\n  return all;\n}\n\n"
    "}  // namespace tactor::inline v0::internal\n")
  file(WRITE ${output}.new "${source}")
  file(COPY_FILE ${output}.new ${output} ONLY_IF_DIFFERENT)
  # Longer than compilers must accept; these do.
  set_source_files_properties(${output} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
endfunction()
