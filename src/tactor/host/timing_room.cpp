// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/timing_room.hpp"

#include <limits>

namespace tactor::inline v0::host {
namespace {

constexpr std::size_t word_bits = std::numeric_limits<std::size_t>::digits;

}  // namespace

timing_room::timing_room(const timing_config& config)
    : slots_(config.wheel_slots),
      occupied_((config.wheel_slots + word_bits - 1) / word_bits),
      overflow_(config.overflow_capacity) {}

}  // namespace tactor::inline v0::host
