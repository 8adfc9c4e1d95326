// SPDX-License-Identifier: BSL-1.0
// A completion from another thread against the stop or restart of the actor whose coroutine awaits
// it.
#include "tactor/core/actor/coroutine/running_task.hpp"
#include "tactor/core/actor/coroutine/task_list.hpp"
#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/cell/ask_slot.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/start_stop.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/send/answer.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/port/port.hpp"

#include "cell_world.hpp"
#include "scenario.hpp"
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace tactor::model {

using namespace tactor::internal;

namespace {

// Like the frame of a coroutine `co_await ctx.completes(...)`, made by hand: first its two
// functions, as both compilers lay frames out. Its memory is not used again, so that a late access
// is seen.
struct frame {
  // NOLINTBEGIN(readability-identifier-naming): by position
  void (*resume)(frame*) = nullptr;
  void (*destroy)(frame*) = nullptr;
  // NOLINTEND(readability-identifier-naming)
  alignas(running_task) std::byte task_place[sizeof(running_task)] = {};
  alignas(awaited) std::byte what_place[sizeof(awaited)] = {};
  origin from;
  port::plain<bool> alive;
  bool begun = false;
  bool again = false;  // it awaits a second result
  envelope* got = nullptr;
  unsigned destroyed = 0;

  running_task& task() { return *std::launder(reinterpret_cast<running_task*>(task_place)); }
  awaited& what() { return *std::launder(reinterpret_cast<awaited*>(what_place)); }

  running_task& make(cell& of) {
    resume = run;
    destroy = end;
    ::new (task_place) running_task{of};
    ::new (what_place) awaited;
    alive.set(true);
    task().frame = this;
    task().finish = [](running_task&, failure&) noexcept { return call_result::done; };
    return task();
  }
  static void run(frame* self) {
    require(self->alive.get(), "a frame that is gone is resumed");
    if (!self->begun) {
      self->begun = true;
      self->from = self->what().begin_completion(self->task(), self, nullptr);
      require(self->from.what() == origin::kind::reply_slot, "no slot for the completion");
      return;
    }
    self->got = self->what().answer;
    require(self->got != nullptr, "resumed without a result");
    item::of(*self->got).read();
    ++item::of(*self->got).handled;
    self->what().discard_answer();
    if (!self->again) return end_helper(self->task());
    self->again = false;
    self->what().~awaited();
    ::new (self->what_place) awaited;
    const origin next = self->what().begin_completion(self->task(), self, nullptr);
    require(next.what() == origin::kind::reply_slot, "no slot for the next completion");
  }
  static void end(frame* self) {
    require(self->alive.get(), "a frame ends twice");
    self->alive.set(false);
    ++self->destroyed;
    if (envelope* const untaken = self->what().answer) ++item::of(*untaken).dead;
    self->what().discard_answer();
    self->what().~awaited();
    self->task().~running_task();
  }
};

// A message whose handler is a coroutine.
struct order {
  item mail;
  frame of;
};

inline call_result begin(void* actor, context& /*ctx*/, envelope& e, failure& why) noexcept {
  const auto& who = *static_cast<tenant*>(actor);
  who.state->set(who.state->get() + 1);
  auto& wanted = *reinterpret_cast<order*>(&e);
  wanted.mail.read();
  ++wanted.mail.handled;
  cell& c = *program_memory.cells.at(1);
  return start_task(wanted.of.make(c), e, why);
}

constexpr actor_type awaiting_type{.receive = begin,
                                   .pre_start = nullptr,
                                   .post_stop = nullptr,
                                   .pre_restart = nullptr,
                                   .post_restart = nullptr,
                                   .messages = {},
                                   .instance = operations_of<tenant>};
constexpr actor_recipe awaiting_recipe{.type = &awaiting_type,
                                       .construct = construct,
                                       .keep = nullptr,
                                       .arguments = operations_of<slip>};

// An actor, in slot 1, whose coroutine awaits a completion.
struct studio {
  fresh_runtime runtime;
  town services;
  cell slots[2];
  alignas(ask_slot) std::byte ask_slots[2 * sizeof(ask_slot)] = {};
  thread_record elsewhere;  // of the thread that completes
  desk queue;
  std::uint32_t tenancy = 0;
  block_of<actor_parts> parts;
  block_of<suspension> record;
  block_of<task_list> list;
  order first;
  item result;
  unsigned late = 0;
  unsigned ends = 0;

  cell& actor() { return slots[1]; }

  void before() {
    this_thread().services = &services;
    program_memory.cells.confine_to(slots);
    actor().slot = 1;
    require(this_thread().cells.try_put(actor()), "no capacity for a slot");
    tenancy = move_in(actor(), nullptr, mailbox_options::unbounded);
    program_memory.asks.confine_to({reinterpret_cast<ask_slot*>(ask_slots), 2});
    elsewhere.services = &services;
    actor().type.store(&awaiting_type, relaxed);  // relaxed: one thread
    actor().recipe = &awaiting_recipe;
    actor().parts = &parts.make();
    actor().recipe = &awaiting_recipe;
    actor().parts->suspension = &record.make();
    actor().parts->suspension->tasks = &list.make();
    actor().extended = true;
    actor().coordinator.store(&queue, relaxed);  // relaxed: opening publishes it
    actor().box.open();
    queue.register_ready(actor());
    tell(first);
    turn();
    require(first.of.begun && first.of.got == nullptr, "it does not await");
  }
  void tell(order& what) {
    what.mail.write();
    static_cast<void>(send(this_thread(), &actor(), tenancy, what.mail.head));
  }
  void turn() {
    cell* const c = queue.take();
    if (c == nullptr) return;
    services.state.set(services.state.get() + 1);
    const invoke_result said = run_turn({.system = services, .thread = this_thread(), .actor = *c});
    if (said.how != invoke_result::outcome::stopped) return queue.handle_invoke_result(*c, said);
    ++ends;
    program_memory.cells.give_back(this_thread().cells, *c);
  }
  // Like a completion, from another thread.
  void complete() {
    result.write();
    if (!route_answer(elsewhere, first.of.from, result.head)) ++late;
  }
  void end() {
    unsigned unused = 0;
    for (thread_record* each : {&this_thread(), &elsewhere})
      while (each->asks.try_take() != nullptr)
        ++unused;
    require(unused == 2, "an ask slot is lost, or free twice");
    std::destroy_n(reinterpret_cast<ask_slot*>(ask_slots), 2);
  }
  void check_first() {
    require(first.of.destroyed == 1, "a frame is left");
    require(result.handled + result.dead + late == 1, "a result is lost, or there twice");
    require((first.of.got == &result.head) == (result.handled == 1), "another frame had it");
  }
};

struct completion_against_stop : studio {
  static constexpr unsigned threads = 3;

  void thread(unsigned index) {
    switch (index) {
    case 0:
      return complete();
    case 1:
      return request_stop(actor(), tenancy);
    default:
      turn();
    }
  }
  void after() {
    turn();
    require(ends == 1, "a stop is lost, or acted on twice");
    check_first();
    end();
  }
};

// spec: A3
TEST(task_model, a_completion_and_a_stop_end_a_frame_once) {
  EXPECT_TRUE(passes(explore<completion_against_stop>(preemptions(3))));
}

// With the result, the coroutine awaits another one.
struct another_wait_against_stop : completion_against_stop {
  void before() {
    completion_against_stop::before();
    first.of.again = true;
  }
};

// spec: A3
TEST(task_model, a_coroutine_that_awaits_again_is_ended_by_a_stop) {
  EXPECT_TRUE(passes(explore<another_wait_against_stop>(preemptions(3))));
}

// The new instance awaits a completion of its own, in the same slot.
struct completion_against_restart : studio {
  static constexpr unsigned threads = 3;
  order second;

  void before() {
    studio::before();
    tell(second);  // it waits until the first is over
  }
  void thread(unsigned index) {
    switch (index) {
    case 0:
      return complete();
    case 1:
      if (actor().request(tenancy, [](lifecycle_word was) { return was.with_restart_request(); }))
        give_notice(actor());
      return;
    default:
      turn();
    }
  }
  void after() {
    turn();
    require(services.restarts == 1, "a directive is lost, or followed twice");
    check_first();
    require(second.of.got == nullptr, "the result of the frame before");
    request_stop(actor(), tenancy);
    turn();
    require(ends == 1 && second.of.destroyed == (second.of.begun ? 1U : 0U), "a frame is left");
    end();
  }
};

// spec: A3
TEST(task_model, a_late_completion_does_not_reach_the_frame_of_the_next_instance) {
  EXPECT_TRUE(passes(explore<completion_against_restart>(preemptions(3))));
}

}  // namespace
}  // namespace tactor::model
