// SPDX-License-Identifier: BSL-1.0
// Answers under way: to a thread that sleeps, and to an actor whose ask may have ended.
#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/actor/delivery/answer.hpp"
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/lifecycle/pending_asks.hpp"
#include "tactor/core/actor/runtime/runtime_memory.hpp"
#include "tactor/core/actor/waiting/reply_slot.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/mailbox/mailbox_reader.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/host/answer_waiter.hpp"
#include "tactor/port/port.hpp"

#include "model_os.hpp"
#include "scenario.hpp"
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace tactor::model {

using namespace tactor::internal;

namespace {

struct slip {
  unsigned nothing = 0;
};

// An answer, and what happened to it.
struct alignas(envelope_alignment) item {
  envelope head;
  port::cell<unsigned> text;
  unsigned late = 0;

  // Like an actor's answer from another thread. The slot is known: the scenario has no registry.
  void answer(cell& slot, origin reply_slot) {
    head.operations = &operations_of<slip>;
    head.kind = envelope_kind::message;
    head.detail = 0;
    head.size_class = 0;
    text.set(1);
    if (!tactor::internal::route_answer(this_thread(), slot, reply_slot, head)) ++late;
  }
  void read() { require(text.get() == 1, "the answer is not written yet"); }
  static item& of(envelope& e) { return *reinterpret_cast<item*>(&e); }
};

// Wakes a sleeping thread, or is the unused ready queue of an actor.
class waker final : public ready_queue_coordinator {
public:
  waker() = default;
  waker(const waker&) = delete;
  waker& operator=(const waker&) = delete;
  ~waker() = default;

  void register_ready(ready_cell& asked) noexcept override {
    require(!gone, "the next tenant of the slot is woken");
    static_cast<void>(reply_slot::wake(asked));
  }
  void unregister(ready_cell& /*asked*/) noexcept override {}
  [[nodiscard]] std::size_t drain_ready_cycle(std::span<ready_cell*> /*out*/) noexcept override {
    return 0;
  }
  [[nodiscard]] wait_signal poll_wait_signal() noexcept override { return wait_signal::pending; }
  void handle_invoke_result(ready_cell& /*ran*/, const invoke_result& /*how*/) noexcept override {}
  [[nodiscard]] ready_queue_usage usage() noexcept override { return {}; }

  bool gone = false;
};

// All threads share one record here: it holds nothing that is shared in the product.
void leave() {
  this_thread().envelopes = {};
  this_thread().cells = {};
  this_thread().sends = 0;  // it decides whether the time of a send is noted
}
void enter(cell& slot) {
  leave();
  this_thread().met = true;
  require(this_thread().cells.try_put(slot), "no capacity for a slot");
}

// A thread sleeps until the answer comes, or until its time is over; then its slot is reused at once.
template <std::uint64_t Until>
struct sleeper : model_os {
  static constexpr unsigned threads = 2;
  cell slot;
  waker second_bell;
  item reply;
  reply_slot asked;
  reply_slot next;
  origin from;
  bool answered = false;

  void before() {
    model_os::before();
    enter(slot);
    second_bell.gone = true;
    asked = reply_slot::open(nullptr, &answer_waiter::of_program());
    from = asked.as_origin();
  }
  void thread(unsigned index) {
    if (index == 1) return reply.answer(slot, from);
    answered = answer_waiter::of_program().run_until_answered(asked, Until);
    require(answered || Until == 0, "it returns before its time is over");
    if (answered) reply.read();
    asked.close();
    next = reply_slot::open(nullptr, &second_bell);
    require(!next.answered(), "the answer of the ask before");
  }
  void after() {
    require(!next.answered(), "the answer of the ask before");
    require(!answered || reply.late == 0, "an answer that is taken and late");
    next.close();
    leave();
    model_os::after();
  }
};

TEST(ask_model, a_thread_that_sleeps_is_woken_by_the_answer) {
  EXPECT_TRUE(passes(explore<sleeper<~std::uint64_t{0}>>(preemptions(4))));
}

TEST(ask_model, a_thread_whose_time_is_over_leaves_no_wake_for_the_next) {
  EXPECT_TRUE(passes(explore<sleeper<0>>(preemptions(4))));
}

// An actor's ask times out while the answer is under way, and the slot becomes a reply slot of
// another actor, or of a thread.

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
  // Like an actor that asks, without the timer.
  origin ask(cell& slot) {
    cell* const c = program_memory.cells.take(this_thread().cells);
    require(c == &slot, "another slot");
    require(c->tenant % 2 == 1, "the ask before has not ended");
    reply_slot_view{slot}.asker.store(&self, relaxed);  // relaxed: the ask publishes it
    return origin::of_reply_slot(slot.slot, slot.tenant);
  }
  static void close(cell& slot) {
    tactor::internal::close_ask(slot);
    program_memory.cells.give_back(this_thread().cells, slot);
  }
  // Reads its mailbox. Returns: whether its ask was answered; then the slot is closed.
  bool poll(cell& slot) {
    bool answered = false;
    while (envelope* const e = self.reader.front(self.box)) {
      item::of(*e).read();
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
  item reply;
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
    if (first.poll(slot)) return;
    timed_out = true;
    asker::close(slot);
    static_cast<void>(second.ask(slot));
    static_cast<void>(second.poll(slot));
  }
  void after() {
    static_cast<void>(first.poll(slot));
    static_cast<void>(second.poll(slot));
    require(second.taken == 0, "the answer of the ask before");
    require(first.taken + first.late + second.late + reply.late == 1,
            "an answer is lost, or twice");
    require(timed_out || first.taken == 1, "an answer in time is late");
    require(!timed_out || first.taken == 0, "two ends of one ask");
    leave();
  }
};

TEST(ask_model, an_answer_is_in_time_or_late_but_never_reaches_another_ask) {
  EXPECT_TRUE(passes(explore<answer_against_timeout>()));
}

// The next tenant of the slot is a thread's ask, and gets its own answer.
struct answer_against_close {
  static constexpr unsigned threads = 3;
  cell slot;
  asker first;
  waker wait_word;
  item reply;
  item other;
  reply_slot asked;
  origin from;
  port::atomic<std::uint32_t> second;  // publishes the second ask

  void before() {
    enter(slot);
    first.open();
    from = first.ask(slot);
  }
  void thread(unsigned index) {
    switch (index) {
    case 0:
      asker::close(slot);  // the actor stops
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
    static_cast<void>(first.poll(slot));
    if (other.head.operations != nullptr) {
      require(other.late == 0 && asked.answered(), "the second ask lacks its answer");
    } else {
      require(!asked.answered(), "the answer of the ask before");
    }
    require(first.taken == 0, "a stopped actor continues");
    asked.close();
    leave();
  }
};

TEST(ask_model, a_reply_slot_of_an_actor_can_be_reused_by_a_thread) {
  EXPECT_TRUE(passes(explore<answer_against_close>(preemptions(3))));
}

}  // namespace
}  // namespace tactor::model
