// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/cell/oldest_sends.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>

namespace tactor::internal {
namespace {

constexpr std::uint64_t unit_ns = std::uint64_t{1} << waiting_send::unit_shift;
constexpr std::uint64_t places = std::uint64_t{1} << waiting_send::place_bits;

bool still_waits(std::uint32_t /*slot*/, waiting_send /*what*/) noexcept {
  return false;
}

struct sends_that_wait : testing::Test {
  [[nodiscard]] std::optional<std::uint64_t> age(mailbox_index of, std::uint64_t now) const {
    return all->age_ns(of, now * unit_ns);
  }
  void note(mailbox_index who, std::uint64_t sent) const {
    all->note(who, sent * unit_ns, still_waits);
  }

  std::unique_ptr<oldest_sends> all = std::make_unique<oldest_sends>();
  mailbox_index desk{.slot = 70'000, .generation = 5};
};

TEST_F(sends_that_wait, an_age_is_never_more_than_the_true_one) {
  EXPECT_EQ(age(desk, 100), std::nullopt);
  all->note(desk, 100 * unit_ns + unit_ns - 1, still_waits);
  EXPECT_EQ(age(desk, 100), 0u);
  EXPECT_EQ(age(desk, 101), 0u) << "one nanosecond later";
  EXPECT_EQ(age(desk, 111), 10 * unit_ns);
  EXPECT_EQ(age(desk, 99), 0u) << "a clock that is behind";
}

TEST_F(sends_that_wait, the_oldest_is_kept_until_it_is_handled) {
  note(desk, 100);
  note(desk, 150);
  EXPECT_EQ(age(desk, 201), 100 * unit_ns);
  all->forget(desk, 99 * unit_ns);
  EXPECT_EQ(age(desk, 201), 100 * unit_ns) << "an older one was handled, out of order";
  all->forget(desk, 100 * unit_ns);
  EXPECT_EQ(age(desk, 201), std::nullopt);
  note(desk, 160);
  EXPECT_EQ(age(desk, 201), 40 * unit_ns);
  all->forget(desk, 170 * unit_ns);
  EXPECT_EQ(age(desk, 201), std::nullopt) << "what was sent before is handled, too";
}

TEST_F(sends_that_wait, another_tenant_of_the_slot_has_none) {
  note(desk, 100);
  const mailbox_index next{.slot = desk.slot, .generation = desk.generation + 1};
  EXPECT_EQ(age(next, 200), std::nullopt);
  all->forget(next, 200 * unit_ns);
  EXPECT_EQ(age(desk, 201), 100 * unit_ns);
}

TEST_F(sends_that_wait, an_actor_at_the_same_place_waits_until_the_other_entry_is_over) {
  const mailbox_index other{.slot = desk.slot + static_cast<std::uint32_t>(places),
                            .generation = desk.generation};
  note(desk, 100);
  note(other, 120);
  EXPECT_EQ(age(other, 200), std::nullopt);
  std::uint32_t asked = 0;
  all->note(other, 120 * unit_ns, [&](std::uint32_t slot, waiting_send what) {
    asked = slot;
    return what.is_for(desk);
  });
  EXPECT_EQ(asked, desk.slot);
  EXPECT_EQ(age(desk, 200), std::nullopt);
  EXPECT_EQ(age(other, 221), 100 * unit_ns);
}

// The time has 32 bits.
TEST_F(sends_that_wait, a_time_that_begins_again_is_compared_like_any_other) {
  const std::uint64_t last = 0xFFFF'FFFF;
  note(desk, last - 10);
  EXPECT_EQ(age(desk, last + 21), 30 * unit_ns);
  all->forget(desk, (last - 20) * unit_ns);
  EXPECT_EQ(age(desk, last + 21), 30 * unit_ns);
  all->forget(desk, (last + 5) * unit_ns);
  EXPECT_EQ(age(desk, last + 21), std::nullopt);
}

}  // namespace
}  // namespace tactor::internal
