// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/cell/indexed_coordinator.hpp"

#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/mailbox_registry.hpp"
#include "tactor/core/dispatch/single_thread_coordinator.hpp"
#include "tactor/core/message/page_source.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

namespace tactor {

using namespace tactor::internal;

namespace {

page_room<sizeof(cell) * mailbox_registry::first_page> room;

struct registered_cells {
  static_pages pages{room.bytes};
  mailbox_registry store{pages};
  cell_cache cache{};
  single_thread_coordinator queue;
  indexed_coordinator subject{queue, store};

  registered_cells() {
    for (std::byte& each : room.bytes)
      each = std::byte{0};
  }
  mailbox_index take() {
    const cell& c = *store.take(cache);
    return {.slot = c.slot, .generation = c.tenant};
  }
};

// spec: D1
// case: RQ-01 RQ-02
TEST(indexed_coordinator, names_cells_by_index) {
  registered_cells all;
  const mailbox_index first = all.take();
  const mailbox_index second = all.take();
  EXPECT_EQ(all.subject.poll_wait_signal(), wait_signal::pending);
  all.subject.register_ready(second);
  all.subject.register_ready(first);
  all.subject.register_ready(second);
  EXPECT_EQ(all.subject.poll_wait_signal(), wait_signal::ready);

  std::array<mailbox_index, 4> out{};
  EXPECT_EQ(all.subject.drain_ready_cycle(out), 2u);
  EXPECT_EQ(out[0], second);
  EXPECT_EQ(out[1], first);
  all.subject.handle_invoke_result(first, {.how = invoke_result::outcome::yielded});
  all.subject.handle_invoke_result(second, {.how = invoke_result::outcome::completed});
  EXPECT_EQ(all.subject.drain_ready_cycle(out), 1u);
  EXPECT_EQ(out[0], first);
}

// spec: D1 M5
// case: RQ-04
TEST(indexed_coordinator, does_nothing_for_an_index_that_is_unknown_or_stale) {
  registered_cells all;
  const mailbox_index old = all.take();
  ASSERT_TRUE(all.store.end_tenancy(old));
  all.store.give_back(all.cache, *all.store.at(old.slot));
  const mailbox_index fresh = all.take();
  ASSERT_EQ(fresh.slot, old.slot);

  for (const mailbox_index unknown : {old, mailbox_index{}, mailbox_index{1U << 30, 1}}) {
    all.subject.register_ready(unknown);
    all.subject.handle_invoke_result(unknown, {.how = invoke_result::outcome::yielded});
    EXPECT_EQ(all.subject.poll_wait_signal(), wait_signal::pending);
  }
  all.subject.register_ready(fresh);
  for (const mailbox_index unknown : {old, mailbox_index{}, mailbox_index{1U << 30, 1}})
    all.subject.unregister(unknown);
  std::array<mailbox_index, 4> out{};
  EXPECT_EQ(all.subject.drain_ready_cycle(out), 1u) << "the next tenant keeps its place";
  all.subject.register_ready(fresh);
  all.subject.unregister(fresh);
  EXPECT_EQ(all.subject.drain_ready_cycle(out), 0u);
}

}  // namespace
}  // namespace tactor
