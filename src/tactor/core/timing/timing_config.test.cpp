// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/timing/timing_config.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string_view>

namespace tactor {
namespace {

using namespace std::chrono_literals;

std::string_view refused_setting(const timing_config& config) {
  const auto sound = check(config);
  return sound ? std::string_view{} : sound.error().setting;
}

class fake_clock final : public monotonic_clock {
public:
  constexpr fake_clock(clock_kind kind, std::uint32_t unit_ns) : kind_(kind), unit_ns_(unit_ns) {}
  [[nodiscard]] timer_instant now() const noexcept override {
    return {.ticks = 0, .resolution_ns = unit_ns_};
  }
  [[nodiscard]] clock_kind kind() const noexcept override { return kind_; }

private:
  clock_kind kind_;
  std::uint32_t unit_ns_;
};

// spec: T2
TEST(timing_config, the_defaults_are_sound) {
  const timing_config config;

  EXPECT_EQ(refused_setting(config), "");
  EXPECT_EQ(config.overflow_warning_percent, 75u);
  EXPECT_EQ(config.batch_limit, 100u);
  EXPECT_EQ(config.resolution, duration{10ms});
}

// case: SW-17
TEST(timing_config, a_wheel_has_a_power_of_two_of_slots_and_at_least_two) {
  EXPECT_EQ(refused_setting({.wheel_slots = 0}), "wheel_slots");
  EXPECT_EQ(refused_setting({.wheel_slots = 1}), "wheel_slots");
  EXPECT_EQ(refused_setting({.wheel_slots = 100}), "wheel_slots");
  EXPECT_EQ(refused_setting({.wheel_slots = 2}), "");
  EXPECT_EQ(refused_setting({.wheel_slots = 65536}), "");
}

// case: SW-17
TEST(timing_config, a_tick_lasts_from_100_microseconds_to_one_second) {
  EXPECT_EQ(refused_setting({.resolution = 100us}), "");
  EXPECT_EQ(refused_setting({.resolution = 1s}), "");
  EXPECT_EQ(refused_setting({.resolution = 100us - 1ns}), "resolution");
  EXPECT_EQ(refused_setting({.resolution = 1s + 1ns}), "resolution");
  EXPECT_EQ(refused_setting({.resolution = 0s}), "resolution");
  EXPECT_EQ(refused_setting({.resolution = -10ms}), "resolution");
  EXPECT_EQ(refused_setting({.resolution = duration::max()}), "resolution");
}

// case: SW-17
TEST(timing_config, an_error_names_the_setting_its_value_and_what_is_allowed) {
  const auto sound = check({.wheel_slots = 100});

  ASSERT_FALSE(sound.has_value());
  EXPECT_EQ(std::string_view{sound.error().setting}, "wheel_slots");
  EXPECT_EQ(sound.error().value, 100);
  EXPECT_EQ(std::string_view{sound.error().allowed}, "a power of two from 2 to 2^28");
}

TEST(timing_config, the_other_settings_have_limits_too) {
  EXPECT_EQ(refused_setting({.overflow_warning_percent = 101}), "overflow_warning_percent");
  EXPECT_EQ(refused_setting({.overflow_warning_percent = 100}), "");
  EXPECT_EQ(refused_setting({.overflow_capacity = 0x1000'0001}), "overflow_capacity");
  EXPECT_EQ(refused_setting({.overflow_capacity = 0}), "");
  EXPECT_EQ(refused_setting({.batch_limit = 0}), "");
}

// spec: T6
TEST(timing_config, the_highest_frequency_is_one_run_per_tick) {
  EXPECT_EQ(timing_config{.resolution = 10ms}.max_frequency(), 100.0);
  EXPECT_EQ(timing_config{.resolution = 1s}.max_frequency(), 1.0);
  EXPECT_EQ(timing_config{.resolution = 100us}.max_frequency(), 10'000.0);
}

// spec: K4
TEST(timing_config, production_refuses_a_clock_that_only_a_test_moves) {
  const fake_clock manual{clock_kind::deterministic, 1};
  const fake_clock real{clock_kind::realtime, 1};

  const auto refused = check(timing_config{}, manual, clock_use::production);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(std::string_view{refused.error().setting}, "clock");

  EXPECT_TRUE(check(timing_config{}, manual, clock_use::test).has_value());
  EXPECT_TRUE(check(timing_config{}, real, clock_use::production).has_value());
}

// spec: T1
TEST(timing_config, a_tick_is_a_whole_multiple_of_the_clocks_unit) {
  const fake_clock millisecond{clock_kind::realtime, 1'000'000};

  EXPECT_TRUE(check({.resolution = 10ms}, millisecond, clock_use::production).has_value());
  const auto finer = check({.resolution = 500us}, millisecond, clock_use::production);
  ASSERT_FALSE(finer.has_value());
  EXPECT_EQ(std::string_view{finer.error().setting}, "resolution");
  EXPECT_FALSE(check({.resolution = 1500us}, millisecond, clock_use::production).has_value());
}

}  // namespace
}  // namespace tactor
