// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/actor/cell/system_services.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tactor::inline v0::internal {

/// What a board keeps of its settings: what is read after the start. A constant if the settings are, so that it is in flash.
struct few_settings : system_constants {
  struct dispatcher_settings {
    bool all_on_pool;
  };

  constexpr explicit few_settings(const system_config& config) noexcept
      : system_constants{.limits = {.messages = config.dispatch.throughput,
                                    .sends = config.dispatch.sends,
                                    .time = config.dispatch.throughput_deadline,
                                    .slice_ns = slice_of(config)},
                         .middleware = config.middleware},
        name(config.name),
        max_actors(config.max_actors),
        seed(config.seed),
        spawn_middleware(config.spawn_middleware),
        resolution(config.scheduler.timing.resolution),
        dispatchers{.all_on_pool = config.dispatchers.all_on_pool} {}

  std::string_view name;
  std::size_t max_actors;
  std::uint64_t seed;
  std::span<tactor::spawn_middleware* const> spawn_middleware;
  duration resolution;
  dispatcher_settings dispatchers;

private:
  static constexpr std::uint64_t slice_of(const system_config& config) noexcept {
    const auto& slice = config.dispatch.slice;
    return slice ? static_cast<std::uint64_t>(slice->nanoseconds()) : 0;
  }
};

/// The settings of a system. A host copies all of them.
template <bool OfBoard = port::has_interrupts>
class settings_of_system {
public:
  using type = system_config;

  explicit settings_of_system(const system_config& config) noexcept : all_(config) {}
  [[nodiscard]] const type& get(const constants_of_system<OfBoard>& /*constants*/) const noexcept {
    return all_;
  }

private:
  system_config all_;
};
/// A board finds a few of them with its constants.
template <>
class settings_of_system<true> {
public:
  using type = few_settings;

  constexpr explicit settings_of_system(const system_config& /*config*/) noexcept {}
  [[nodiscard]] static const type& get(const constants_of_system<true>& constants) noexcept {
    return static_cast<const few_settings&>(*constants.operator->());
  }
};

}  // namespace tactor::inline v0::internal
