// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/send/wait_graph.hpp"

#include "tactor/base/lock_guard.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tactor::inline v0::internal {

bool reported_cycles::is_new(std::uint64_t cycle, std::uint64_t now_ns) noexcept {
  entry* at = std::ranges::find(all_, cycle, &entry::cycle);
  const bool news = at == all_.end() || now_ns - at->met_ns >= std::uint64_t{1'000'000'000};
  if (at == all_.end()) --at;
  std::move_backward(all_.begin(), at, at + 1);
  all_.front() = {.cycle = cycle, .met_ns = now_ns};
  return news;
}

bool wait_graph::add(wait_node& from, wait_edge& what, wait_cycle& found) noexcept {
  const lock_guard guard{mutex_};
  const bool to_itself = what.to == from.who && what.generation == from.generation;
  const wait_node* const last = to_itself ? nullptr : search(from, what);
  if (to_itself || last != nullptr) {
    describe(from, last, found);
    return false;
  }
  if (from.first == nullptr) nodes_.insert(from, *pages_);
  what.number = searches_;
  what.previous = nullptr;
  what.next = std::exchange(from.first, &what);
  if (what.next != nullptr) what.next->previous = &what;
  return true;
}

void wait_graph::remove(wait_node& from, wait_edge& what) noexcept {
  const lock_guard guard{mutex_};
  (what.previous == nullptr ? from.first : what.previous->next) = what.next;
  if (what.next != nullptr) what.next->previous = what.previous;
  if (from.first == nullptr) nodes_.erase(from);
}

bool wait_graph::has(const actor_ref<>& from, std::uint64_t number) noexcept {
  const lock_guard guard{mutex_};
  const wait_node* const node = find_locked(*from.slot(), from.generation());
  const wait_edge* each = node == nullptr ? nullptr : node->first;
  while (each != nullptr && each->number != number)
    each = each->next;
  return each != nullptr;
}

bool wait_graph::is_news(const wait_cycle& found, std::uint64_t now_ns) noexcept {
  // The actor that was refused, and the actor that it would wait for: mixed, since 64 bits do.
  const actor_ref<>& from = found.actors[0];
  const actor_ref<>& to = found.actors[found.size == 1 ? 0 : 1];
  const lock_guard guard{mutex_};
  return reported_.is_new(from.index().key() * 0x9E37'79B9'7F4A'7C15U ^ to.index().key(), now_ns);
}

/// The actor, reached from the receiver, that waits for `from`; null: there is none.
wait_node* wait_graph::search(const wait_node& from, const wait_edge& what) noexcept {
  ++searches_;
  wait_node* to_visit = find_locked(*what.to, what.generation);
  if (to_visit == nullptr) return nullptr;
  to_visit->visited_in = searches_;
  to_visit->next_to_visit = nullptr;
  to_visit->reached_from = nullptr;
  while (wait_node* const here = to_visit) {
    to_visit = here->next_to_visit;
    for (const wait_edge* each = here->first; each != nullptr; each = each->next) {
      if (each->to == from.who && each->generation == from.generation) return here;
      wait_node* const next = find_locked(*each->to, each->generation);
      if (next == nullptr || next->visited_in == searches_) continue;
      next->visited_in = searches_;
      next->reached_from = here;
      next->next_to_visit = std::exchange(to_visit, next);
    }
  }
  return nullptr;
}

/// `last` waits for `from`; the actors between them were reached from each other.
void wait_graph::describe(const wait_node& from, const wait_node* last,
                          wait_cycle& found) noexcept {
  found.size = 1;
  for (const wait_node* each = last; each != nullptr; each = each->reached_from)
    ++found.size;
  found.actors[0] = {from.who, from.generation};
  std::uint32_t place = found.size;
  for (const wait_node* each = last; each != nullptr; each = each->reached_from)
    if (--place < wait_cycle::most) found.actors[place] = {each->who, each->generation};
}

wait_node* wait_graph::find_locked(const cell& who, std::uint32_t generation) noexcept {
  return nodes_.find(who.slot, [&](const wait_node& each) {
    return each.who == &who && each.generation == generation;
  });
}

}  // namespace tactor::inline v0::internal
