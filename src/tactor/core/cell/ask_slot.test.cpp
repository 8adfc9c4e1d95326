// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/cell/ask_slot.hpp"

#include "tactor/base/memory_source.hpp"
#include "tactor/core/cell/ask_word.hpp"
#include "tactor/port/port.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace tactor {

using namespace tactor::internal;

namespace {

using phase = ask_word::phase;

class no_pages final : public page_source {
public:
  [[nodiscard]] void* allocate(std::size_t /*bytes*/, std::size_t /*alignment*/) noexcept override {
    return nullptr;
  }
};

/// A registry of a few slots.
struct few_asks {
  few_asks() { store.confine_to(slots); }

  [[nodiscard]] ask_slot& take() {
    ask_slot* const taken = store.take(cache);
    if (taken == nullptr) port::panic({.module = 6, .id = 93, .advice = "no slot"});
    return *taken;
  }
  void end(ask_slot& of) {
    if (!of.peek().is_ended()) (void)of.leave();
    store.give_back(cache, of);
  }

  no_pages pages;
  std::array<ask_slot, 4> slots;
  ask_registry store{pages};
  ask_registry::cache cache{};
};

// spec: M6
TEST(ask_registry, an_answer_to_an_ended_ask_does_not_claim_the_next_one) {
  few_asks all;
  ask_slot& slot = all.take();
  const origin first = slot.open(phase::open_to_continuation);
  all.end(slot);
  EXPECT_EQ(slot.claim(first.generation), phase::ended);

  ask_slot& again = all.take();
  ASSERT_EQ(&again, &slot) << "the slot that was freed last is cached";
  const origin second = again.open(phase::open_to_continuation);
  EXPECT_EQ(second.index(), first.index());
  EXPECT_NE(second.generation, first.generation);
  EXPECT_EQ(again.claim(first.generation), phase::ended);
  EXPECT_EQ(again.claim(second.generation), phase::open_to_continuation);
  EXPECT_EQ(again.claim(second.generation), phase::ended) << "a second answer";
  EXPECT_TRUE(again.take());
  EXPECT_EQ(again.claim(second.generation), phase::ended);
}

TEST(ask_registry, a_slot_that_was_left_is_free_when_its_answer_has_ended) {
  few_asks all;
  ask_slot& slot = all.take();
  const origin asked = slot.open(phase::open_to_continuation);
  (void)slot.claim(asked.generation);
  EXPECT_FALSE(slot.leave()) << "the answer is on its way";
  EXPECT_FALSE(slot.take()) << "it is late";
  EXPECT_TRUE(slot.settle().settled().is_ended());
}

TEST(ask_registry, gives_out_each_slot_once_and_no_more_than_it_has) {
  few_asks all;
  std::array<bool, 4> found{};
  for (std::uint32_t i = 0; i < all.slots.size(); ++i) {
    ask_slot& slot = all.take();
    EXPECT_EQ(all.store.at(slot.number), &slot);
    EXPECT_FALSE(found[slot.number]);
    found[slot.number] = true;
  }
  EXPECT_EQ(all.store.take(all.cache), nullptr);
  all.end(all.store[2]);
  EXPECT_EQ(all.take().number, 2u) << "but what comes back is used again";
}

// spec: M6
TEST(ask_registry, retires_a_slot_whose_generations_are_used_up) {
  few_asks all;
  ask_slot& slot = all.take();
  slot.word.store(ask_word::ended_at(ask_word::last_generation - 1).bits,
                  relaxed);  // relaxed: one thread
  const origin last = slot.open(phase::open_to_thread);
  EXPECT_EQ(last.generation, ask_word::last_generation);
  EXPECT_EQ(all.store.retired(), 0u);
  all.end(slot);
  EXPECT_EQ(all.store.retired(), 1u);
  for (std::uint32_t i = 1; i < all.slots.size(); ++i)
    EXPECT_NE(&all.take(), &slot) << "it is never given out again";
  EXPECT_EQ(all.store.take(all.cache), nullptr);
}

}  // namespace
}  // namespace tactor
