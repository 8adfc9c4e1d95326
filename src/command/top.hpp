// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "command/console.hpp"
#include "command/screen.hpp"
#include "command/views.hpp"
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string>

namespace command {

/// What the live view shows of one moment: parts of the snapshot.
struct top_sample {
  nlohmann::json system;
  nlohmann::json workers;
  nlohmann::json actors;
  nlohmann::json warnings;
};

/// The picture, at most as large as the screen. Rates are differences to `before`; null: there are none yet.
[[nodiscard]] lines top_picture(const top_sample& now, const top_sample* before, screen_size size);

struct top_options {
  std::string order = "waiting";
  std::chrono::milliseconds interval{1'000};
};

/// What one picture is made of.
[[nodiscard]] result<top_sample> sample_top(const console& of, const top_options& how);
/// One picture. Returns: what the program exits with.
[[nodiscard]] result<lines> top_once(const console& of, const top_options& how);
/// Shows pictures until the user ends it. Requires: `has_screen()`.
[[nodiscard]] result<void> top(const console& of, top_options how);

}  // namespace command
