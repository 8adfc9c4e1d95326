// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/cell/mailbox_registry.hpp"

#include "tactor/base/memory_source.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/lifecycle_word.hpp"
#include "tactor/port/port.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace tactor {

using namespace tactor::internal;

namespace {

// Pages for two registries' worth of tests, reused by each.
constexpr std::size_t first_pages = 3;
constexpr std::size_t storage_size =
    sizeof(cell) * mailbox_registry::first_page * (1U << (first_pages - 1)) + 64;

struct registry {
  registry() : pages(fresh_room()) {}

  static std::span<std::byte> fresh_room() {
    static page_storage<storage_size> storage;
    for (std::byte& each : storage.bytes)
      each = std::byte{0};
    return storage.bytes;
  }
  [[nodiscard]] cell& take() {
    cell* const taken = store.take(cache);
    if (taken == nullptr) port::panic({.module = 6, .id = 92, .advice = "no slot"});
    return *taken;
  }
  void end(cell& c) {
    store.end_tenancy(c);
    store.give_back(cache, c);
  }
  static mailbox_index index_of(const cell& c) { return {.slot = c.slot, .generation = c.tenant}; }

  static_pages pages;
  mailbox_registry store{pages};
  mailbox_registry::cache cache{};
};

// case: RG-01
TEST(mailbox_registry, finds_a_tenant_until_its_tenancy_ends) {
  registry all;
  cell& c = all.take();
  const mailbox_index index = registry::index_of(c);
  EXPECT_EQ(all.store.find(index), &c);

  all.store.end_tenancy(c);
  EXPECT_EQ(all.store.find(index), nullptr);
  all.store.give_back(all.cache, c);
  EXPECT_EQ(all.store.find(index), nullptr);
}

// spec: M5
// case: RG-02
TEST(mailbox_registry, a_reused_slot_has_another_generation) {
  registry all;
  cell& c = all.take();
  const mailbox_index old = registry::index_of(c);
  all.end(c);
  cell& again = all.take();
  ASSERT_EQ(&again, &c) << "the slot that was freed last is cached";
  const mailbox_index fresh = registry::index_of(again);
  EXPECT_EQ(fresh.slot, old.slot);
  EXPECT_NE(fresh.generation, old.generation);
  EXPECT_EQ(all.store.find(old), nullptr);
  EXPECT_EQ(all.store.find(fresh), &again);

  const auto stop = [](lifecycle_word was) { return was.with_stop_request(); };
  EXPECT_FALSE(again.request(old.generation, stop)) << "a stale request is refused";
  EXPECT_FALSE(
      lifecycle_word{again.lifecycle.load(relaxed)}.stop_requested());  // relaxed: one thread
}

// case: RG-03 RQ-04
TEST(mailbox_registry, finds_nothing_under_numbers_it_never_gave_out) {
  registry all;
  const cell& c = all.take();
  EXPECT_EQ(all.store.find({}), nullptr);
  EXPECT_EQ(all.store.find({.slot = c.slot, .generation = 0}), nullptr);
  EXPECT_EQ(all.store.find({.slot = c.slot, .generation = c.tenant + 1}), nullptr);
  EXPECT_EQ(all.store.find({.slot = c.slot, .generation = c.tenant + 2}), nullptr);
  EXPECT_EQ(all.store.find({.slot = c.slot + 1u, .generation = 1}), nullptr) << "free";
  EXPECT_EQ(all.store.find({.slot = mailbox_registry::first_page, .generation = 1}), nullptr)
      << "no such page yet";
  EXPECT_EQ(all.store.find({.slot = std::numeric_limits<std::uint32_t>::max(), .generation = 1}),
            nullptr);
  EXPECT_EQ(all.store.at(std::numeric_limits<std::uint32_t>::max()), nullptr);
}

// spec: M5
TEST(mailbox_registry, never_gives_out_generation_0_or_a_used_generation) {
  registry all;
  std::uint32_t before = 0;
  for (int tenancy = 0; tenancy < 100; ++tenancy) {
    cell& c = all.take();
    EXPECT_EQ(c.tenant, before + 2 - (before == 0 ? 1 : 0));
    EXPECT_EQ(c.tenant, c.generation());
    before = c.tenant;
    all.end(c);
  }
}

// spec: M5
TEST(mailbox_registry, retires_a_slot_whose_generations_are_used_up) {
  registry all;
  cell& c = all.take();
  all.end(c);
  // relaxed: one thread
  c.lifecycle.store(lifecycle_word::with_generation(lifecycle_word::last_generation - 4).bits,
                    relaxed);

  for (const std::uint32_t expected :
       {lifecycle_word::last_generation - 3, lifecycle_word::last_generation - 1}) {
    EXPECT_EQ(all.store.retired(), 0u);
    cell& tenant = all.take();
    ASSERT_EQ(&tenant, &c);
    EXPECT_EQ(tenant.tenant, expected);
    all.end(tenant);
  }
  EXPECT_EQ(all.store.retired(), 1u);
  const mailbox_index last{.slot = c.slot, .generation = lifecycle_word::last_generation - 1};
  EXPECT_EQ(all.store.find(last), nullptr);
  const std::uint32_t others = all.store.made();
  for (std::uint32_t i = 1; i < others; ++i)
    EXPECT_NE(&all.take(), &c) << "it is never given out again";
}

TEST(mailbox_registry, gives_out_each_slot_once_and_finds_it_by_its_number_on_every_page) {
  registry all;
  constexpr std::uint32_t slots = mailbox_registry::first_page * (1U << (first_pages - 1));
  for (std::uint32_t i = 0; i < slots; ++i) {
    cell& c = all.take();
    EXPECT_EQ(c.tenant, 1u) << "it has no earlier tenant";
    EXPECT_EQ(all.store.at(c.slot), &c);
    EXPECT_LT(c.slot, slots);
  }
  EXPECT_EQ(all.store.made(), slots);
  EXPECT_EQ(all.store.take(all.cache), nullptr) << "there is no memory for another slot";

  all.end(*all.store.at(slots / 2));
  EXPECT_EQ(all.take().slot, slots / 2) << "but what comes back is used again";
}

TEST(mailbox_registry, slots_given_back_by_one_thread_are_used_by_another) {
  registry all;
  cell& c = all.take();
  const std::uint32_t made = all.store.made();
  all.end(c);
  all.store.give_back_all(all.cache);

  mailbox_registry::cache other{};
  for (std::uint32_t i = 0; i < made; ++i)
    EXPECT_NE(all.store.take(other), nullptr);
  EXPECT_EQ(all.store.made(), made);
}

}  // namespace
}  // namespace tactor
