// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/turn/turn.hpp"

#include "tactor/core/cell/cell_state.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/dispatch/suspend_reason.hpp"
#include "tactor/core/life/start_stop.hpp"

#include "actor_rig.hpp"
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>

namespace tactor {

using namespace tactor::internal;

namespace {

void suspend(cell& c) {
  c.reasons.add(suspend_reason::user_defined);
  c.reader.suspend(c.box);
}
void resume(cell& c) {
  c.reasons.remove(suspend_reason::user_defined);
  c.reader.resume(c.box);
}

using outcome = invoke_result::outcome;
using namespace rig;
using entry = log::entry;

template <class Ref>
void tell_numbers(const Ref& to, int first, int last) {
  for (int i = first; i <= last; ++i)
    EXPECT_EQ(to.tell(note{i}), tell_result::ok);
}

// Each takes another way through the turn.
constexpr std::array<mailbox_options, 3> kinds_of_mailbox{
    {{},
     {.capacity = 8, .overflow = overflow_strategy::reject},
     {.capacity = 8, .overflow = overflow_strategy::drop_oldest}}};

// Fails with every third message.
class moody : public actor<note> {
public:
  std::expected<void, failure> receive(context& /*ctx*/, const note& n) {
    if (n.number % 3 == 0) return std::unexpected{failure{"a third one"}};
    story.add('h', n.number);
    return {};
  }
};

// The actor that a script talks about.
actor_ref<> subject;
cell& subject_cell() {
  return *subject.slot();
}

// spec: I1a
TEST(turn, a_turn_that_leaves_nothing_is_completed_and_does_not_queue_the_cell) {
  rig::system_services services;
  const auto ref = services.make<recorder>({});
  tell_numbers(ref, 1, 3);

  const invoke_result result = services.run_one();
  EXPECT_EQ(result.how, outcome::completed);
  EXPECT_FALSE(result.ready_hint);
  EXPECT_EQ(result.messages, 3u);
  EXPECT_EQ(services.ready.poll_wait_signal(), wait_signal::pending);
  EXPECT_EQ(state_of(*ref.slot(), ref.generation()), actor_state::running);
  EXPECT_TRUE(story.is(entry{'h', 1}, entry{'h', 2}, entry{'h', 3}));
  request_stop(*ref.slot(), ref.generation());
  services.run_all();
}

// spec: D3 I1a
// case: RQ-13
TEST(turn, of_five_messages_each_turn_handles_throughput_many_and_asks_for_another_one) {
  rig::system_services services;
  services.limits.messages = 2;
  const auto ref = services.make<recorder>({});
  tell_numbers(ref, 1, 5);

  for (int turn = 0; turn < 2; ++turn) {
    const invoke_result result = services.run_one();
    EXPECT_EQ(result.how, outcome::yielded);
    EXPECT_EQ(result.messages, 2u);
    EXPECT_EQ(story.size(), 2u * static_cast<unsigned>(turn + 1));
    EXPECT_EQ(services.ready.poll_wait_signal(), wait_signal::ready);
  }
  const invoke_result last = services.run_one();
  EXPECT_EQ(last.how, outcome::completed);
  EXPECT_EQ(last.messages, 1u);
  request_stop(*ref.slot(), ref.generation());
  services.run_all();
}

TEST(turn, a_turn_that_ends_with_the_last_message_is_completed) {
  rig::system_services services;
  services.limits.messages = 2;
  for (const mailbox_options& mailbox : kinds_of_mailbox) {
    const auto ref = services.make<recorder>(mailbox);
    tell_numbers(ref, 1, 4);
    EXPECT_EQ(services.run_one().how, outcome::yielded);
    EXPECT_EQ(services.run_one().how, outcome::completed);
    request_stop(*ref.slot(), ref.generation());
    services.run_all();
  }
}

/// Notes when a cell is taken out.
class watched_coordinator final : public ready_queue_coordinator {
public:
  explicit watched_coordinator(ready_queue_coordinator& real) : real_(real) {}
  void register_ready(ready_cell& cell) noexcept override { real_.register_ready(cell); }
  void unregister(ready_cell& cell) noexcept override {
    story.add('u');
    real_.unregister(cell);
  }
  [[nodiscard]] std::size_t drain_ready_cycle(std::span<ready_cell*> out) noexcept override {
    return real_.drain_ready_cycle(out);
  }
  [[nodiscard]] wait_signal poll_wait_signal() noexcept override {
    return real_.poll_wait_signal();
  }
  void handle_invoke_result(ready_cell& cell, const invoke_result& result) noexcept override {
    real_.handle_invoke_result(cell, result);
  }
  [[nodiscard]] ready_queue_usage usage() noexcept override { return real_.usage(); }

private:
  ready_queue_coordinator& real_;
};

// spec: M9 D1
TEST(turn, takes_an_actor_out_of_the_ready_queue_after_its_mailbox_was_closed) {
  rig::system_services services;
  watched_coordinator watched{services.ready};
  const auto ref = services.make<recorder>({});
  ref.slot()->coordinator.store(&watched, relaxed);  // relaxed: one thread
  tell_numbers(ref, 7, 7);
  EXPECT_EQ(post(ref, 8), tell_result::ok);
  request_stop(*ref.slot(), ref.generation());
  services.run_all();
  EXPECT_TRUE(story.is(entry{'d', 7}, entry{'p'}, entry{'d', 8}, entry{'u'}, entry{'e'}));
}

// spec: D3 M1
TEST(turn, another_actor_runs_after_so_many_system_messages) {
  rig::system_services services;
  services.limits.system_messages = 4;
  const auto flooded = services.make<recorder>({});
  const auto other = services.make<recorder>({});
  tell_numbers(flooded, 11, 11);
  tell_numbers(other, 99, 99);
  for (int i = 1; i <= 10; ++i)
    EXPECT_EQ(post(flooded, i), tell_result::ok);
  EXPECT_EQ(services.run_one().how, outcome::yielded);
  EXPECT_EQ(story.size(), 4u);
  services.run_all();

  EXPECT_EQ(story[4], (entry{'h', 99}));
  ASSERT_EQ(story.size(), 12u);
  for (int i = 0; i < 12; ++i) {
    const int expected = i < 4 ? i + 1 : i;
    if (i != 4) {
      EXPECT_EQ(story[static_cast<std::size_t>(i)], (entry{'h', expected}));
    }
  }
  request_stop(*flooded.slot(), flooded.generation());
  request_stop(*other.slot(), other.generation());
  services.run_all();
}

// spec: D3 M1 I4
TEST(turn, a_stop_takes_effect_before_the_system_messages_of_the_next_turn) {
  rig::system_services services;
  services.limits.system_messages = 2;
  const auto ref = services.make<recorder>({});
  for (int i = 1; i <= 5; ++i)
    EXPECT_EQ(post(ref, i), tell_result::ok);
  EXPECT_EQ(services.run_one().how, outcome::yielded);
  EXPECT_EQ(post(ref, 6), tell_result::ok);
  request_stop(*ref.slot(), ref.generation());
  EXPECT_EQ(services.run_one().how, outcome::stopped);
  EXPECT_TRUE(story.is(entry{'h', 1}, entry{'h', 2}, entry{'p'}, entry{'d', 3}, entry{'d', 4},
                       entry{'d', 5}, entry{'d', 6}, entry{'e'}));
}

// spec: D3 M1
TEST(turn, a_slice_ends_between_system_messages_too) {
  rig::system_services services;
  services.limits.slice_ns = 1;
  services.time_ns = 1;
  const scripted::script slow = [](actor_context<note>&, int) {
    static_cast<rig::system_services*>(this_thread().services)->time_ns += 1;
  };
  const auto ref = services.make<scripted>({}, slow);
  for (int i = 1; i <= 36; ++i)
    EXPECT_EQ(post(ref, i), tell_result::ok);
  std::size_t turns = 0;
  for (; story.size() < 36; ++turns)
    (void)services.run_one();
  EXPECT_GT(turns, 1u);
  request_stop(*ref.slot(), ref.generation());
  services.run_all();
}

// Each message takes a microsecond.
class paced : public actor<note> {
public:
  void receive(context& /*ctx*/, const note& /*n*/) {
    static_cast<rig::system_services*>(this_thread().services)->time_ns += 1'000;
  }
};

// spec: D3
TEST(turn, a_slice_of_equal_messages_ends_in_time_and_reads_the_clock_seldom) {
  for (const mailbox_options& kind :
       {mailbox_options{},
        mailbox_options{.capacity = 110, .overflow = overflow_strategy::reject}}) {
    rig::system_services services;
    services.limits.slice_ns = 100'000;
    services.limits.messages = 1024;
    services.time_ns = 1;
    const auto ref = services.make<paced>(kind);
    tell_numbers(ref, 1, 110);  // a board has no more envelopes
    services.clock_reads = 0;
    const invoke_result turn = services.run_one();
    EXPECT_EQ(turn.how, outcome::yielded);
    EXPECT_GE(turn.messages, 100u);
    EXPECT_LE(turn.messages, 106u);
    EXPECT_LE(services.clock_reads, 30u);
    services.run_all();
    request_stop(*ref.slot(), ref.generation());
    services.run_all();
  }
}

// spec: D3
TEST(turn, an_actor_whose_system_messages_never_end_is_named_once) {
  rig::system_services services;
  services.limits.system_messages = 1;
  const auto ref = services.make<recorder>({});
  EXPECT_EQ(post(ref, 1), tell_result::ok);
  for (int turn = 0; turn < 3000; ++turn) {
    EXPECT_EQ(post(ref, 1), tell_result::ok);
    (void)services.run_one();
  }
  EXPECT_EQ(services.misuses, 1u);
  services.run_all();
  request_stop(*ref.slot(), ref.generation());
  services.run_all();
}

// spec: D3
// case: RQ-11
TEST(turn, another_actor_runs_after_throughput_messages) {
  for (const std::uint32_t throughput : {1U, 3U, 10U}) {
    rig::system_services services;
    services.limits.messages = throughput;
    const auto slow = services.make<recorder>({});
    const auto fast = services.make<recorder>({});
    tell_numbers(slow, 1, 10);
    tell_numbers(fast, 99, 99);
    services.run_all();

    EXPECT_EQ(story.size(), 11u);
    EXPECT_EQ(story[throughput], (entry{'h', 99}));
    request_stop(*slow.slot(), slow.generation());
    request_stop(*fast.slot(), fast.generation());
    services.run_all();
  }
}

// spec: D3
TEST(turn, a_turn_ends_when_enough_was_sent) {
  rig::system_services services;
  services.limits.sends = 4;
  subject = services.make<recorder>({});
  services.run_all();
  const auto sender = services.make<scripted>({}, [](scripted::context&, int number) {
    const recorder::ref to{subject.slot(), subject.generation()};
    to.tell(note{100 + number});
    to.tell(note{200 + number});
  });
  tell_numbers(sender, 1, 3);

  const invoke_result result = services.run_one();
  EXPECT_EQ(result.how, outcome::yielded);
  EXPECT_EQ(result.messages, 2u);
  services.run_all();
  EXPECT_EQ(story.size(), 9u);
  EXPECT_EQ(story[2], (entry{'h', 101})) << "who receives comes first now";
  request_stop(*sender.slot(), sender.generation());
  request_stop(subject_cell(), subject.generation());
  services.run_all();
}

rig::system_services* clock_of = nullptr;

// spec: D3
// case: RQ-12
TEST(turn, a_turn_ends_when_its_deadline_is_over) {
  rig::system_services services;
  clock_of = &services;
  services.limits.time = std::chrono::microseconds{10};
  const auto slow =
      services.make<scripted>({}, [](scripted::context&, int) { clock_of->time_ns += 10'000; });
  const auto other = services.make<recorder>({});
  tell_numbers(slow, 1, 3);
  tell_numbers(other, 99, 99);

  EXPECT_EQ(services.run_one().how, outcome::yielded);
  services.run_all();
  EXPECT_TRUE(story.is(entry{'h', 1}, entry{'h', 99}, entry{'h', 2}, entry{'h', 3}));
  request_stop(*slow.slot(), slow.generation());
  request_stop(*other.slot(), other.generation());
  services.run_all();
}

// spec: D3
TEST(turn, a_deadline_that_is_not_over_ends_no_turn) {
  rig::system_services services;
  clock_of = &services;
  services.limits.time = std::chrono::microseconds{10};
  const auto quick =
      services.make<scripted>({}, [](scripted::context&, int) { clock_of->time_ns += 3'333; });
  tell_numbers(quick, 1, 3);

  const invoke_result result = services.run_one();
  EXPECT_EQ(result.how, outcome::completed);
  EXPECT_EQ(result.messages, 3u);
  services.time_ns = 0;
  services.limits.time.reset();
  request_stop(*quick.slot(), quick.generation());
  services.run_all();
}

// spec: M1
// case: RQ-14 RQ-15
TEST(turn, system_messages_come_first_and_do_not_count_as_throughput) {
  rig::system_services services;
  services.limits.messages = 2;
  const auto ref = services.make<recorder>({});
  services.run_all();
  tell_numbers(ref, 1, 2);
  for (int i = 11; i <= 15; ++i)
    EXPECT_EQ(post(ref, i), tell_result::ok);

  const invoke_result result = services.run_one();
  EXPECT_EQ(result.how, outcome::completed);
  EXPECT_EQ(result.messages, 2u);
  EXPECT_TRUE(story.is(entry{'h', 11}, entry{'h', 12}, entry{'h', 13}, entry{'h', 14},
                       entry{'h', 15}, entry{'h', 1}, entry{'h', 2}));
  request_stop(*ref.slot(), ref.generation());
  services.run_all();
}

// spec: I4
TEST(turn, a_system_message_that_comes_in_mid_batch_is_next) {
  rig::system_services services;
  subject = services.make<scripted>({}, [](scripted::context&, int number) {
    if (number == 1) (void)post(subject, 11);
  });
  tell_numbers(scripted::ref{subject.slot(), subject.generation()}, 1, 3);
  services.run_all();

  EXPECT_TRUE(story.is(entry{'h', 1}, entry{'h', 11}, entry{'h', 2}, entry{'h', 3}));
  request_stop(subject_cell(), subject.generation());
  services.run_all();
}

// spec: I4
TEST(turn, a_stop_in_mid_batch_takes_effect_before_the_next_message) {
  for (const mailbox_options& mailbox : kinds_of_mailbox) {
    rig::system_services services;
    const auto ref = services.make<scripted>(mailbox, [](scripted::context&, int number) {
      if (number == 2) request_stop(subject_cell(), subject.generation());
    });
    subject = ref;
    tell_numbers(ref, 1, 4);

    EXPECT_EQ(services.run_one().how, outcome::stopped);
    EXPECT_EQ(services.last_reason, drop_reason::stopped);
    EXPECT_TRUE(story.is(entry{'h', 1}, entry{'h', 2}, entry{'d', 3}, entry{'d', 4}, entry{'p'},
                         entry{'e'}));
    EXPECT_EQ(state_of(subject_cell(), subject.generation()), actor_state::stopped);
    EXPECT_EQ(services.ready.poll_wait_signal(), wait_signal::pending);
  }
}

// spec: I4
TEST(turn, a_stop_that_comes_with_the_last_message_is_not_missed) {
  for (const mailbox_options& mailbox : kinds_of_mailbox) {
    for (int last = 1; last <= 2; ++last) {
      rig::system_services services;
      subject = services.make<scripted>(mailbox, [](scripted::context&, int number) {
        if (number == 0) request_stop(subject_cell(), subject.generation());
      });
      services.run_all();
      const scripted::ref ref{subject.slot(), subject.generation()};
      if (last == 2) (void)ref.tell(note{1});
      (void)ref.tell(note{0});

      EXPECT_EQ(services.run_one().how, outcome::stopped);
      EXPECT_EQ(story.count('e'), 1u);
    }
  }
}

// spec: I4
TEST(turn, an_actor_that_stops_itself_handles_nothing_more) {
  for (const mailbox_options& mailbox : kinds_of_mailbox) {
    rig::system_services services;
    const auto ref = services.make<scripted>(mailbox, [](scripted::context& ctx, int number) {
      if (number == 2) ctx.stop();
    });
    tell_numbers(ref, 1, 4);

    EXPECT_EQ(services.run_one().how, outcome::stopped);
    EXPECT_TRUE(story.is(entry{'h', 1}, entry{'h', 2}, entry{'d', 3}, entry{'d', 4}, entry{'p'},
                         entry{'e'}));
  }
}

// spec: I1a I4
TEST(turn, a_suspension_in_mid_batch_keeps_the_rest_in_order) {
  for (const mailbox_options& mailbox : kinds_of_mailbox) {
    rig::system_services services;
    const auto ref = services.make<scripted>(mailbox, [](scripted::context&, int number) {
      cell& c = subject_cell();
      if (number == 2) suspend(c);
    });
    subject = ref;
    tell_numbers(ref, 1, 4);

    EXPECT_EQ(services.run_one().how, outcome::suspended);
    EXPECT_TRUE(story.is(entry{'h', 1}, entry{'h', 2}));
    EXPECT_EQ(state_of(subject_cell(), subject.generation()), actor_state::suspended);
    EXPECT_EQ(services.ready.poll_wait_signal(), wait_signal::pending);
    tell_numbers(ref, 5, 6);
    EXPECT_EQ(services.ready.poll_wait_signal(), wait_signal::pending) << "mail does not wake it";

    resume(subject_cell());
    give_notice(subject_cell());
    EXPECT_EQ(services.run_one().how, outcome::completed);
    EXPECT_EQ(state_of(subject_cell(), subject.generation()), actor_state::running);
    EXPECT_TRUE(story.is(entry{'h', 1}, entry{'h', 2}, entry{'h', 3}, entry{'h', 4}, entry{'h', 5},
                         entry{'h', 6}));
    request_stop(subject_cell(), subject.generation());
    services.run_all();
  }
}

// spec: I1a
TEST(turn, a_suspended_actor_is_stopped_and_its_messages_become_dead_letters_in_order) {
  for (const mailbox_options& mailbox : kinds_of_mailbox) {
    rig::system_services services;
    const auto ref = services.make<scripted>(mailbox, [](scripted::context&, int) {
      cell& c = subject_cell();
      suspend(c);
    });
    subject = ref;
    tell_numbers(ref, 1, 2);
    (void)services.run_one();
    tell_numbers(ref, 3, 3);
    request_stop(*ref.slot(), ref.generation());

    EXPECT_EQ(services.run_one().how, outcome::stopped);
    EXPECT_TRUE(story.is(entry{'h', 1}, entry{'d', 2}, entry{'d', 3}, entry{'p'}, entry{'e'}));
  }
}

// case: RQ-16
TEST(turn, a_failing_handler_ends_the_turn_as_failed_and_others_go_on) {
  rig::system_services services;
  const auto failing = services.make<moody>({});
  const auto other = services.make<recorder>({});
  tell_numbers(failing, 1, 5);
  tell_numbers(other, 11, 12);

  const invoke_result result = services.run_one();
  EXPECT_EQ(result.how, outcome::failed);
  EXPECT_FALSE(has_more(result));
  EXPECT_EQ(services.run_one().how, outcome::completed);
  EXPECT_TRUE(story.is(entry{'h', 1}, entry{'h', 2}, entry{'f'}, entry{'d', 4}, entry{'d', 5},
                       entry{'e'}, entry{'h', 11}, entry{'h', 12}));
  EXPECT_EQ(other.tell(note{13}), tell_result::ok);
  services.run_all();
  EXPECT_EQ(story.count('h'), 5u);
  request_stop(*other.slot(), other.generation());
  services.run_all();
}

// spec: I1a
TEST(turn, an_actor_that_drains_handles_what_is_queued_and_takes_nothing_new) {
  for (const mailbox_options& mailbox : kinds_of_mailbox) {
    rig::system_services services;
    services.limits.messages = 1;
    const auto ref = services.make<recorder>(mailbox);
    services.run_all();
    tell_numbers(ref, 1, 3);
    request_drain(*ref.slot(), ref.generation());
    EXPECT_EQ(services.run_one().how, outcome::yielded);
    EXPECT_EQ(state_of(*ref.slot(), ref.generation()), actor_state::running);
    EXPECT_EQ(ref.tell(note{4}), tell_result::closed);

    services.run_all();
    EXPECT_TRUE(story.is(entry{'h', 1}, entry{'d', 4}, entry{'h', 2}, entry{'h', 3}, entry{'p'},
                         entry{'e'}));
  }
}

bool was_found = false;
bool took_mail = false;

// spec: M9
TEST(turn, a_stop_terminates_then_closes_the_mailbox_then_leaves_the_ready_queue) {
  class last_words : public actor<note> {
  public:
    void receive(context& /*ctx*/, const note& /*n*/) {}
    void post_stop(context& ctx) {
      story.add('p');
      was_found = program_memory.cells.find(ctx.self().index()) != nullptr;
    }
  };
  rig::system_services services;
  const auto ref = services.make<last_words>({});
  subject = ref;
  services.run_all();
  EXPECT_EQ(post(ref, 7), tell_result::ok);
  tell_numbers(ref, 1, 2);
  request_stop(*ref.slot(), ref.generation());
  services.on_ended = [](cell& who) noexcept {
    // Unregistered by now: neither found nor open.
    took_mail = program_memory.cells.find(subject.index()) != nullptr || who.box.peek().open() ||
                post(subject, 9) != tell_result::closed;
  };

  const invoke_result result = services.run_one();
  EXPECT_TRUE(was_found) << "still registered while it terminates";
  EXPECT_FALSE(took_mail);
  EXPECT_EQ(result.how, outcome::stopped);
  EXPECT_EQ(services.ready.poll_wait_signal(), wait_signal::pending) << "and not queued again";
  EXPECT_TRUE(story.is(entry{'d', 1}, entry{'d', 2}, entry{'p'}, entry{'d', 7}, entry{'e'}))
      << "what was queued becomes dead letters";
  EXPECT_EQ(services.last_reason, drop_reason::stopped);
}

// spec: M5
TEST(turn, a_message_to_an_earlier_tenant_is_a_dead_letter_with_its_target) {
  for (const overflow_strategy rule : {overflow_strategy::reject, overflow_strategy::drop_oldest}) {
    for (const bool before : {false, true}) {  // before the tenant's own messages, or after them
      rig::system_services services;
      const auto ref = services.make<recorder>({.capacity = 2, .overflow = rule});
      services.run_all();
      cell& c = *ref.slot();
      if (!before) tell_numbers(ref, 1, 2);
      // A slow sender: it checked the generation long ago.
      envelope& late = enclosed(66, ref.generation() - 2);
      if (c.box.push(late) == push_result::make_ready) make_ready(c);
      if (before) tell_numbers(ref, 1, 2);

      services.run_all();
      EXPECT_EQ(story.count('h'), 2u);
      EXPECT_EQ(story.count('d'), 1u);
      EXPECT_EQ(services.last_target,
                (mailbox_index{.slot = c.slot, .generation = ref.generation() - 2}));
      tell_numbers(ref, 3, 4);
      if (rule == overflow_strategy::reject) {
        EXPECT_EQ(ref.tell(note{5}), tell_result::full) << "the capacity is what it was";
      }
      request_stop(c, ref.generation());
      services.run_all();
    }
  }
}

// spec: M5
TEST(turn, a_late_note_for_the_side_queue_of_an_earlier_tenant_does_not_keep_the_next_ready) {
  rig::system_services services;
  const auto ref = services.make<recorder>({});
  services.run_all();
  if (ref.slot()->box.mark_side_queue() == push_result::make_ready) make_ready(*ref.slot());

  EXPECT_EQ(services.run_one().how, outcome::completed);
  tell_numbers(ref, 1, 1);
  if (ref.slot()->box.mark_side_queue() == push_result::make_ready) make_ready(*ref.slot());
  EXPECT_EQ(services.run_one().how, outcome::completed);
  EXPECT_TRUE(story.is(entry{'h', 1}));
  request_stop(*ref.slot(), ref.generation());
  services.run_all();
}

// spec: M5
TEST(turn, a_late_system_message_does_not_reach_the_next_tenant) {
  rig::system_services services;
  const auto ref = services.make<recorder>({});
  services.run_all();
  envelope& late = enclosed(66, ref.generation() - 2);
  late.kind = envelope_kind::system;
  ref.slot()->system_waiting.fetch_add(1, relaxed);  // relaxed: one thread
  if (ref.slot()->box.push_system(late) == push_result::make_ready) make_ready(*ref.slot());

  services.run_all();
  EXPECT_TRUE(story.is(entry{'d', 66}));
  request_stop(*ref.slot(), ref.generation());
  services.run_all();
}

}  // namespace
}  // namespace tactor
