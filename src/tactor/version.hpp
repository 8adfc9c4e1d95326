// SPDX-License-Identifier: BSL-1.0
#pragma once

// Every public header includes this file first: a program that is compiled with an older standard
// gets one error, and the compiler stops at a header that does not exist.
#if __cplusplus <= 202002L
#error                                                                                             \
    "tactor needs C++23: compile with -std=c++23 (CMake: target_compile_features(NAME PRIVATE cxx_std_23))"
#include <tactor_needs_cpp23>
#endif

/// Everything of tactor lives in `tactor::v0`, an inline namespace: two versions whose layouts
/// differ cannot be linked into one program by accident.
namespace tactor::inline v0 {

/// A version of the library, by semantic versioning.
struct library_version {
  int major;
  int minor;
  int patch;
};

/// The version of the headers this translation unit was compiled with. CMake reads it from here.
inline constexpr library_version version{.major = 0, .minor = 1, .patch = 0};

}  // namespace tactor::inline v0
