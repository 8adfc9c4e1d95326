// SPDX-License-Identifier: BSL-1.0
// Answers under way: to a thread that sleeps, and to an actor whose ask may have ended.
#include "tactor/core/ask/thread_ask.hpp"
#include "tactor/core/cell/ask_slot.hpp"
#include "tactor/core/cell/ask_word.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/lifecycle_word.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/cell/thread_waiting.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/send/answer.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/host/answer_waiter.hpp"
#include "tactor/host/os/wait_on_word.hpp"
#include "tactor/port/port.hpp"

#include "cell_world.hpp"
#include "model_os.hpp"
#include "scenario.hpp"
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace tactor::model {

using namespace tactor::internal;

namespace {

bool sleep_on(const port::atomic<std::uint32_t>& word, std::uint32_t seen, std::uint64_t) noexcept {
  return wait_on_word(word, seen, std::nullopt) != wait_result::timed_out;
}
constexpr thread_waiting until_woken{.sleep = sleep_on,
                                     .wake = wake_waiter,
                                     .now_ns = [] noexcept { return std::uint64_t{0}; },
                                     .give_way = [] noexcept {}};

// An answer, and what happened to it.
struct reply : item {
  unsigned late = 0;

  // Like an actor's answer from another thread, which has a record of its own.
  void send(thread_record& by, origin to) {
    write();
    if (!route_answer(by, to, head)) ++late;
  }
};

// The only slot, which every ask of a scenario uses.
struct one_slot : model_os {
  fresh_runtime runtime;
  alignas(ask_slot) std::byte room[sizeof(ask_slot)] = {};
  port::plain<unsigned> record;  // stands for what the asker keeps in the slot
  thread_record elsewhere[2];    // of the threads that answer

  void before() {
    model_os::before();
    program_memory.provide(until_woken);
    program_memory.asks.confine_to({reinterpret_cast<ask_slot*>(room), 1});
    ask_slot* const made = program_memory.asks.take(this_thread().asks);
    require(made != nullptr, "no slot");
    program_memory.asks.give_back(this_thread().asks, *made);
    record.set(0);
  }
  void after() {
    require(free_slots() == 1, "a slot is lost, or free twice");
    std::destroy_at(&slot());
    model_os::after();
  }
  ask_slot& slot() { return program_memory.asks[0]; }
  unsigned free_slots() {
    unsigned found = 0;
    for (thread_record* each : {&this_thread(), &elsewhere[0], &elsewhere[1]})
      while (each->asks.try_take() != nullptr)
        ++found;
    return found;
  }
  // Whoever answers uses the slot again, if it has it.
  void reuse(thread_record& by) {
    ask_slot* const again = by.asks.try_take();
    if (again == nullptr) return;
    record.set(record.get() + 1);
    program_memory.asks.give_back(by.asks, *again);
  }
};

// A thread sleeps until the answer comes, or until its time is over; then its slot is reused at
// once.
template <std::uint64_t Until>
struct sleeper : one_slot {
  static constexpr unsigned threads = 2;
  reply answer;
  thread_ask asked;
  thread_ask next;
  origin from;
  bool answered = false;

  void before() {
    one_slot::before();
    asked = thread_ask::open(nullptr, thread_ask::clock::of_threads);
    from = asked.as_origin();
  }
  void thread(unsigned index) {
    if (index == 1) {
      answer.send(elsewhere[0], from);
      return reuse(elsewhere[0]);
    }
    answered = asked.answered() || answer_waiter::of_program().run_until_answered(asked, Until);
    require(answered || Until == 0, "it returns before its time is over");
    if (answered) answer.read();
    record.set(record.get() + 1);
    asked.close();
    next = thread_ask::open(nullptr);
    require(!next.answered(), "the answer of the ask before");
  }
  void after() {
    require(!next.answered(), "the answer of the ask before");
    require(!next || !slot().peek().is_claimed(), "the next ask is claimed");
    require(!answered || answer.late == 0, "an answer that is taken and late");
    next.close();
    one_slot::after();
  }
};

TEST(ask_model, a_thread_that_sleeps_is_woken_by_the_answer) {
  EXPECT_TRUE(passes(explore<sleeper<~std::uint64_t{0}>>(preemptions(4))));
}

TEST(ask_model, a_thread_whose_time_is_over_leaves_nothing_for_the_next) {
  EXPECT_TRUE(passes(explore<sleeper<0>>(preemptions(4))));
}

// Two answers come at the same time.
struct answer_against_answer : one_slot {
  static constexpr unsigned threads = 3;
  reply answers[2];
  thread_ask asked;
  origin from;

  void before() {
    one_slot::before();
    asked = thread_ask::open(nullptr);
    from = asked.as_origin();
  }
  void thread(unsigned index) {
    if (index > 0) return answers[index - 1].send(elsewhere[index - 1], from);
    require(answer_waiter::of_program().run_until_answered(asked, ~std::uint64_t{0}), "no answer");
  }
  void after() {
    require(answers[0].late + answers[1].late == 1, "an ask has one answer");
    answers[answers[0].late].read();
    asked.close();
    one_slot::after();
  }
};

TEST(ask_model, one_of_two_answers_is_taken_and_the_other_is_late) {
  EXPECT_TRUE(passes(explore<answer_against_answer>(preemptions(4))));
}

// An actor that asks, without its timer.
struct asker {
  cell self;
  desk queue;
  unsigned taken = 0;
  unsigned late = 0;

  void open() {
    self.tenant = 1;
    self.coordinator.store(&queue, relaxed);  // relaxed: opening publishes it
    self.box.open();
  }
  // Returns: none if the slot is still in use.
  origin ask() {
    ask_slot* const slot = this_thread().asks.try_take();
    if (slot == nullptr) return {};
    (void)slot->begin<ask_with_continuation>();
    return slot->open_for(self, ask_word::phase::open_to_continuation);
  }
  static void leave(ask_slot& slot) {
    if (slot.leave()) program_memory.asks.give_back(this_thread().asks, slot);
  }
  // Reads its mailbox. Returns: whether its ask was answered; then the slot is free.
  bool poll(ask_slot& slot) {
    bool answered = false;
    while (envelope* const e = self.reader.front(self.box)) {
      (void)self.reader.advance(self.box, *e);
      answered = end(slot, *e) || answered;
    }
    return answered;
  }
  bool end(ask_slot& slot, envelope& e) {
    item::of(e).read();
    require(e.kind == envelope_kind::answer, "not an answer");
    const bool mine = slot.take();
    ++(mine ? taken : late);
    if (mine) {
      program_memory.asks.give_back(this_thread().asks, slot);
    } else {
      end_late_answer(this_thread(), e);
    }
    return mine;
  }
  void stop(ask_slot& slot) {
    envelope_chain mail = self.reader.close(self.box, nullptr);
    while (envelope* const e = mail.pop()) {
      item::of(*e).read();
      ++late;
      end_late_answer(this_thread(), *e);
    }
    (void)slot;
  }
};

// Its ask times out while the answer is under way, and another actor uses the slot.
struct answer_against_timeout : one_slot {
  static constexpr unsigned threads = 2;
  asker first;
  asker second;
  reply answer;
  origin from;
  bool timed_out = false;
  bool asked_again = false;

  void before() {
    one_slot::before();
    first.open();
    second.open();
    from = first.ask();
  }
  void thread(unsigned index) {
    if (index == 1) {
      answer.send(elsewhere[0], from);
      return reuse(elsewhere[0]);
    }
    if (first.poll(slot())) return;
    timed_out = true;
    record.set(record.get() + 1);
    asker::leave(slot());
    asked_again = second.ask().what() == origin::kind::reply_slot;
    (void)second.poll(slot());
  }
  void after() {
    (void)first.poll(slot());
    (void)second.poll(slot());
    require(second.taken + second.late == 0, "the answer of the ask before");
    require(first.taken + first.late + answer.late == 1, "an answer is lost, or twice");
    require(timed_out != (first.taken == 1), "two ends of one ask, or none");
    if (asked_again) asker::leave(slot());
    one_slot::after();
  }
};

TEST(ask_model, an_answer_is_in_time_or_late_but_never_reaches_another_ask) {
  EXPECT_TRUE(passes(explore<answer_against_timeout>()));
}

// Somebody reads who has asked, while that actor ends its ask, and then its slot has another
// tenant, or the ask's slot another asker.
template <bool SlotIsReused>
struct sender_against_end : one_slot {
  static constexpr unsigned threads = 2;
  asker first;
  asker second;
  origin from;

  void before() {
    one_slot::before();
    first.open();
    second.open();
    second.self.slot = 1;
    set_tenant(1);
    from = first.ask();
  }
  void set_tenant(std::uint32_t generation) {
    first.self.lifecycle.store(lifecycle_word::with_generation(generation).bits,
                               release);  // pairs: cell.lifecycle
  }
  void thread(unsigned index) {
    if (index == 1) {
      const mailbox_index found = slot().asker_of(from.generation);
      require(found.generation <= 1, "the next tenant");
      return require(found.slot == 0, "the asker of the next ask");
    }
    asker::leave(slot());
    if (SlotIsReused) {
      (void)second.ask();
    } else {
      set_tenant(2);
    }
  }
  void after() {
    require(slot().asker_of(from.generation) == mailbox_index{}, "its ask has ended");
    if (SlotIsReused) asker::leave(slot());
    one_slot::after();
  }
};

TEST(ask_model, the_sender_of_an_ask_is_its_asker_or_nobody) {
  EXPECT_TRUE(passes(explore<sender_against_end<true>>()));
  EXPECT_TRUE(passes(explore<sender_against_end<false>>()));
}

// It stops while the answer is under way. Its mailbox closes before or after it leaves its asks.
template <bool LeavesFirst>
struct answer_against_stop : one_slot {
  static constexpr unsigned threads = 2;
  asker first;
  reply answer;
  origin from;

  void before() {
    one_slot::before();
    first.open();
    from = first.ask();
  }
  void thread(unsigned index) {
    if (index == 1) {
      answer.send(elsewhere[0], from);
      return reuse(elsewhere[0]);
    }
    if (!LeavesFirst) first.stop(slot());
    record.set(record.get() + 1);
    asker::leave(slot());
    if (LeavesFirst) first.stop(slot());
  }
  void after() {
    require(first.taken == 0 && first.late + answer.late == 1, "the answer is not late");
    one_slot::after();
  }
};

TEST(ask_model, an_actor_that_stops_leaves_no_slot_behind) {
  EXPECT_TRUE(passes(explore<answer_against_stop<true>>()));
  EXPECT_TRUE(passes(explore<answer_against_stop<false>>()));
}

// An actor takes over the ask of a thread while the answer comes.
struct answer_against_adoption : one_slot {
  static constexpr unsigned threads = 2;
  asker courier;
  reply answer;
  thread_ask asked;
  origin from;
  bool adopted = false;

  void before() {
    one_slot::before();
    courier.open();
    asked = thread_ask::open(nullptr);
    from = asked.as_origin();
  }
  void thread(unsigned index) {
    if (index == 1) return answer.send(elsewhere[0], from);
    slot().asker.store(&courier.self, relaxed);  // relaxed: passing the ask on publishes it
    adopted = asked.pass_to_actor();
    if (adopted) {
      (void)slot().begin<ask_with_continuation>();
      return;
    }
    asked.await_settled();
    require(asked.answered(), "no answer");
    answer.read();
  }
  void after() {
    require(answer.late == 0, "an answer in time is late");
    (void)courier.poll(slot());
    require(courier.taken == (adopted ? 1U : 0U), "the actor lacks the answer");
    asked.close();
    one_slot::after();
  }
};

TEST(ask_model, an_actor_that_takes_over_the_ask_of_a_thread_gets_its_answer) {
  EXPECT_TRUE(passes(explore<answer_against_adoption>()));
}

}  // namespace
}  // namespace tactor::model
