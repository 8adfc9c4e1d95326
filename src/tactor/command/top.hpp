// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/command/console.hpp"
#include "tactor/command/screen.hpp"
#include "tactor/command/views.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstddef>
#include <string>

namespace command {

/// The parts of the snapshot that the live view shows of one moment.
struct top_sample {
  nlohmann::json system;
  nlohmann::json workers;
  nlohmann::json actors;
  nlohmann::json warnings;
};

/// Draws the picture, at most as large as the screen. Rates are differences to `before`; null:
/// there are none yet.
[[nodiscard]] lines top_picture(const top_sample& now, const top_sample* before, screen_size size);

/// Asks for the parts of one picture, with as many actors as the screen has rows. `order`: of the
/// actors.
[[nodiscard]] result<top_sample> sample_top(const console& of, const std::string& order);
/// Shows a picture at each interval until the user ends it. Requires: `has_screen()`.
[[nodiscard]] result<void> top(const console& of, std::string order,
                               std::chrono::milliseconds interval);

}  // namespace command
