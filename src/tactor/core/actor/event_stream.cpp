// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/event_stream.hpp"

#include "tactor/base/lock_guard.hpp"
#include "tactor/core/message/message_operations.hpp"

#include <array>
#include <new>
#include <span>
#include <utility>

namespace tactor::inline v0 {

namespace internal {

/// One subscription.
struct subscription {
  subscription* next = nullptr;
  std::uint64_t number = 0;
  const type_identity* type = nullptr;
  actor_ref<> who;
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
  while (first_ != nullptr)
    (void)remove(nullptr, first_->who);
}

bool event_stream::add(const type_identity& type, const actor_ref<>& who) noexcept {
  if (!who || who.slot()->generation() != who.generation()) return false;
  thread_record& here = this_thread();
  void* const storage = new_block(here, block);
  if (storage == nullptr) return false;
  bool twice = false;
  {
    const lock_guard guard{mutex_};
    for (const subscription* s = first_; s != nullptr && !twice; s = s->next)
      twice = *s->type == type && s->who == who;
    if (!twice) {
      auto* const made = ::new (storage)
          subscription{.next = nullptr, .number = ++given_, .type = &type, .who = who};
      (last_ == nullptr ? first_ : last_->next) = made;
      last_ = made;
      size_.fetch_add(1, relaxed);  // relaxed: a hint for publish
    }
  }
  if (twice) free_block(here, storage, block);
  return !twice;
}

/// Takes subscriptions out of the list. Returns: a chain of them.
subscription* event_stream::take_out(const type_identity* type, const actor_ref<>& who) noexcept {
  const lock_guard guard{mutex_};
  subscription* taken = nullptr;
  subscription* before = nullptr;
  for (subscription* s = first_; s != nullptr;) {
    subscription* const next = s->next;
    if (s->who == who && (type == nullptr || *s->type == *type)) {
      (before == nullptr ? first_ : before->next) = next;
      if (last_ == s) last_ = before;
      s->next = std::exchange(taken, s);
    } else {
      before = s;
    }
    s = next;
  }
  return taken;
}

std::size_t event_stream::remove(const type_identity* type, const actor_ref<>& who) noexcept {
  subscription* taken = take_out(type, who);
  std::size_t count = 0;
  for (; taken != nullptr; ++count) {
    subscription* const s = taken;
    taken = s->next;
    free_block(this_thread(), s, block);
    size_.fetch_sub(1, relaxed);  // relaxed: a hint for publish
  }
  return count;
}

/// The next subscribers of `type` after number `seen`, which advances. Returns: how many.
std::size_t event_stream::next_some(const type_identity& type, std::uint64_t& seen,
                                    std::span<actor_ref<>> some) noexcept {
  const lock_guard guard{mutex_};
  std::size_t count = 0;
  for (const subscription* s = first_; s != nullptr && count < some.size(); s = s->next) {
    if (s->number <= seen || *s->type != type) continue;
    some[count++] = s->who;
    seen = s->number;
  }
  return count;
}

std::size_t event_stream::publish(const type_identity& type, const void* event,
                                  deliver_function send_copy) {
  std::size_t taken = 0;
  std::uint64_t seen = 0;
  std::array<actor_ref<>, 8> some;
  std::size_t count = 0;
  do {  // a few at a time: nothing is sent under the lock, and nothing allocated
    count = next_some(type, seen, some);
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

}  // namespace tactor::inline v0
