// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/intrusive_list.hpp"
#include "tactor/base/ring.hpp"
#include "tactor/base/slab.hpp"

#include "property.hpp"  // IWYU pragma: keep
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <ostream>
#include <span>
#include <utility>
#include <vector>

namespace tactor::property {

using namespace tactor::internal;

namespace {

struct step {
  unsigned what;
  std::size_t which;
};

// A history of up to some hundred steps: the action and the element.
std::vector<step> any_history(unsigned kinds, std::size_t elements) {
  const auto any_step = rc::gen::map(
      rc::gen::pair(rc::gen::inRange(0u, kinds), rc::gen::inRange(std::size_t{0}, elements)),
      [](const std::pair<unsigned, std::size_t>& chosen) {
        return step{.what = chosen.first, .which = chosen.second};
      });
  return *rc::gen::scale(3.0, rc::gen::container<std::vector<step>>(any_step));
}

// NOLINTNEXTLINE(readability-identifier-naming): RapidCheck calls it
[[maybe_unused]] void showValue(const step& each, std::ostream& out) {
  out << each.what << '(' << each.which << ')';
}

RC_GTEST_PROP(ring_property, is_a_queue_of_bounded_length, ()) {
  const auto capacity = *rc::gen::inRange(std::size_t{0}, std::size_t{6});
  // The storage is between two numbers that the ring must not change.
  std::vector<int> memory(capacity + 2, -1);
  ring<int> subject{std::span{memory}.subspan(1, capacity)};
  std::deque<int> model;
  int fresh = 0;

  for (const step& each : any_history(3, 1)) {
    if (each.what == 0) {
      const bool fits = model.size() < capacity;
      RC_ASSERT(subject.push(++fresh) == fits);
      if (fits) model.push_back(fresh);
    } else if (each.what == 1) {
      const bool drops = model.size() == capacity;
      RC_ASSERT(subject.push_over_oldest(++fresh) == drops);
      model.push_back(fresh);
      if (drops) model.pop_front();
    } else {
      const std::optional<int> oldest = model.empty() ? std::nullopt : std::optional{model.front()};
      RC_ASSERT(subject.pop() == oldest);
      if (oldest) model.pop_front();
    }
    RC_ASSERT(subject.size() == model.size());
    RC_ASSERT(subject.empty() == model.empty());
    RC_ASSERT(subject.full() == (model.size() == capacity));
    RC_ASSERT(memory.front() == -1);
    RC_ASSERT(memory.back() == -1);
    for (std::size_t age = 0; age < model.size(); ++age)
      RC_ASSERT(subject[age] == model[age]);
  }
}

struct element : intrusive_list_node<element> {};

RC_GTEST_PROP(intrusive_list_property, is_a_sequence_in_both_directions, ()) {
  constexpr std::size_t count = 8;
  std::vector<element> elements(count);
  intrusive_list<element> subject;
  std::vector<element*> model;

  for (const step& each : any_history(7, count)) {
    element& chosen = elements[each.which];
    const auto found = std::ranges::find(model, &chosen);
    const bool is_in = found != model.end();
    if (each.what == 0 && !is_in) {
      subject.push_back(chosen);
      model.push_back(&chosen);
    } else if (each.what == 1 && !is_in) {
      const std::size_t before = model.size() / 2;
      subject.insert_before(before == model.size() ? nullptr : model[before], chosen);
      model.insert(model.begin() + static_cast<std::ptrdiff_t>(before), &chosen);
    } else if (each.what == 2 && is_in) {
      subject.erase(chosen);
      model.erase(found);
    } else if (each.what == 3) {
      element* const first = model.empty() ? nullptr : model.front();
      RC_ASSERT(subject.pop_front() == first);
      if (first != nullptr) model.erase(model.begin());
    } else if (each.what == 4) {
      intrusive_list<element> moved{std::move(subject)};
      subject = std::move(moved);
    } else if (each.what == 5 && !is_in) {
      subject.push_front(chosen);
      model.insert(model.begin(), &chosen);
    } else if (each.what == 6) {
      element* const last = model.empty() ? nullptr : model.back();
      RC_ASSERT(subject.pop_back() == last);
      if (last != nullptr) model.pop_back();
    }
    RC_ASSERT(subject.empty() == model.empty());
    RC_ASSERT(subject.front() == (model.empty() ? nullptr : model.front()));
    for (std::size_t i = 0; i < model.size(); ++i) {
      RC_ASSERT(subject.next(*model[i]) == (i + 1 < model.size() ? model[i + 1] : nullptr));
      RC_ASSERT(subject.previous(*model[i]) == (i > 0 ? model[i - 1] : nullptr));
    }
    if (!model.empty()) RC_ASSERT(subject.back() == model.back());
  }
}

// With generations of 8 bits a slot has 128 tenancies, so that some slots are retired within a
// history.
RC_GTEST_PROP(slab_property, takes_unused_slots_under_names_that_are_never_reused, ()) {
  using pool = slab<int, std::uint8_t>;
  const auto capacity = *rc::gen::inRange(std::size_t{0}, std::size_t{4});
  std::vector<pool::slot> slots(capacity);
  pool subject{slots};
  std::vector<std::pair<pool::handle, int*>> held;
  std::vector<pool::handle> old;
  std::map<std::uint32_t, unsigned> tenancies;  // by index

  const auto free_slots = [&] {
    const auto retired =
        std::ranges::count_if(tenancies, [](const auto& each) { return each.second == 128; });
    // A slot in its last tenancy is both held and counted as retired.
    const auto last = std::ranges::count_if(
        held, [&](const auto& each) { return tenancies[each.first.index] == 128; });
    return capacity - held.size() - static_cast<std::size_t>(retired - last);
  };

  const auto history = any_history(4, 8);
  for (int round = 0; round < 8; ++round) {
    for (const step& each : history) {
      if (each.what <= 1) {
        const std::size_t available = free_slots();
        const auto taken = subject.take();
        RC_ASSERT((taken.object != nullptr) == (available > 0));
        if (taken.object == nullptr) continue;
        RC_ASSERT(std::ranges::find(old, taken.name) == old.end());
        for (const auto& [name, object] : held) {
          RC_ASSERT(name.index != taken.name.index);
          RC_ASSERT(object != taken.object);
        }
        ++tenancies[taken.name.index];
        held.emplace_back(taken.name, taken.object);
      } else if (each.what == 2 && !held.empty()) {
        const std::size_t which = each.which % held.size();
        const auto name = held[which].first;
        RC_ASSERT(subject.give_back(name));
        old.push_back(name);
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
      } else if (each.what == 3 && !old.empty()) {
        RC_ASSERT(!subject.give_back(old[each.which % old.size()]));
      }
      for (const auto& [name, object] : held)
        RC_ASSERT(subject.find(name) == object);
      if (!old.empty()) RC_ASSERT(subject.find(old[each.which % old.size()]) == nullptr);
    }
  }
}

TEST(slab_property, a_slot_is_retired_after_its_last_generation_and_no_old_name_becomes_valid) {
  using pool = slab<int, std::uint8_t>;
  std::vector<pool::slot> slots(1);
  pool subject{slots};
  std::vector<pool::handle> old;

  for (int tenancy = 0; tenancy < 128; ++tenancy) {
    const auto taken = subject.take();
    ASSERT_NE(taken.object, nullptr);
    for (const auto& name : old)
      ASSERT_EQ(subject.find(name), nullptr);
    ASSERT_TRUE(subject.give_back(taken.name));
    old.push_back(taken.name);
  }

  EXPECT_EQ(subject.take().object, nullptr);
  for (const auto& name : old)
    EXPECT_EQ(subject.find(name), nullptr);
}

}  // namespace
}  // namespace tactor::property
