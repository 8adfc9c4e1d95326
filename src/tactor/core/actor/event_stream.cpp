// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/event_stream.hpp"

#include "tactor/base/assert.hpp"
#include "tactor/base/lock_guard.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/message/message_operations.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace tactor::inline v0 {

namespace internal {

/// One subscription, in two trees: of each actor by type, of each type by number.
struct subscription {
  subscription* left_of_actor = nullptr;
  subscription* right_of_actor = nullptr;
  subscription* left_of_type = nullptr;
  subscription* right_of_type = nullptr;
  const type_identity* type = nullptr;
  actor_ref<> who;
  std::uint64_t number = 0;
};

namespace {

/// Returns: -1, 0 or 1 if `a` is less than, equal to or greater than `b`.
template <class Number>
int compare(Number a, Number b) noexcept {
  return (a > b ? 1 : 0) - (a < b ? 1 : 0);
}
int compare(const type_identity& a, const type_identity& b) noexcept {
  const int by_hash = compare(a.hash, b.hash);
  if (by_hash != 0) return by_hash;
  return compare(reinterpret_cast<std::uintptr_t>(a.key), reinterpret_cast<std::uintptr_t>(b.key));
}
int compare(const actor_ref<>& a, const actor_ref<>& b) noexcept {
  const int by_slot = compare(a.slot()->slot, b.slot()->slot);
  return by_slot != 0 ? by_slot : compare(a.generation(), b.generation());
}

}  // namespace

struct subscription_by_actor {
  static subscription*& left(subscription& of) noexcept { return of.left_of_actor; }
  static subscription*& right(subscription& of) noexcept { return of.right_of_actor; }
  static std::uint64_t priority(const subscription& of) noexcept { return mixed_bits(of.number); }
  static bool comes_before(const subscription& a, const subscription& b) noexcept {
    const int by_actor = compare(a.who, b.who);
    return by_actor != 0 ? by_actor < 0 : compare(*a.type, *b.type) < 0;
  }
};

struct subscription_by_type {
  static subscription*& left(subscription& of) noexcept { return of.left_of_type; }
  static subscription*& right(subscription& of) noexcept { return of.right_of_type; }
  static std::uint64_t priority(const subscription& of) noexcept { return mixed_bits(of.number); }
  static bool comes_before(const subscription& a, const subscription& b) noexcept {
    const int by_type = compare(*a.type, *b.type);
    return by_type != 0 ? by_type < 0 : a.number < b.number;
  }
};

}  // namespace internal

using namespace internal;

namespace {

constexpr message_operations block{.type = {},
                                   .destroy = nullptr,
                                   .print = nullptr,
                                   .size = sizeof(subscription),
                                   .alignment = alignof(subscription),
                                   .suppress_dead_letter = true};

}  // namespace

event_stream::~event_stream() {
  while (subscription* const any = by_actor_.root())
    (void)remove(nullptr, any->who);
}

/// Returns: a subscription of `who`, to `type` unless that is null; null if there is none.
subscription* event_stream::find(const type_identity* type, const actor_ref<>& who) const noexcept {
  const auto order_of = [&](const subscription& each) {
    const int by_actor = compare(each.who, who);
    return by_actor != 0 || type == nullptr ? by_actor : compare(*each.type, *type);
  };
  subscription* const found =
      by_actor_.first_not([&](const subscription& each) { return order_of(each) < 0; });
  return found != nullptr && order_of(*found) == 0 ? found : nullptr;
}

bool event_stream::add(const type_identity& type, const actor_ref<>& who) noexcept {
  TACTOR_ASSERT(program_features().events != nullptr, panics::events_left_out);
  if (!who || who.slot()->generation() != who.generation()) return false;
  thread_record& here = this_thread();
  void* const storage = new_block(here, block);
  if (storage == nullptr) return false;
  auto* const made = ::new (storage) subscription{.type = &type, .who = who};
  bool twice = false;
  {
    const lock_guard guard{mutex_};
    twice = find(&type, who) != nullptr;
    if (!twice) {
      made->number = ++given_;
      by_actor_.insert(*made);
      by_type_.insert(*made);
      size_.fetch_add(1, relaxed);  // relaxed: a hint for publish
    }
  }
  if (twice) {
    free_block(here, storage, block);
    return false;
  }
  // An actor that ends does so in this word, and then removes its subscriptions, if it sees any. It
  // sees this one, unless it has ended before.
  if (who.slot()->request(who.generation(), [](lifecycle_word was) { return was; })) return true;
  (void)remove(&type, who);
  return false;
}

/// Takes a subscription of `who` out of the trees, to `type` unless that is null. Returns: null if
/// there is none.
subscription* event_stream::take_out(const type_identity* type, const actor_ref<>& who) noexcept {
  const lock_guard guard{mutex_};
  subscription* const found = find(type, who);
  if (found == nullptr) return nullptr;
  by_actor_.erase(*found);
  by_type_.erase(*found);
  return found;
}

std::size_t event_stream::remove(const type_identity* type, const actor_ref<>& who) noexcept {
  if (!who) return 0;
  const actor_ref<> whom = who;  // it may be that of a subscription
  std::size_t count = 0;
  while (subscription* const taken = take_out(type, whom)) {
    free_block(this_thread(), taken, block);
    size_.fetch_sub(1, relaxed);  // relaxed: a hint for publish
    ++count;
  }
  return count;
}

/// Returns: the first subscription to `type` with a number above `seen`, or null.
subscription* event_stream::next_of(const type_identity& type, std::uint64_t seen) const noexcept {
  subscription* const next = by_type_.first_not([&](const subscription& each) {
    const int by_type = compare(*each.type, type);
    return by_type != 0 ? by_type < 0 : each.number <= seen;
  });
  return next != nullptr && *next->type == type ? next : nullptr;
}

/// Finds the next subscribers of `type`. Returns: their number. Later ones than the first call knew
/// of are left out, so that a publisher comes to an end.
std::size_t event_stream::next_some(const type_identity& type, progress& of,
                                    std::span<actor_ref<>> some) noexcept {
  const lock_guard guard{mutex_};
  if (of.until == 0) of.until = given_;
  std::size_t count = 0;
  while (count < some.size()) {
    const subscription* const next = next_of(type, of.seen);
    if (next == nullptr || next->number > of.until) break;
    some[count++] = next->who;
    of.seen = next->number;
  }
  return count;
}

std::size_t event_stream::publish(const type_identity& type, const void* event,
                                  deliver_function send_copy) {
  std::size_t taken = 0;
  progress of;
  std::array<actor_ref<>, 8> some;
  std::size_t count = 0;
  do {  // a few at a time: nothing is sent under the lock, and nothing allocated
    count = next_some(type, of, some);
    for (const actor_ref<>& who : std::span{some}.first(count)) {
      const tell_result result = send_copy(who, event);
      if (result == tell_result::ok) {
        ++taken;
      } else {
        refused_.fetch_add(1, relaxed);  // relaxed: statistic only
        if (result == tell_result::closed) (void)unsubscribe_all(who);
      }
    }
  } while (count == some.size());
  return taken;
}

const event_functions internal::event_feature{
    .unsubscribe = [](event_stream& from, const actor_ref<>& who) noexcept {
      return from.unsubscribe_all(who);
    }};

}  // namespace tactor::inline v0
