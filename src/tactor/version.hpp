// SPDX-License-Identifier: BSL-1.0
#pragma once

/// Everything of tactor lives in `tactor::v0`, an inline namespace: two versions whose layouts differ
/// cannot be linked into one program by accident.
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
