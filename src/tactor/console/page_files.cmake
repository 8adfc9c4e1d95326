# Makes a source that holds the files of the page as texts, when CMake configures: users need no other tool.
function(tactor_make_page_files output)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/page/dist/*)
  set(rows "")
  foreach(file IN LISTS files)
    cmake_path(GET file FILENAME name)
    file(READ ${file} content)
    string(APPEND rows "    {\"${name}\", R\"tactor_page(${content})tactor_page\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  string(CONCAT source "// Made by page_files.cmake.\n"
    "#ifdef __clang__\n#pragma clang diagnostic ignored \"-Woverlength-strings\"\n#endif\n#include \"tactor/console/page_files.hpp\"\n\n"
    "namespace tactor::inline v0::internal {\n\nstd::span<const page_file> page_files() noexcept {\n"
    "  static constexpr page_file all[] = {\n" "${rows}" "  };\n  return all;\n}\n\n"
    "}  // namespace tactor::inline v0::internal\n")
  file(WRITE ${output}.new "${source}")
  file(COPY_FILE ${output}.new ${output} ONLY_IF_DIFFERENT)
endfunction()
