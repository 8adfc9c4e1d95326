// SPDX-License-Identifier: BSL-1.0
// Answers on their way: to a thread that sleeps, and to an actor that may have given up.
#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/runtime_memory.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/actor/delivery/answer.hpp"
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/lifecycle/pending_asks.hpp"
#include "tactor/core/actor/lifecycle/reply_slot.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/mailbox/mailbox_reader.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/port/port.hpp"

#include "scenario.hpp"
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace tactor::model {
namespace {

struct slip {
  unsigned nothing = 0;
};

// An answer, and what became of it.
struct alignas(envelope_alignment) letter {
  envelope head;
  port::cell<unsigned> text;
  unsigned late = 0;

  // As an actor answers, from another thread. The slot is known: the scenario has no registry.
  void answer(cell& slot, origin reply_slot) {
    head.operations = &operations_of<slip>;
    head.kind = envelope_kind::message;
    head.detail = 0;
    head.size_class = 0;
    text.set(1);
    if (!tactor::internal::route_answer(this_thread(), slot, reply_slot, head)) ++late;
  }
  void read() { require(text.get() == 1, "an answer that is not one yet"); }
  static letter& of(envelope& e) { return *reinterpret_cast<letter*>(&e); }
};

// Wakes one who sleeps, or is an actor's ready queue that nobody looks at.
class waker final : public ready_queue_coordinator {
public:
  waker() = default;
  waker(const waker&) = delete;
  waker& operator=(const waker&) = delete;
  ~waker() = default;

  void register_ready(ready_cell& asked) noexcept override {
    require(!gone, "somebody wakes the next tenant of the slot");
    static_cast<void>(reply_slot::wake(asked));
  }
  void unregister(ready_cell& /*asked*/) noexcept override {}
  [[nodiscard]] std::size_t drain_ready_cycle(std::span<ready_cell*> /*out*/) noexcept override {
    return 0;
  }
  [[nodiscard]] wait_signal poll_wait_signal() noexcept override { return wait_signal::pending; }
  void handle_invoke_result(ready_cell& /*ran*/, const invoke_result& /*how*/) noexcept override {}

  bool gone = false;
};

// What the sources keep for each thread is one for all here: it holds nothing that is shared.
void leave() {
  this_thread().envelopes = {};
  this_thread().cells = {};
}
void enter(cell& slot) {
  leave();
  this_thread().met = true;
  require(this_thread().cells.try_put(slot), "no room for a slot");
}

// A thread sleeps until the answer comes.
struct sleeper {
  static constexpr unsigned threads = 2;
  cell slot;
  waker wait_word;
  letter reply;
  reply_slot asked;
  origin from;
  bool answered = false;

  void before() {
    enter(slot);
    asked = reply_slot::open(nullptr, &wait_word);
    from = asked.as_origin();
  }
  void thread(unsigned index) {
    if (index == 1) return reply.answer(slot, from);
    while (!asked.answered()) {
      if (!asked.prepare_wait()) continue;
      while (!asked.woken())
        port::cpu_relax();
    }
    reply.read();
    asked.close();
    answered = true;
  }
  void after() {
    require(answered && reply.late == 0, "an answer is lost");
    leave();
  }
};

TEST(ask_model, a_thread_that_sleeps_is_woken_by_the_answer) {
  EXPECT_TRUE(passes(explore<sleeper>(preemptions(4))));
}

// It does not want to sleep any longer when the answer comes, and its slot is used again at once.
struct sleeper_gives_up {
  static constexpr unsigned threads = 2;
  cell slot;
  waker first_bell;
  waker second_bell;
  letter reply;
  reply_slot asked;
  reply_slot next;
  origin from;
  bool answered = false;

  void before() {
    enter(slot);
    second_bell.gone = true;
    asked = reply_slot::open(nullptr, &first_bell);
    from = asked.as_origin();
  }
  void thread(unsigned index) {
    if (index == 1) return reply.answer(slot, from);
    if (asked.prepare_wait() && !asked.cancel_wait()) {
      while (!asked.woken())
        port::cpu_relax();
    }
    answered = asked.answered();
    if (answered) reply.read();
    asked.close();
    next = reply_slot::open(nullptr, &second_bell);
    require(!next.answered(), "the answer of the question before");
  }
  void after() {
    require(!next.answered(), "the answer of the question before");
    require(!answered || reply.late == 0, "an answer that is taken and late");
    next.close();
    leave();
  }
};

TEST(ask_model, a_thread_that_gives_up_leaves_nobody_who_rings_for_the_next) {
  EXPECT_TRUE(passes(explore<sleeper_gives_up>(preemptions(4))));
}

// An actor's question ends for want of time while the answer is on its way, and the slot becomes a
// question of another actor, or of a thread.

struct asker {
  cell self;
  waker queue;
  unsigned taken = 0;
  unsigned late = 0;

  void open() {
    self.tenant = 1;
    self.coordinator.store(&queue, relaxed);  // relaxed: opening publishes it
    self.box.open();
  }
  // As an actor opens a question, without the timer.
  origin ask(cell& slot) {
    cell* const c = program_memory.cells.take(this_thread().cells);
    require(c == &slot, "another slot");
    require(c->tenant % 2 == 1, "the question before has not ended");
    tactor::reply_slot_view{slot}.asker.store(&self,
                                              relaxed);  // relaxed: the question publishes it
    return origin::of_reply_slot(slot.slot, slot.tenant);
  }
  static void close(cell& slot) {
    tactor::internal::close_ask(slot);
    program_memory.cells.give_back(this_thread().cells, slot);
  }
  // Looks at its mail. Returns: whether its question was answered; then it is closed.
  bool look(cell& slot) {
    bool answered = false;
    while (envelope* const e = self.reader.front(self.box)) {
      letter::of(*e).read();
      require(e->kind == envelope_kind::answer, "not an answer");
      const bool mine = tactor::internal::is_ask_of(self, slot, e->from.generation);
      self.reader.skip(self.box, *e);
      ++(mine ? taken : late);
      if (mine) {
        answered = true;
        close(slot);
      }
    }
    return answered;
  }
};

struct answer_against_timeout {
  static constexpr unsigned threads = 2;
  cell slot;
  asker first;
  asker second;
  letter reply;
  origin from;
  bool timed_out = false;

  void before() {
    enter(slot);
    first.open();
    second.open();
    from = first.ask(slot);
  }
  void thread(unsigned index) {
    if (index == 1) return reply.answer(slot, from);
    if (first.look(slot)) return;
    timed_out = true;
    asker::close(slot);
    static_cast<void>(second.ask(slot));
    static_cast<void>(second.look(slot));
  }
  void after() {
    static_cast<void>(first.look(slot));
    static_cast<void>(second.look(slot));
    require(second.taken == 0, "the answer of the question before");
    require(first.taken + first.late + second.late + reply.late == 1,
            "an answer is lost, or twice");
    require(timed_out || first.taken == 1, "an answer in time is late");
    require(!timed_out || first.taken == 0, "two ends of one question");
    leave();
  }
};

TEST(ask_model, an_answer_comes_in_time_or_is_late_but_never_another_questions) {
  EXPECT_TRUE(passes(explore<answer_against_timeout>()));
}

// The next tenant of the slot is a thread's question, and gets its own answer.
struct answer_against_close {
  static constexpr unsigned threads = 3;
  cell slot;
  asker first;
  waker wait_word;
  letter reply;
  letter other;
  reply_slot asked;
  origin from;
  port::atomic<std::uint32_t> second;  // publishes the second question

  void before() {
    enter(slot);
    first.open();
    from = first.ask(slot);
  }
  void thread(unsigned index) {
    switch (index) {
    case 0:
      asker::close(slot);  // it stops
      asked = reply_slot::open(nullptr, &wait_word);
      second.store(asked.as_origin().generation, release);
      return;
    case 1:
      return reply.answer(slot, from);
    default:
      if (const std::uint32_t generation = second.load(acquire); generation != 0)
        other.answer(slot, origin::of_reply_slot(slot.slot, generation));
    }
  }
  void after() {
    static_cast<void>(first.look(slot));
    if (other.head.operations != nullptr) {
      require(other.late == 0 && asked.answered(), "the second question lacks its answer");
    } else {
      require(!asked.answered(), "the answer of the question before");
    }
    require(first.taken == 0, "an actor that has stopped goes on");
    asked.close();
    leave();
  }
};

TEST(ask_model, a_slot_that_was_an_actors_question_can_be_a_threads) {
  EXPECT_TRUE(passes(explore<answer_against_close>(preemptions(3))));
}

}  // namespace
}  // namespace tactor::model
