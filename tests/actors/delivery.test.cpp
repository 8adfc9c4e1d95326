// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/ask/thread_ask.hpp"
#include "tactor/core/life/start_stop.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/send/full.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/send/tell_result.hpp"

#include "actor_rig.hpp"
#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace rig;
using entry = log::entry;

template <class Ref>
void stop(rig::system_services& services, const Ref& whom) {
  request_stop(*whom.slot(), whom.generation());
  services.run_all();
}

// Before there is a system, and memory for envelopes.
const tell_result first_tell = actor_ref<note>{}.tell(note{1});
const tell_result first_try = actor_ref<note>{}.try_tell(note{1}).error().why;

// spec: A2a
TEST(delivery, an_empty_reference_is_closed_also_as_the_first_statement_of_a_program) {
  EXPECT_EQ(first_tell, tell_result::closed);
  EXPECT_EQ(first_try, tell_result::closed);
}

// spec: M2
TEST(delivery, a_capacity_is_exact) {
  for (const std::uint32_t capacity : {1U, 2U, 5U}) {
    rig::system_services services;
    const auto ref =
        services.make<recorder>({.capacity = capacity, .overflow = overflow_strategy::reject});
    services.run_all();
    for (int round = 0; round < 3; ++round) {
      for (std::uint32_t i = 0; i < capacity; ++i)
        EXPECT_EQ(ref.tell(note{1}), tell_result::ok);
      EXPECT_EQ(ref.tell(note{2}), tell_result::full);
      EXPECT_EQ(ref.tell(note{2}), tell_result::full);
      services.run_all();
    }
    EXPECT_EQ(story.count('h'), std::size_t{3} * capacity);
    EXPECT_EQ(story.count('d'), 6u);
    stop(services, ref);
  }
}

// spec: M2
TEST(delivery, the_message_that_is_being_handled_does_not_wait) {
  rig::system_services services;
  const auto ref = services.make<scripted>({.capacity = 1, .overflow = overflow_strategy::reject},
                                           [](scripted::context& ctx, int number) {
                                             if (number != 1) return;
                                             EXPECT_EQ(ctx.self().tell(note{2}), tell_result::ok);
                                             EXPECT_EQ(ctx.self().tell(note{3}), tell_result::full);
                                           });
  EXPECT_EQ(ref.tell(note{1}), tell_result::ok);
  services.run_all();

  EXPECT_TRUE(story.is(entry{'h', 1}, entry{'d', 3}, entry{'h', 2}));
  stop(services, ref);
}

// spec: M3
// case: MB-03
TEST(delivery, by_the_rule_dead_letter_the_eleventh_of_ten_becomes_one) {
  rig::system_services services;
  const auto ref =
      services.make<recorder>({.capacity = 10, .overflow = overflow_strategy::dead_letter});
  for (int i = 1; i <= 10; ++i)
    EXPECT_EQ(ref.tell(note{i}), tell_result::ok);
  EXPECT_EQ(ref.tell(note{11}), tell_result::ok) << "its sender has done its part";
  EXPECT_TRUE(story.is(entry{'d', 11}));
  EXPECT_EQ(services.last_reason, drop_reason::dead_letter_rule);
  EXPECT_EQ(services.last_target, ref.index());

  EXPECT_EQ(services.run_one(1).messages, 1u);
  EXPECT_EQ(ref.tell(note{12}), tell_result::ok);
  EXPECT_EQ(story.count('d'), 1u) << "one was taken, so one fits";
  services.run_all();
  EXPECT_EQ(story.count('h'), 11u);
  EXPECT_EQ(story[story.size() - 1], (entry{'h', 12}));
  stop(services, ref);
}

// spec: M3
// case: MB-04
TEST(delivery, by_the_rule_drop_newest_the_sender_is_told_and_the_queue_stays) {
  rig::system_services services;
  const auto ref =
      services.make<recorder>({.capacity = 2, .overflow = overflow_strategy::drop_newest});
  (void)ref.tell(note{1});
  (void)ref.tell(note{2});

  EXPECT_EQ(ref.tell(note{3}), tell_result::dropped);
  EXPECT_TRUE(story.is(entry{'d', 3}));
  EXPECT_EQ(services.last_reason, drop_reason::dropped_newest);
  services.run_all();
  EXPECT_TRUE(story.is(entry{'d', 3}, entry{'h', 1}, entry{'h', 2}));
  stop(services, ref);
}

// spec: M3 M7
// case: MB-05
TEST(delivery, by_the_rule_drop_oldest_the_oldest_is_dropped) {
  rig::system_services services;
  const auto ref =
      services.make<recorder>({.capacity = 3, .overflow = overflow_strategy::drop_oldest});
  for (int i = 1; i <= 4; ++i)
    EXPECT_EQ(ref.tell(note{i}), tell_result::ok);

  EXPECT_TRUE(story.is(entry{'d', 1}));
  EXPECT_EQ(services.last_reason, drop_reason::dropped_oldest);
  EXPECT_EQ(services.last_target, ref.index());
  services.run_all();
  EXPECT_TRUE(story.is(entry{'d', 1}, entry{'h', 2}, entry{'h', 3}, entry{'h', 4}));
  stop(services, ref);
}

// spec: M2
TEST(delivery, by_the_rule_drop_oldest_a_yield_between_two_messages_gives_no_extra_capacity) {
  rig::system_services services;
  services.limits.messages = 1;
  const auto ref =
      services.make<recorder>({.capacity = 3, .overflow = overflow_strategy::drop_oldest});
  for (int i = 1; i <= 3; ++i)
    (void)ref.tell(note{i});
  (void)services.run_one();
  (void)ref.tell(note{4});
  EXPECT_TRUE(story.is(entry{'h', 1}));

  (void)ref.tell(note{5});
  services.run_all();
  EXPECT_TRUE(story.is(entry{'h', 1}, entry{'d', 2}, entry{'h', 3}, entry{'h', 4}, entry{'h', 5}));
  stop(services, ref);
}

// The contents of the message differ from those of a moved-from message.
struct parcel {
  explicit parcel(int with) noexcept : content(with) {}
  parcel(parcel&& other) noexcept : content(std::exchange(other.content, 0)) {}
  parcel& operator=(parcel&& other) noexcept {
    std::swap(content, other.content);
    return *this;
  }
  parcel(const parcel&) = delete;
  parcel& operator=(const parcel&) = delete;
  ~parcel() {
    if (content != 0) ++destroyed;
  }

  int content;
  static inline int destroyed = 0;
};
static_assert(!std::is_copy_constructible_v<parcel>);

class depot : public actor<parcel> {
public:
  void receive(context& /*ctx*/, parcel p) { story.add('h', p.content); }
};

// spec: M3
// case: MB-07
TEST(delivery, by_the_rule_reject_the_message_comes_back_whole_and_nothing_is_counted) {
  rig::system_services services;
  const auto ref = services.make<depot>({.capacity = 1, .overflow = overflow_strategy::reject});
  EXPECT_TRUE(ref.try_tell(parcel{1}).has_value());

  auto refused = ref.try_tell(parcel{2});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().why, tell_result::full);
  EXPECT_EQ(refused.error().message.content, 2);
  EXPECT_EQ(story.size(), 0u) << "no dead letter";
  services.run_all();
  EXPECT_TRUE(ref.try_tell(std::move(refused.error().message)).has_value());
  services.run_all();
  EXPECT_TRUE(story.is(entry{'h', 1}, entry{'h', 2}));

  (void)ref.tell(parcel{3});
  EXPECT_EQ(ref.tell(parcel{4}), tell_result::full);
  EXPECT_EQ(services.last_reason, drop_reason::full) << "whoever does not want it back has lost it";
  stop(services, ref);
}

// case: MB-19
TEST(delivery, a_message_that_can_only_be_moved_goes_through_every_rule) {
  for (const overflow_strategy rule :
       {overflow_strategy::reject, overflow_strategy::drop_newest, overflow_strategy::drop_oldest,
        overflow_strategy::dead_letter}) {
    rig::system_services services;
    parcel::destroyed = 0;
    const auto ref = services.make<depot>({.capacity = 2, .overflow = rule});
    for (int i = 1; i <= 3; ++i)
      (void)ref.tell(parcel{i});
    EXPECT_EQ(parcel::destroyed, 1) << "the one that did not fit";
    services.run_all();

    const int first = rule == overflow_strategy::drop_oldest ? 2 : 1;
    EXPECT_EQ(story.count('d'), 1u);
    EXPECT_EQ(story[1], (entry{'h', first}));
    EXPECT_EQ(story[2], (entry{'h', first + 1}));
    EXPECT_EQ(parcel::destroyed, 3) << "each once";
    (void)ref.tell(parcel{4});
    stop(services, ref);
    EXPECT_EQ(parcel::destroyed, 4);
  }
}

// case: MB-21
TEST(delivery, messages_sent_before_the_actor_has_started_wait_under_the_same_rule) {
  for (const overflow_strategy rule :
       {overflow_strategy::reject, overflow_strategy::drop_newest, overflow_strategy::drop_oldest,
        overflow_strategy::dead_letter}) {
    rig::system_services services;
    const auto ref = services.make<recorder>({.capacity = 2, .overflow = rule});
    for (int i = 1; i <= 3; ++i)
      (void)ref.tell(note{i});
    services.run_all();

    const bool oldest = rule == overflow_strategy::drop_oldest;
    EXPECT_TRUE(story.is(entry{'d', oldest ? 1 : 3}, entry{'h', oldest ? 2 : 1},
                         entry{'h', oldest ? 3 : 2}));
    stop(services, ref);
  }
}

// spec: M1
TEST(delivery, a_stop_gets_through_a_full_mailbox) {
  for (const overflow_strategy rule :
       {overflow_strategy::reject, overflow_strategy::drop_newest, overflow_strategy::drop_oldest,
        overflow_strategy::dead_letter}) {
    rig::system_services services;
    const auto ref =
        services.make<recorder>({.capacity = 1, .overflow = rule, .reserve_for_system = 0});
    services.run_all();
    (void)ref.tell(note{1});
    request_stop(*ref.slot(), ref.generation());
    services.run_all();
    EXPECT_TRUE(story.is(entry{'d', 1}, entry{'p'}, entry{'e'})) << "before what waits";
  }
}

// spec: M1
// case: MB-14
TEST(delivery, a_system_message_has_a_permit_when_the_mailbox_is_full) {
  for (const overflow_strategy rule : {overflow_strategy::reject, overflow_strategy::drop_oldest}) {
    rig::system_services services;
    const auto ref =
        services.make<recorder>({.capacity = 1, .overflow = rule, .reserve_for_system = 1});
    services.run_all();
    EXPECT_EQ(ref.tell(note{1}), tell_result::ok);
    EXPECT_EQ(post(ref, 11), tell_result::ok);
    services.run_all();
    EXPECT_TRUE(story.is(entry{'h', 11}, entry{'h', 1}));
    stop(services, ref);
  }
}

// spec: M1
// case: MB-15
TEST(delivery, a_used_up_reserve_is_told_to_the_sender_and_to_the_services) {
  for (const std::uint32_t reserve : {0U, 1U, 3U}) {
    rig::system_services services;
    const auto ref = services.make<recorder>({.reserve_for_system = reserve});
    services.run_all();
    for (int round = 1; round <= 2; ++round) {
      for (std::uint32_t i = 0; i < reserve; ++i)
        EXPECT_EQ(post(ref, 1), tell_result::ok);
      EXPECT_EQ(post(ref, 2), tell_result::full);
      EXPECT_EQ(story.count('x'), static_cast<std::size_t>(round)) << "an event is raised";
      services.run_all();
      EXPECT_EQ(story.count('h'), static_cast<std::size_t>(round) * reserve)
          << "its places are free again";
    }
    stop(services, ref);
    EXPECT_EQ(story.count('e'), 1u) << "the stop needed no place";
  }
}

// spec: M1
TEST(delivery, system_messages_that_a_stop_discards_release_their_permits) {
  rig::system_services services;
  const auto old = services.make<recorder>({.reserve_for_system = 1});
  services.run_all();
  EXPECT_EQ(post(old, 1), tell_result::ok);
  stop(services, old);
  EXPECT_EQ(story[0], (entry{'p'}));
  EXPECT_EQ(story[1], (entry{'d', 1}));

  const auto next = services.make<recorder>({.reserve_for_system = 1});
  ASSERT_EQ(next.slot(), old.slot());
  services.run_all();
  EXPECT_EQ(post(next, 2), tell_result::ok);
  services.run_all();
  EXPECT_EQ(story[story.size() - 1], (entry{'h', 2}));
  stop(services, next);
}

// spec: M3
// case: MB-17
TEST(delivery, a_closed_mailbox_refuses_and_what_was_queued_is_a_dead_letter_once) {
  for (const overflow_strategy rule :
       {overflow_strategy::reject, overflow_strategy::drop_newest, overflow_strategy::drop_oldest,
        overflow_strategy::dead_letter}) {
    rig::system_services services;
    const auto ref = services.make<recorder>({.capacity = 4, .overflow = rule});
    services.run_all();
    EXPECT_EQ(post(ref, 7), tell_result::ok);
    (void)ref.tell(note{1});
    (void)ref.tell(note{2});
    stop(services, ref);
    EXPECT_TRUE(story.is(entry{'d', 1}, entry{'d', 2}, entry{'p'}, entry{'d', 7}, entry{'e'}));

    EXPECT_EQ(ref.tell(note{3}), tell_result::closed);
    EXPECT_EQ(post(ref, 8), tell_result::closed);
    EXPECT_EQ(story.size(), 6u);
    EXPECT_EQ(story[5], (entry{'d', 3}));
    EXPECT_EQ(services.last_target, ref.index());
    auto back = ref.try_tell(note{4});
    ASSERT_FALSE(back.has_value());
    EXPECT_EQ(back.error().why, tell_result::closed);
    EXPECT_EQ(back.error().message.number, 4);
    EXPECT_EQ(story.size(), 6u);
  }
}

// spec: M2 M5
TEST(delivery, the_next_tenant_of_a_slot_has_all_its_permits_whatever_was_left_behind) {
  for (const overflow_strategy rule :
       {overflow_strategy::reject, overflow_strategy::drop_newest, overflow_strategy::drop_oldest,
        overflow_strategy::dead_letter}) {
    rig::system_services services;
    cell* slot = nullptr;
    for (int tenancy = 0; tenancy < 3; ++tenancy) {
      const auto ref = services.make<recorder>({.capacity = 2, .overflow = rule});
      if (slot != nullptr) {
        ASSERT_EQ(ref.slot(), slot);
      }
      slot = ref.slot();
      story.clear();
      (void)ref.tell(note{1});
      (void)ref.tell(note{2});
      EXPECT_EQ(story.count('d'), 0u);
      (void)ref.tell(note{3});
      EXPECT_EQ(story.count('d'), 1u);
      stop(services, ref);
      EXPECT_EQ(story.count('d'), 3u);
    }
  }
}

// Slow senders: they read the limits of an earlier tenant.
// spec: M2 M5
TEST(delivery, a_late_message_neither_keeps_nor_gives_away_a_permit) {
  rig::system_services services;
  const auto first =
      services.make<recorder>({.capacity = 2, .overflow = overflow_strategy::reject});
  cell& c = *first.slot();
  stop(services, first);
  const auto second = services.make<recorder>({});
  ASSERT_EQ(second.slot(), &c);
  services.run_all();
  // A sender that acquired its permit before the first tenant ended.
  envelope& counted = enclosed(1, first.generation());
  c.permits_taken.fetch_add(1, relaxed);  // relaxed: one thread
  counted.detail = holds_permit;
  if (c.box.push(counted) == push_result::make_ready) make_ready(c);
  services.run_all();
  EXPECT_EQ(c.permits_taken.load(relaxed), 0u);  // relaxed: one thread
  stop(services, second);

  const auto third =
      services.make<recorder>({.capacity = 2, .overflow = overflow_strategy::reject});
  ASSERT_EQ(third.slot(), &c);
  services.run_all();
  // A sender that read the limits of the second tenant, which has none.
  if (c.box.push(enclosed(2, second.generation())) == push_result::make_ready) make_ready(c);
  services.run_all();
  EXPECT_EQ(c.permits_taken.load(relaxed), 0u);  // relaxed: one thread
  EXPECT_EQ(third.tell(note{3}), tell_result::ok);
  EXPECT_EQ(third.tell(note{4}), tell_result::ok);
  EXPECT_EQ(third.tell(note{5}), tell_result::full);
  stop(services, third);
}

// Dead letters are reported when nothing is locked: their handler may send.
// spec: M3
TEST(delivery, a_dead_letter_handler_may_send_to_the_same_mailbox) {
  static actor_ref<note> target;
  for (const overflow_strategy rule :
       {overflow_strategy::reject, overflow_strategy::drop_newest, overflow_strategy::drop_oldest,
        overflow_strategy::dead_letter}) {
    rig::system_services services;
    target = services.make<recorder>({.capacity = 1, .overflow = rule});
    services.on_dead_letter = [](const lost_message&) noexcept {
      if (story.count('d') < 3) (void)target.tell(note{9});
    };
    (void)target.tell(note{1});
    (void)target.tell(note{2});
    EXPECT_EQ(story.count('d'), 3u);
    services.on_dead_letter = nullptr;
    services.run_all();
    EXPECT_EQ(story.count('h'), 1u);
    stop(services, target);
  }
}

// A message that sends another one when it is destroyed.
struct echo {
  explicit echo(int times) noexcept : left(times) {}
  echo(echo&& other) noexcept : left(std::exchange(other.left, 0)) {}
  echo(const echo&) = delete;
  echo& operator=(const echo&) = delete;
  ~echo() {
    if (left > 0) (void)actor_ref<echo>{to.slot(), to.generation()}.tell(echo{left - 1});
  }

  int left;
  static inline actor_ref<> to;
};
class echo_keeper : public actor<echo> {
public:
  void receive(context& /*ctx*/, echo e) {
    e.left = 0;
    story.add('h');
  }
};

// The destructor of what is evicted is user code: it runs when nothing is locked.
// case: MB-05
TEST(delivery, what_is_evicted_may_send_when_it_is_destroyed) {
  rig::system_services services;
  const auto ref =
      services.make<echo_keeper>({.capacity = 1, .overflow = overflow_strategy::drop_oldest});
  echo::to = ref;
  (void)ref.tell(echo{2});
  (void)ref.tell(echo{0});
  EXPECT_EQ(story.count('d'), 2u) << "the one that echoed, and the one that made room for its echo";

  services.run_all();
  EXPECT_EQ(story.count('h'), 1u);
  stop(services, ref);
}

// spec: M6
TEST(delivery, a_reference_is_safe_when_its_system_is_gone_and_when_it_is_empty) {
  static_assert(std::is_trivially_copyable_v<actor_ref<note>>);
  actor_ref<note> left;
  {
    rig::system_services services;
    const auto ref = services.make<recorder>({});
    left = ref;
    stop(services, ref);
  }
  EXPECT_EQ(left.tell(note{1}), tell_result::closed);
  EXPECT_EQ(actor_ref<note>{}.tell(note{1}), tell_result::closed);
  EXPECT_FALSE(actor_ref<note>{});
  EXPECT_EQ(actor_ref<note>{}.index(), mailbox_index{});
  auto back = left.try_tell(note{5});
  ASSERT_FALSE(back.has_value());
  EXPECT_EQ(back.error().message.number, 5);
}

// spec: M5
TEST(delivery, an_ask_takes_one_answer_and_the_others_are_dead_letters) {
  rig::system_services services;
  const auto some = services.make<recorder>({});
  const std::size_t before = story.size();
  thread_ask asked = thread_ask::open(some.slot()->gate.load(relaxed));  // relaxed: one thread
  const origin from = asked.as_origin();
  EXPECT_FALSE(asked.answered());
  internal::answer_reply_slot<note>(from, note{4});
  internal::answer_reply_slot<note>(from, note{5});
  EXPECT_EQ(services.last_reason, drop_reason::late_answer) << "the second one";
  EXPECT_EQ(story.size(), before + 1);
  EXPECT_EQ(story[before], (entry{'d', 5}));
  ASSERT_TRUE(asked.answered());
  EXPECT_EQ(asked.take<note>()->number, 4);
  asked.close();
  EXPECT_EQ(story.size(), before + 1);

  internal::answer_reply_slot<note>(from, note{6});
  EXPECT_EQ(services.last_reason, drop_reason::late_answer) << "too late";
  EXPECT_EQ(story[before + 1], (entry{'d', 6}));
  stop(services, some);
}

// spec: M5
TEST(delivery, a_reply_to_an_ended_ask_does_not_answer_the_slots_next_ask) {
  rig::system_services services;
  const auto some = services.make<recorder>({});
  system_gate* const gate = some.slot()->gate.load(relaxed);  // relaxed: one thread
  thread_ask first = thread_ask::open(gate);
  const origin stale = first.as_origin();
  first.close();
  thread_ask second = thread_ask::open(gate);
  ASSERT_EQ(second.as_origin().index(), stale.index());

  internal::answer_reply_slot<note>(stale, note{1});
  EXPECT_FALSE(second.answered());
  internal::refuse_answer(this_thread(), stale, ask_failure::no_reply);
  EXPECT_FALSE(second.answered());
  EXPECT_EQ(story.count('d'), 1u);
  second.close();
  stop(services, some);
}

}  // namespace
}  // namespace tactor
