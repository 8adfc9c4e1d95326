// SPDX-License-Identifier: BSL-1.0
// A slot is used again. Whatever still names its last tenant must not reach the next one, and what
// is sent that way must not be lost in silence.
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/behaviour.hpp"
#include "tactor/core/actor/reply_to.hpp"
#include "tactor/core/cell/lifecycle_word.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using testkit::simulation;

struct note {
  int number = 0;
};
struct wish {
  int number = 0;
  using reply = int;
};

// Records what a tenant of the slot has seen of life.
struct diary {
  std::vector<int> notes;
  std::vector<int> wishes;
  int events = 0;
  int ends = 0;

  [[nodiscard]] bool empty() const {
    return notes.empty() && wishes.empty() && events == 0 && ends == 0;
  }
};

struct announcement {};

class tenant : public actor<note, wish, announcement> {
public:
  explicit tenant(diary* into) : diary_(into) {}
  void receive(context&, const note& n) { diary_->notes.push_back(n.number); }
  int receive(context&, const wish& w) {
    diary_->wishes.push_back(w.number);
    return w.number;
  }
  void receive(context&, announcement) { ++diary_->events; }
  void post_stop(context&) { ++diary_->ends; }

private:
  diary* diary_;
};

constexpr mailbox_options bounded(overflow_strategy rule) {
  return {.capacity = 3, .overflow = rule};
}

// A world in which one slot is left by one actor and taken by another.
struct changed_slot {
  // `before` and `after`: the mailboxes of the two.
  explicit changed_slot(const mailbox_options& before = {}, const mailbox_options& after = {})
      : mailbox_after(after) {
    const auto watcher =
        world.spawn("watcher", [this](context&, const dead_letter& each) { lost.push_back(each); });
    EXPECT_TRUE(world.events().subscribe<dead_letter>(watcher));
    old = world.spawn<tenant>(spawn_options{.name = "tenant", .mailbox = before}, &of_old);
    (void)world.run_to_idle();
  }
  // The old tenant leaves, and the new one moves in.
  void change() {
    world.stop(old);
    (void)world.run_to_idle();
    fresh =
        world.spawn<tenant>(spawn_options{.name = "tenant", .mailbox = mailbox_after}, &of_fresh);
    (void)world.run_to_idle();
    ASSERT_EQ(fresh.slot(), old.slot());
    ASSERT_NE(fresh.generation(), old.generation());
    ASSERT_TRUE(of_fresh.empty());
    of_old = {};
  }
  // Neither of the two got anything, and the new one is well.
  void expect_nobody_reached() {
    (void)world.run_to_idle();
    EXPECT_TRUE(of_old.empty());
    EXPECT_TRUE(of_fresh.empty());
    EXPECT_EQ(fresh.tell(note{1000}), tell_result::ok);
    (void)world.run_to_idle();
    EXPECT_EQ(of_fresh.notes, std::vector{1000});
  }

  mailbox_options mailbox_after;
  diary of_old;
  diary of_fresh;
  std::vector<dead_letter> lost;
  simulation world;
  tenant::ref old;
  tenant::ref fresh;
};

// spec: M5 M6
// case: RG-02
TEST(stale_references, a_message_becomes_a_dead_letter_whatever_mailbox_was_there_and_is) {
  const std::vector<mailbox_options> kinds{{},
                                           bounded(overflow_strategy::drop_oldest),
                                           bounded(overflow_strategy::drop_newest),
                                           bounded(overflow_strategy::reject),
                                           bounded(overflow_strategy::dead_letter)};
  for (const mailbox_options& before : kinds) {
    for (const mailbox_options& after : kinds) {
      changed_slot slot{before, after};
      slot.change();
      EXPECT_EQ(slot.old.tell(note{1}), tell_result::closed);
      const auto back = slot.old.try_tell(note{2});
      ASSERT_FALSE(back);
      EXPECT_EQ(back.error().message.number, 2);

      slot.expect_nobody_reached();
      ASSERT_EQ(slot.lost.size(), 1u);
      EXPECT_EQ(slot.lost[0].target, actor_ref<>{slot.old});
    }
  }
}

// A slow sender: it checked the generation before the slot got its next tenant.
// spec: M5
TEST(stale_references, a_message_that_is_pushed_late_becomes_a_dead_letter_whatever_the_mailboxes) {
  const std::vector<mailbox_options> kinds{{},
                                           bounded(overflow_strategy::drop_oldest),
                                           bounded(overflow_strategy::drop_newest),
                                           bounded(overflow_strategy::reject),
                                           bounded(overflow_strategy::dead_letter)};
  for (const mailbox_options& after : kinds) {
    for (const bool took_a_place : {false, true}) {
      changed_slot slot{{}, after};
      slot.change();
      cell& c = *slot.fresh.slot();
      envelope* const e = internal::enclose<note>(this_thread(), note{1});
      e->from = {};
      e->generation = slot.old.generation();
      if (took_a_place) e->detail = holds_permit;
      if (took_a_place) c.permits_taken.fetch_add(1, relaxed);  // relaxed: one thread
      if (c.box.push(*e) == push_result::make_ready) make_ready(c);

      slot.expect_nobody_reached();
      ASSERT_EQ(slot.lost.size(), 1u);
      EXPECT_EQ(slot.lost[0].target, actor_ref<>{slot.old});
      if (after.capacity != mailbox_options::unbounded) {
        for (int i = 0; i < 3; ++i)
          (void)slot.fresh.tell(note{i});
        EXPECT_EQ(slot.world.metrics().all_dead_letters(), 1u) << "it has all its places";
        (void)slot.fresh.tell(note{4});
        EXPECT_EQ(slot.world.metrics().all_dead_letters(), 2u) << "and not one more";
      }
    }
  }
}

// A notice or a note that comes late may wake the next tenant, and nothing else.
// spec: M5
TEST(stale_references, late_notices_wake_the_next_tenant_at_most) {
  for (const overflow_strategy rule : {overflow_strategy::reject, overflow_strategy::drop_oldest}) {
    changed_slot slot{bounded(rule), {}};
    slot.change();
    cell& c = *slot.fresh.slot();
    if (c.box.mark_side_queue() == push_result::make_ready) make_ready(c);
    if (c.box.give_notice() == push_result::make_ready) make_ready(c);
    EXPECT_LE(slot.world.run_to_idle(), 2u);
    slot.expect_nobody_reached();
  }
}

// spec: M5
TEST(stale_references, a_stop_or_drain_request_is_refused) {
  changed_slot slot;
  slot.change();
  slot.world.stop(slot.old);
  slot.world.drain(slot.old);
  const auto other = slot.world.spawn("other", [&](context& ctx, const note&) {
    ctx.stop(slot.old);
    ctx.drain(slot.old);
  });
  (void)other.tell(note{});
  (void)slot.world.run_to_idle();
  slot.expect_nobody_reached();
  EXPECT_EQ(slot.world.live(), 3u);
}

// spec: M5
TEST(stale_references, a_timer_message_becomes_a_dead_letter) {
  changed_slot slot;
  const auto once = slot.world.schedule_once(10ms, slot.old, note{1});
  const auto often = slot.world.schedule_at_fixed_rate(10ms, 10ms, slot.old, note{2});
  const auto seldom = slot.world.schedule_with_fixed_delay(10ms, 10ms, slot.old, note{3});
  ASSERT_TRUE(once && often && seldom);
  slot.change();
  slot.world.run_for(100ms);

  slot.expect_nobody_reached();
  EXPECT_EQ(slot.lost.size(), 3u) << "one each: a job whose receiver is gone ends";
  for (const dead_letter& each : slot.lost)
    EXPECT_EQ(each.target, actor_ref<>{slot.old});
  EXPECT_TRUE(often->is_cancelled() || often->is_completed());
}

// A timer's message that waits in the mailbox when its receiver stops.
// spec: M5 M9
TEST(stale_references, a_queued_timer_message_ends_with_its_receiver) {
  for (const overflow_strategy rule : {overflow_strategy::reject, overflow_strategy::drop_oldest}) {
    changed_slot slot{bounded(rule), {}};
    const auto blocker = slot.world.spawn("blocker", [&](context& ctx, const note&) {
      ctx.stop(slot.old);  // runs first, in the turn in which the timer's message is queued
    });
    ASSERT_TRUE(slot.world.schedule_once(10ms, blocker, note{}).has_value());
    const auto job = slot.world.schedule_at_fixed_rate(10ms, 10ms, slot.old, note{2});
    ASSERT_TRUE(job.has_value());
    slot.world.run_for(10ms);
    slot.change();
    slot.world.run_for(100ms);
    slot.expect_nobody_reached();
    EXPECT_EQ(slot.lost.size(), 1u);
  }
}

// spec: M5
TEST(stale_references, an_answer_to_a_sender_that_is_gone_becomes_a_dead_letter) {
  diary next;
  changed_slot slot;
  actor_ref<> remembered;
  const auto keeper =
      slot.world.spawn("keeper", [&](context& ctx, const note&) { remembered = ctx.sender(); });
  // The old tenant's slot, as a sender.
  const auto sender =
      slot.world.spawn("sender", [&](context&, const note&) { (void)keeper.tell(note{1}); });
  (void)sender.tell(note{});
  (void)slot.world.run_to_idle();
  ASSERT_EQ(remembered, actor_ref<>{sender});
  slot.world.stop(sender);
  (void)slot.world.run_to_idle();
  const auto fresh = slot.world.spawn<tenant>("next", &next);
  (void)slot.world.run_to_idle();
  ASSERT_EQ(fresh.slot(), remembered.slot());

  const actor_ref<note> answer{remembered.slot(), remembered.generation()};
  EXPECT_EQ(answer.tell(note{7}), tell_result::closed);
  (void)slot.world.run_to_idle();
  EXPECT_TRUE(next.empty());
  EXPECT_EQ(slot.lost.size(), 1u);
}

// The sender has gone before its message is handled.
// spec: M5
TEST(stale_references, a_sender_that_has_gone_meanwhile_is_still_named_as_itself) {
  std::optional<actor_ref<>> seen;
  changed_slot slot;
  const auto receiver = slot.world.spawn("receiver", [&](context& ctx, const note&) {
    seen = ctx.sender();
    EXPECT_EQ((actor_ref<note>{seen->slot(), seen->generation()}.tell(note{8})),
              tell_result::closed);
  });
  (void)slot.world.run_to_idle();
  const auto parting = slot.world.spawn("parting", [&](context& ctx, const note&) {
    (void)receiver.tell(note{1});
    ctx.stop();
  });
  (void)parting.tell(note{});
  (void)slot.world.run_one();
  ASSERT_TRUE(slot.world.run_until([&] { return seen.has_value(); }));
  EXPECT_EQ(*seen, actor_ref<>{parting});
}

// spec: M5
TEST(stale_references, an_event_subscription_ends_with_its_tenant) {
  changed_slot slot;
  ASSERT_TRUE(slot.world.events().subscribe<announcement>(slot.old));
  EXPECT_EQ(slot.world.events().publish(announcement{}), 1u);
  (void)slot.world.run_to_idle();
  EXPECT_EQ(slot.of_old.events, 1);
  slot.change();

  EXPECT_FALSE(slot.world.events().subscribe<announcement>(slot.old)) << "it is nobody's any more";
  EXPECT_EQ(slot.world.events().publish(announcement{}), 0u);
  slot.expect_nobody_reached();
  EXPECT_FALSE(slot.world.events().unsubscribe<announcement>(slot.old));
  EXPECT_TRUE(slot.world.events().subscribe<announcement>(slot.fresh));
  EXPECT_EQ(slot.world.events().unsubscribe_all(slot.old), 0u) << "a stale name takes nothing away";
  EXPECT_EQ(slot.world.events().publish(announcement{}), 1u);
}

// spec: M5
TEST(stale_references, an_ask_learns_that_its_target_is_gone) {
  changed_slot slot;
  auto queued = slot.world.ask(slot.old, wish{1}, 1s);
  slot.world.stop(slot.old);
  const auto first = std::move(queued).get();
  ASSERT_FALSE(first.has_value());
  EXPECT_EQ(first.error().kind, ask_failure::target_terminated);
  slot.change();

  const auto second = slot.world.ask(slot.old, wish{2}, 1s).get();
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().kind, ask_failure::target_terminated);
  slot.expect_nobody_reached();
}

// An ask has a slot, too: a late answer must not go to the slot's next tenant.
// spec: M5
TEST(stale_references, a_late_answer_becomes_a_dead_letter) {
  diary next;
  reply_to<int> duty;
  changed_slot slot;
  class slow : public actor<wish> {
  public:
    explicit slow(reply_to<int>* into) : duty_(into) {}
    delegated<int> receive(context& ctx, const wish&) {
      *duty_ = ctx.reply_later<int>();
      return duty_->as_delegated();
    }

  private:
    reply_to<int>* duty_;
  };
  const auto asked = slot.world.spawn<slow>("slow", &duty);
  (void)slot.world.run_to_idle();
  const auto answer = slot.world.ask(asked, wish{1}, 10ms).get();
  ASSERT_FALSE(answer.has_value());
  ASSERT_TRUE(static_cast<bool>(duty));
  (void)slot.world.spawn<tenant>("next", &next);
  (void)slot.world.run_to_idle();

  duty.send(42);
  (void)slot.world.run_to_idle();
  EXPECT_TRUE(next.empty());
  ASSERT_EQ(slot.lost.size(), 1u);
  EXPECT_EQ(slot.lost[0].reason, drop_reason::late_answer);
  EXPECT_FALSE(slot.lost[0].target) << "no actor asked";
}

// spec: M5
TEST(stale_references, a_name_leads_to_its_present_owner_only) {
  changed_slot slot;
  const auto found_before = slot.world.find<note, wish>("/user/tenant");
  EXPECT_EQ(found_before, (actor_ref<note, wish>{slot.old}));
  slot.world.stop(slot.old);
  (void)slot.world.run_to_idle();
  EXPECT_FALSE((slot.world.find<note>("/user/tenant")));
  slot.of_old = {};
  slot.change();

  EXPECT_EQ((slot.world.find<note, wish>("tenant")), (actor_ref<note, wish>{slot.fresh}));
  EXPECT_EQ(found_before.tell(note{1}), tell_result::closed);
  slot.expect_nobody_reached();
}

// spec: M5
TEST(stale_references, a_parent_that_stops_does_not_stop_the_next_tenant_of_a_childs_slot) {
  diary of_next;
  simulation world;
  actor_ref<note> child;
  class parent : public actor<note> {
  public:
    explicit parent(actor_ref<note>* into) : child_(into) {}
    void pre_start(context& ctx) {
      *child_ = ctx.spawn("child", [](tactor::context& c, const note&) { c.stop(); });
    }
    void receive(context& ctx, const note&) { ctx.stop(); }

  private:
    actor_ref<note>* child_;
  };
  const auto above = world.spawn<parent>("parent", &child);
  (void)world.run_to_idle();
  (void)child.tell(note{});
  (void)world.run_to_idle();
  const auto next = world.spawn<tenant>("next", &of_next);
  (void)world.run_to_idle();
  ASSERT_EQ(next.slot(), child.slot());

  (void)above.tell(note{});
  (void)world.run_to_idle();
  EXPECT_EQ(of_next.ends, 0);
  EXPECT_EQ(world.live(), 1u);
}

// spec: M5
TEST(stale_references, what_an_actor_asks_of_itself_while_it_ends_is_not_asked_of_the_next_tenant) {
  class insistent : public actor<note> {
  public:
    void receive(context& ctx, const note&) { ctx.stop(); }
    void post_stop(context& ctx) {
      ctx.stop();
      ctx.stop(ctx.self());
      ctx.drain();
      (void)ctx.self().tell(note{5});
    }
  };
  diary of_next;
  simulation world;
  const auto old = world.spawn<insistent>("old");
  (void)old.tell(note{1});
  (void)world.run_to_idle();
  const auto next = world.spawn<tenant>("next", &of_next);
  ASSERT_EQ(next.slot(), old.slot());
  (void)next.tell(note{2});
  (void)world.run_to_idle();
  EXPECT_EQ(of_next.notes, std::vector{2});
  EXPECT_EQ(of_next.ends, 0);
  EXPECT_EQ(world.metrics().all_dead_letters(), 1u);
}

// spec: M6
TEST(stale_references, are_safe_when_their_whole_system_is_gone_and_in_the_next_one) {
  static_assert(std::is_trivially_copyable_v<tenant::ref>);
  static_assert(sizeof(tenant::ref) <= 2 * sizeof(void*));
  diary of_old;
  tenant::ref old;
  actor_ref<note> narrow;
  {
    simulation world;
    old = world.spawn<tenant>("tenant", &of_old);
    narrow = old;
    (void)world.run_to_idle();
  }
  EXPECT_EQ(of_old.ends, 1);
  EXPECT_EQ(old.tell(note{1}), tell_result::closed);
  EXPECT_EQ(narrow.tell(note{1}), tell_result::closed);

  diary of_next;
  simulation next_world;
  tenant::ref next;
  for (int i = 0; i < 10 && next.slot() != old.slot(); ++i)  // until an actor has the slot
    next = next_world.spawn<tenant>("tenant", &of_next);
  (void)next_world.run_to_idle();
  ASSERT_EQ(next.slot(), old.slot());
  EXPECT_EQ(old.tell(note{2}), tell_result::closed);
  next_world.stop(old);
  (void)next_world.run_to_idle();
  EXPECT_TRUE(of_next.empty());
  EXPECT_EQ(old, tenant::ref{old}) << "and is equal to its copies still";
}

// spec: M5
TEST(stale_references, generation_0_is_never_given_out_and_a_slot_that_is_used_up_is_retired) {
  diary all;
  simulation world;
  auto ref = world.spawn<tenant>("t", &all);
  (void)world.run_to_idle();
  cell& slot = *ref.slot();
  world.stop(ref);
  (void)world.run_to_idle();
  const std::uint32_t retired = program_memory.cells.retired();
  // relaxed: one thread
  slot.lifecycle.store(lifecycle_word::with_generation(lifecycle_word::last_generation - 2).bits,
                       relaxed);

  ref = world.spawn<tenant>("t", &all);
  ASSERT_EQ(ref.slot(), &slot);
  EXPECT_EQ(ref.generation(), lifecycle_word::last_generation - 1);
  (void)ref.tell(note{1});
  (void)world.run_to_idle();
  EXPECT_EQ(all.notes, std::vector{1}) << "its last tenant is one like any other";
  world.stop(ref);
  (void)world.run_to_idle();
  EXPECT_EQ(program_memory.cells.retired(), retired + 1);
  EXPECT_EQ(ref.tell(note{2}), tell_result::closed);
  for (int i = 0; i < 100; ++i) {
    const auto other = world.spawn<tenant>("t", &all);
    EXPECT_NE(other.slot(), &slot);
    EXPECT_NE(other.generation(), 0u);
    EXPECT_EQ(other.generation() % 2, 1u);
  }
}

}  // namespace
}  // namespace tactor
