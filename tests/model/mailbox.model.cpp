// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/message/mailbox.hpp"

#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/locked_queue.hpp"
#include "tactor/core/message/mailbox_reader.hpp"
#include "tactor/core/message/mailbox_word.hpp"
#include "tactor/core/message/priority_levels.hpp"
#include "tactor/port/port.hpp"

#include "scenario.hpp"
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace tactor::model {

using namespace tactor::internal;

namespace {

// A message, and what happened to it.
struct alignas(envelope_alignment) item : envelope {
  enum class state : std::uint8_t { unused, written, freed };

  port::plain<state> text;
  unsigned sender = 0;
  unsigned number = 0;  // 1, 2, … for each sender
  // Counted by the owner of the message.
  unsigned handled = 0;
  unsigned given_out = 0;
  unsigned refused = 0;
  unsigned evicted = 0;

  void write() { text.set(state::written); }
  void read() {
    require(text.get() == state::written, "not a message any more");
    text.set(state::written);  // only the reader writes it
  }
  void free() { text.set(state::freed); }
  [[nodiscard]] unsigned fates() const { return handled + given_out + refused + evicted; }
};
item& kind_of(envelope& e) {
  return static_cast<item&>(e);
}

// An actor as its mailbox knows it, and a ready queue for one cell.
struct office {
  mailbox box;
  mailbox_reader reader;
  port::atomic<unsigned> ready;    // 1: the cell is in the ready queue
  port::plain<unsigned> state;     // left by a worker that runs the cell for the next worker
  std::array<unsigned, 3> last{};  // of each sender, the newest number handled
  // Requests from outside, before a notice.
  std::array<port::atomic<unsigned>, 2> asked;
  port::atomic<unsigned> with_resume_request;
  std::array<bool, 2> seen{};
  unsigned turns = 0;

  office() = default;
  office(const office&) = delete;
  office& operator=(const office&) = delete;
  ~office() = default;

  void open_and_park() {
    box.open();
    require(reader.set_idle(box), "a new mailbox is not empty");
  }
  void make_ready() {
    // The release is the ready queue's: every worker that takes the cell from it is ordered after.
    require(ready.exchange(1, release) == 0, "made ready twice");
  }
  void act_on(push_result result) {
    if (result == push_result::make_ready) make_ready();
  }
  bool taken_from_ready_queue() { return ready.exchange(0, acquire) == 1; }

  void send(item& fresh) {
    fresh.write();
    const push_result result = box.push(fresh);
    if (result == push_result::closed) {
      fresh.read();  // the sender still owns it
      ++fresh.refused;
    }
    act_on(result);
  }
  void send_system(item& fresh) {
    fresh.write();
    const push_result result = box.push_system(fresh);
    if (result == push_result::closed) {
      fresh.read();
      ++fresh.refused;
    }
    act_on(result);
  }
  void ask(unsigned which) {
    asked[which].store(1, relaxed);  // relaxed: the notice publishes it
    act_on(box.give_notice());
  }
  void ask_to_resume() {
    with_resume_request.store(1, relaxed);  // relaxed: the notice publishes it
    act_on(box.give_notice());
  }

  // The rest: the worker that runs the cell.

  void touch() { state.set(state.get() + 1); }
  void handle(item& mail) {
    touch();
    mail.read();
    require(mail.number == last[mail.sender] + 1, "lost, repeated or out of order");
    ++last[mail.sender];
    ++mail.handled;
  }
  void attend() {
    while (box.peek().noticed()) {
      reader.take_notice(box);
      touch();
      for (unsigned i = 0; i < asked.size(); ++i)
        if (asked[i].load(relaxed) == 1) seen[i] = true;  // relaxed: the notice was taken
      if (with_resume_request.load(relaxed) == 1)
        reader.resume(box);  // relaxed: the notice was taken
      envelope_chain mail = reader.take_system(box);
      while (envelope* const e = mail.pop()) {
        handle(kind_of(*e));
        kind_of(*e).free();
      }
    }
  }
  /// As `run_turn` does.
  mailbox_reader::left finish(envelope& handled, bool alone) {
    if (alone && reader.try_finish_single(box, handled)) return mailbox_reader::left::idle;
    if (alone) reader.take_single(handled);
    return reader.advance(box, handled);
  }
  void turn() {
    touch();
    ++turns;
    require(!box.peek().suspended() || box.peek().noticed(), "made ready by waiting messages");
    while (true) {
      attend();
      envelope* const lone = reader.single(box);
      envelope* const e = lone != nullptr || box.peek().suspended() ? lone : reader.front(box);
      if (e == nullptr) {
        touch();
        if (box.peek().in_side_queue()) reader.forget_side_queue(box);
        if (reader.set_idle(box)) return;
        continue;
      }
      handle(kind_of(*e));
      const auto left = finish(*e, lone != nullptr);
      kind_of(*e).free();
      if (left == mailbox_reader::left::idle) return;
    }
  }
  // Of an actor that is suspended until an answer comes, whose turn takes the answer at once.
  void awaiting_turn() {
    touch();
    ++turns;
    require(box.peek().suspended() && box.peek().noticed(), "made ready by waiting messages");
    if (envelope* const e = reader.single_system(box)) {
      reader.resume_by_notice(box);
      const bool requested = asked[0].load(relaxed) == 1;  // relaxed: the notice was taken
      if (!requested && reader.take_single_system(box, *e)) {
        handle(kind_of(*e));
        kind_of(*e).free();
        touch();
        if (reader.suspend_idle(box)) return;
        reader.suspend(box);
      } else {
        reader.suspend(box);
        require(box.give_notice() == push_result::queued, "it runs");
      }
    }
    do {
      attend();
      touch();
    } while (!reader.set_idle(box));
  }
  void poll() {
    if (taken_from_ready_queue()) turn();
  }
  void run_to_the_end() {
    while (taken_from_ready_queue())
      turn();
    require(box.peek().idle(), "neither idle nor ready");
  }

  void invariant() const {
    const mailbox_word now = box.peek();
    if (!now.idle()) return;
    require(!now.noticed(), "idle with a notice");
    require(now.suspended() || (now.newest() == nullptr && !now.in_side_queue()),
            "idle with messages");
  }
};

template <std::size_t Count>
void number(std::array<item, Count>& items, unsigned sender) {
  for (unsigned i = 0; i < Count; ++i) {
    items[i].sender = sender;
    items[i].number = i + 1;
  }
}

// Enqueue against going idle.

// Senders send `Items` each; workers check the ready queue `Polls` times each and run the cell
// when it is there. What is left is run in the end.
template <unsigned Senders, unsigned Items, unsigned Workers, unsigned Polls>
struct senders_and_workers : office {
  static constexpr unsigned threads = Senders + Workers;
  std::array<std::array<item, Items>, Senders> items;

  void before() {
    for (unsigned i = 0; i < Senders; ++i)
      number(items[i], i);
    open_and_park();
  }
  void thread(unsigned index) {
    if (index < Senders) {
      for (item& fresh : items[index])
        send(fresh);
      return;
    }
    for (unsigned i = 0; i < Polls; ++i)
      poll();
  }
  void after() {
    run_to_the_end();
    for (unsigned i = 0; i < Senders; ++i)
      require(last[i] == Items, "a message is lost");
  }
};

TEST(mailbox_model, of_one_sender_nothing_is_lost_while_the_reader_goes_idle) {
  EXPECT_TRUE(passes(explore<senders_and_workers<1, 2, 1, 2>>()));
}

TEST(mailbox_model, of_two_senders_nothing_is_lost_while_the_reader_goes_idle) {
  EXPECT_TRUE(passes(explore<senders_and_workers<2, 1, 1, 1>>()));
}

TEST(mailbox_model, one_worker_leaves_everything_to_the_next) {
  EXPECT_TRUE(passes(explore<senders_and_workers<1, 2, 2, 1>>(preemptions(3))));
}

// Both send an envelope that was handled just now once more, from the same memory: the address of
// the newest message comes back.
struct memory_comes_back : office {
  static constexpr unsigned threads = 2;
  std::array<item, 1> first;
  std::array<item, 1> other;

  void before() {
    number(first, 0);
    number(other, 1);
    open_and_park();
    send(first[0]);
  }
  void thread(unsigned index) {
    if (index == 0) {
      send(other[0]);
      return;
    }
    if (!taken_from_ready_queue()) return;
    touch();
    envelope* const lone = reader.single(box);
    envelope* const e = lone != nullptr ? lone : reader.front(box);
    handle(kind_of(*e));
    const auto left = finish(*e, lone != nullptr);
    if (e == &first[0]) {
      first[0].number = 2;
      send(first[0]);
    }
    if (left != mailbox_reader::left::idle) turn();
  }
  void after() {
    run_to_the_end();
    require(last[0] == 2 && last[1] == 1, "a message is lost");
  }
};

TEST(mailbox_model, a_message_may_be_sent_again_as_soon_as_it_is_left) {
  EXPECT_TRUE(passes(explore<memory_comes_back>()));
}

// Notices and system messages.

struct notice_and_mail : office {
  static constexpr unsigned threads = 3;
  std::array<item, 1> items;

  void before() {
    number(items, 0);
    open_and_park();
  }
  void thread(unsigned index) {
    switch (index) {
    case 0:
      return send(items[0]);
    case 1:
      return ask(0);
    default:
      return poll();
    }
  }
  void after() {
    run_to_the_end();
    require(last[0] == 1, "a message is lost");
    require(seen[0], "a request is lost");
  }
};

TEST(mailbox_model, a_notice_and_a_message_make_the_cell_ready_once) {
  EXPECT_TRUE(passes(explore<notice_and_mail>(preemptions(3))));
}

// An actor that awaits an answer gets it, beside another system message, a request, or a message of
// a user.
struct answers_for_a_suspended_actor : office {
  enum class beside : std::uint8_t { answer, request, message };
  static constexpr unsigned threads = 3;
  std::array<item, 1> first;
  std::array<item, 1> second;
  std::array<item, 1> mail;

  void before() {
    number(first, 0);
    number(second, 1);
    number(mail, 2);
    box.open();
    reader.suspend(box);
    require(reader.set_idle(box), "a new mailbox is not empty");
  }
  void act(unsigned index, beside other) {
    if (index == 0) return send_system(first[0]);
    if (index >= 2) {
      if (taken_from_ready_queue()) awaiting_turn();
      return;
    }
    switch (other) {
    case beside::answer:
      return send_system(second[0]);
    case beside::request:
      return ask(0);
    case beside::message:
      return send(mail[0]);
    }
  }
  void check() {
    while (taken_from_ready_queue())
      awaiting_turn();
    require(box.peek().idle() && box.peek().suspended(), "neither idle nor ready");
    require(last[0] == 1, "an answer is lost");
  }
};
struct two_answers : answers_for_a_suspended_actor {
  static constexpr unsigned threads = 4;  // the second worker runs it with what the first has left
  void thread(unsigned index) { act(index, beside::answer); }
  void after() {
    check();
    require(last[1] == 1, "an answer is lost");
  }
};
struct answer_and_request : answers_for_a_suspended_actor {
  void thread(unsigned index) { act(index, beside::request); }
  void after() {
    check();
    require(seen[0], "a request is lost");
  }
};
struct answer_and_mail : answers_for_a_suspended_actor {
  void thread(unsigned index) { act(index, beside::message); }
  void after() {
    check();
    require(turns == 1, "the message of a user makes it ready");
    require(last[2] == 0 && box.peek().newest() == &mail[0], "it does not wait");
  }
};

TEST(mailbox_model, an_actor_that_awaits_again_loses_neither_answers_nor_requests) {
  EXPECT_TRUE(passes(explore<two_answers>(preemptions(2))));
  EXPECT_TRUE(passes(explore<answer_and_request>(preemptions(3))));
  EXPECT_TRUE(passes(explore<answer_and_mail>(preemptions(3))));
}

// The reader is at work: the notice comes while it handles, advances or becomes idle.
template <unsigned Askers, unsigned Workers, unsigned Items>
struct notices_while_running : office {
  static constexpr unsigned threads = Askers + Workers;
  std::array<item, Items> items;

  void before() {
    number(items, 0);
    open_and_park();
    for (item& each : items)
      send(each);
  }
  void thread(unsigned index) {
    if (index < Askers) return ask(index);
    poll();
  }
  void after() {
    run_to_the_end();
    require(last[0] == Items, "a message is lost");
    for (unsigned i = 0; i < Askers; ++i)
      require(seen[i], "a request is lost");
  }
};

TEST(mailbox_model, a_notice_for_a_cell_that_becomes_idle_is_not_lost) {
  EXPECT_TRUE(passes(explore<notices_while_running<1, 1, 1>>()));
  EXPECT_TRUE(passes(explore<notices_while_running<2, 1, 1>>(preemptions(2))));
}

TEST(mailbox_model, a_notice_hands_over_what_the_last_worker_left) {
  EXPECT_TRUE(passes(explore<notices_while_running<1, 2, 1>>(preemptions(3))));
  EXPECT_TRUE(passes(explore<notices_while_running<1, 2, 2>>(preemptions(3))));
}

// The cell is run for a notice alone, becomes idle, and is run for a message by another worker.
struct mail_behind_a_notice : office {
  static constexpr unsigned threads = 3;
  std::array<item, 1> items;

  void before() {
    number(items, 0);
    open_and_park();
    ask(0);
  }
  void thread(unsigned index) {
    if (index == 0) return send(items[0]);
    poll();
  }
  void after() {
    run_to_the_end();
    require(last[0] == 1, "a message is lost");
    require(seen[0], "a request is lost");
  }
};

TEST(mailbox_model, a_worker_that_sets_the_cell_idle_leaves_everything_to_the_next) {
  EXPECT_TRUE(passes(explore<mail_behind_a_notice>(preemptions(3))));
}

struct two_system_senders : office {
  static constexpr unsigned threads = 3;
  std::array<item, 2> first;
  std::array<item, 1> second;

  void before() {
    number(first, 0);
    number(second, 1);
    open_and_park();
  }
  void thread(unsigned index) {
    switch (index) {
    case 0:
      send_system(first[0]);
      send_system(first[1]);
      return;
    case 1:
      return send_system(second[0]);
    default:
      return poll();
    }
  }
  void after() {
    run_to_the_end();
    require(last[0] == 2 && last[1] == 1, "a system message is lost");
  }
};

TEST(mailbox_model, of_two_system_senders_nothing_is_lost) {
  EXPECT_TRUE(passes(explore<two_system_senders>(preemptions(2))));
}

// Closing.

// The worker that runs the cell handles one message, with `Taken` more behind it, and closes; a
// sender of two messages comes at the same time.
enum class way : std::uint8_t { by_front, lone };

template <unsigned Taken, bool Refuse, way How = way::by_front>
struct close_against_enqueue : office {
  static constexpr unsigned threads = 2;
  std::array<item, 1 + Taken> early;
  std::array<item, 2> late;

  void before() {
    number(early, 0);
    number(late, 1);
    open_and_park();
    for (item& each : early)
      send(each);
    require(taken_from_ready_queue(), "not made ready");
  }
  void thread(unsigned index) {
    if (index == 0) {
      for (item& each : late)
        send(each);
      return;
    }
    envelope* const lone = How == way::lone ? reader.single(box) : nullptr;
    envelope* const e = lone != nullptr ? lone : reader.front(box);
    handle(kind_of(*e));
    if (lone != nullptr) reader.take_single(*e);
    if (Refuse) reader.refuse(box);
    // The rest is given out in order, without the handled message.
    envelope_chain mail = reader.close(box, e);
    kind_of(*e).free();
    while (envelope* const each = mail.pop()) {
      item& left = kind_of(*each);
      left.read();
      require(left.number == last[left.sender] + 1, "out of order");
      ++last[left.sender];
      ++left.given_out;
      left.free();
    }
  }
  void after() {
    require(last[0] == 1 + Taken, "a message that was taken is lost");
    for (const item& each : late)
      require(each.fates() == 1, "a message is lost, or there twice");
    require(late[1].refused == 1 || late[0].refused == 0, "refused, and the next message not");
    require(box.peek() == mailbox_word{}, "something is left");
    require(reader.size(box) == 0, "something is left");
  }
};

TEST(mailbox_model, close_gives_out_or_refuses_every_message_once) {
  EXPECT_TRUE(passes(explore<close_against_enqueue<0, false>>()));
  EXPECT_TRUE(passes(explore<close_against_enqueue<1, false>>()));
  EXPECT_TRUE(passes(explore<close_against_enqueue<0, false, way::lone>>()));
}

TEST(mailbox_model, what_is_refused_in_between_is_not_given_out) {
  EXPECT_TRUE(passes(explore<close_against_enqueue<1, true>>()));
}

// Refuses, handles what is queued, and closes: nothing that was accepted is given out.
struct drain_against_enqueue : office {
  static constexpr unsigned threads = 3;
  std::array<std::array<item, 1>, 2> items;

  void before() {
    for (unsigned i = 0; i < 2; ++i)
      number(items[i], i);
    open_and_park();
    make_ready_by_hand();
  }
  void make_ready_by_hand() {
    act_on(box.give_notice());
    require(taken_from_ready_queue(), "not made ready");
    reader.take_notice(box);
  }
  void thread(unsigned index) {
    if (index < 2) return send(items[index][0]);
    reader.refuse(box);
    while (envelope* const e = reader.front(box)) {
      handle(kind_of(*e));
      require(reader.advance(box, *e) != mailbox_reader::left::idle, "idle in a drain");
      kind_of(*e).free();
    }
    require(reader.close(box, nullptr).empty(), "accepted after it was refused");
  }
  void after() {
    for (const auto& each : items)
      require(each[0].fates() == 1, "a message is lost, or there twice");
  }
};

TEST(mailbox_model, a_drain_handles_what_was_accepted_and_nothing_else) {
  EXPECT_TRUE(passes(explore<drain_against_enqueue>()));
}

struct close_against_system_messages : office {
  static constexpr unsigned threads = 3;
  std::array<std::array<item, 1>, 2> items;

  void before() {
    for (unsigned i = 0; i < 2; ++i)
      number(items[i], i);
    box.open();
  }
  void give_out(envelope_chain mail) {
    while (envelope* const e = mail.pop()) {
      kind_of(*e).read();
      ++kind_of(*e).given_out;
      kind_of(*e).free();
    }
  }
  void thread(unsigned index) {
    if (index < 2) return send_system(items[index][0]);
    attend();
    give_out(reader.close(box, nullptr));
    give_out(reader.close_system(box));
  }
  void after() {
    for (const auto& each : items)
      require(each[0].fates() == 1, "a system message is lost, or there twice");
    require(ready.load(relaxed) == 0, "a running cell was made ready");
  }
};

TEST(mailbox_model, a_system_message_is_taken_or_given_out_or_refused) {
  EXPECT_TRUE(passes(explore<close_against_system_messages>(preemptions(4))));
}

// Suspension.

struct resume_against_mail : office {
  static constexpr unsigned threads = 3;
  std::array<item, 2> items;

  void before() {
    number(items, 0);
    box.open();
    reader.suspend(box);
    require(reader.set_idle(box), "cannot be set idle");
    send(items[0]);
    require(ready.load(relaxed) == 0, "made ready by waiting messages");
  }
  void thread(unsigned index) {
    switch (index) {
    case 0:
      return send(items[1]);
    case 1:
      return ask_to_resume();
    default:
      return poll();
    }
  }
  void after() {
    run_to_the_end();
    require(last[0] == 2, "a message is lost");
  }
};

TEST(mailbox_model, messages_of_a_suspended_cell_wait_for_the_resume) {
  EXPECT_TRUE(passes(explore<resume_against_mail>(preemptions(3))));
}

// An observer takes the cell over to count what waits, while it is resumed and another message
// comes.
struct observer_against_resume : resume_against_mail {
  void thread(unsigned index) {
    if (index < 2) return resume_against_mail::thread(index);
    observe();
    poll();
  }
  void observe() {
    if (!box.try_take_suspended()) return;
    touch();
    const std::size_t waiting = reader.size(box);
    require(waiting == 1 || waiting == 2, "counted wrongly");
    require(reader.size(box, 1) == 1, "counted more than wanted");
    if (!reader.set_idle(box)) make_ready();
  }
};

TEST(mailbox_model, an_observer_of_a_suspended_cell_counts_and_loses_no_request) {
  EXPECT_TRUE(passes(explore<observer_against_resume>(preemptions(3))));
}

// Two observers; a worker has the cell in between.
struct two_observers : observer_against_resume {
  void thread(unsigned index) {
    if (index == 0) return ask_to_resume();
    if (index == 1) return poll();
    observe();
  }
  void after() {
    observe();
    run_to_the_end();
    require(last[0] == 1, "a message is lost");
  }
};

TEST(mailbox_model, an_observer_and_a_worker_have_the_cell_one_after_the_other) {
  EXPECT_TRUE(passes(explore<two_observers>(preemptions(3))));
}

// An observer takes over a cell that is idle and not suspended, while a message and a request come,
// and a worker runs it.
struct observer_against_mail : office {
  static constexpr unsigned threads = 3;
  std::array<item, 1> items;

  void before() {
    number(items, 0);
    open_and_park();
  }
  void thread(unsigned index) {
    if (index == 0) return send(items[0]);
    if (index == 1) return ask(0);
    observe();
    poll();
  }
  void observe() {
    if (!box.try_take_idle()) return;
    touch();
    if (!reader.set_idle(box)) make_ready();
  }
  void after() {
    observe();
    run_to_the_end();
    require(last[0] == 1, "a message is lost");
    require(seen[0], "a request is lost");
  }
};

TEST(mailbox_model, an_observer_of_an_idle_cell_loses_no_message_and_no_request) {
  EXPECT_TRUE(passes(explore<observer_against_mail>(preemptions(3))));
}

// The notice of another request comes while the first is acted on.
struct resume_against_notice : office {
  static constexpr unsigned threads = 3;

  void before() {
    box.open();
    reader.suspend(box);
    require(reader.set_idle(box), "cannot be set idle");
  }
  void thread(unsigned index) {
    switch (index) {
    case 0:
      return ask(0);
    case 1:
      return ask_to_resume();
    default:
      return poll();
    }
  }
  void after() {
    run_to_the_end();
    require(seen[0], "a request is lost");
    require(!box.peek().suspended(), "a resume is lost");
  }
};

TEST(mailbox_model, a_resume_keeps_a_notice_that_comes_meanwhile) {
  EXPECT_TRUE(passes(explore<resume_against_notice>(preemptions(3))));
}

// It suspends itself in its turn, with messages taken and messages not yet taken.
struct suspend_against_mail : office {
  static constexpr unsigned threads = 3;
  std::array<item, 2> early;
  std::array<item, 1> late;

  void before() {
    number(early, 0);
    number(late, 1);
    open_and_park();
    for (item& each : early)
      send(each);
    require(taken_from_ready_queue(), "not made ready");
  }
  void thread(unsigned index) {
    if (index == 0) return send(late[0]);
    if (index == 1) return ask_to_resume();
    envelope* const e = reader.front(box);
    handle(kind_of(*e));
    reader.suspend(box);
    const auto left = reader.advance(box, *e);
    kind_of(*e).free();
    require(left == mailbox_reader::left::messages, "forgot what was taken");
    touch();
    if (!reader.set_idle(box)) run_after_notice();
  }
  void run_after_notice() { turn(); }
  void after() {
    run_to_the_end();
    require(last[0] == 2 && last[1] == 1, "a message is lost");
  }
};

TEST(mailbox_model, a_suspension_keeps_what_was_taken_and_what_was_not) {
  EXPECT_TRUE(passes(explore<suspend_against_mail>(preemptions(3))));
}

// The side queue.

struct side_queue_office : office {
  locked_queue side_queue;
  static constexpr std::uint32_t tenant = 1;

  void open_side_queue(std::uint32_t capacity) {
    side_queue.open(&box, tenant, {.capacity = capacity});
    open_and_park();
  }
  void send_to_side_queue(item& fresh) {
    fresh.generation = tenant;
    fresh.write();
    const locked_queue::outcome outcome = side_queue.push(&box, fresh);
    if (!outcome.accepted) {
      fresh.read();
      ++fresh.refused;
      return;
    }
    act_on(box.mark_side_queue());
    if (outcome.evicted != nullptr) {
      kind_of(*outcome.evicted).read();
      ++kind_of(*outcome.evicted).evicted;
    }
  }
  void handle_any(item& mail) {
    touch();
    mail.read();
    require(mail.number > last[mail.sender], "out of order");
    last[mail.sender] = mail.number;
    ++mail.handled;
  }
  void side_queue_turn() {
    touch();
    while (true) {
      attend();
      envelope* const e = reader.front(box, side_queue);
      if (e == nullptr) {
        touch();
        envelope_chain& strays = reader.strays(box, side_queue);
        while (envelope* const stray = strays.pop()) {
          handle_any(kind_of(*stray));
          kind_of(*stray).free();
        }
        if (reader.set_idle(box)) return;
        continue;
      }
      handle_any(kind_of(*e));
      const auto left = reader.advance(box, side_queue);
      kind_of(*e).free();
      if (left == mailbox_reader::left::idle) return;
    }
  }
  void run_side_queue_to_the_end() {
    while (taken_from_ready_queue())
      side_queue_turn();
    require(box.peek().idle(), "neither idle nor ready");
    require(side_queue.size() == 0, "idle with messages in the side queue");
  }
};

template <unsigned Items>
struct side_queue_of_one : side_queue_office {
  static constexpr unsigned threads = 3;
  std::array<std::array<item, Items>, 2> items;

  void before() {
    for (unsigned i = 0; i < 2; ++i)
      number(items[i], i);
    open_side_queue(1);
  }
  void thread(unsigned index) {
    if (index < 2) {
      for (item& fresh : items[index])
        send_to_side_queue(fresh);
    } else if (taken_from_ready_queue()) {
      side_queue_turn();
    }
  }
  void after() {
    require(side_queue.size() <= 1, "more than fit");
    run_side_queue_to_the_end();
    for (const auto& of_one : items)
      for (const item& each : of_one)
        require(each.handled + each.evicted == 1, "neither handled nor evicted, or both");
  }
};

TEST(mailbox_model, a_message_in_the_side_queue_is_handled_or_evicted) {
  EXPECT_TRUE(passes(explore<side_queue_of_one<1>>(preemptions(3))));
  EXPECT_TRUE(passes(explore<side_queue_of_one<2>>(preemptions(2))));
}

// The actor with a side queue stops while a sender sends.
struct side_queue_closed_against_enqueue : side_queue_office {
  static constexpr unsigned threads = 2;
  std::array<item, 3> early;
  std::array<item, 1> late;

  void before() {
    number(early, 0);
    number(late, 1);
    open_side_queue(3);
    for (item& each : early)
      send_to_side_queue(each);
    require(taken_from_ready_queue(), "not made ready");
  }
  void give_out(envelope& e) {
    kind_of(e).read();
    ++kind_of(e).given_out;
    kind_of(e).free();
  }
  void thread(unsigned index) {
    if (index == 0) return send_to_side_queue(late[0]);
    envelope* const e = reader.front(box, side_queue);
    handle_any(kind_of(*e));
    require(reader.advance(box, side_queue) == mailbox_reader::left::messages, "forgot the rest");
    kind_of(*e).free();
    // A request to stop comes before the next message is handled.
    envelope_chain mail = reader.close(box, nullptr);
    while (envelope* const each = mail.pop())
      give_out(*each);
    side_queue.close();
    while (envelope* const each = side_queue.pop())
      give_out(*each);
  }
  void after() {
    for (const item& each : early)
      require(each.fates() == 1, "a message is lost, or there twice");
    require(late[0].fates() == 1, "a message is lost, or there twice");
    require(side_queue.size() == 0, "something is left");
  }
};

TEST(mailbox_model, a_closed_side_queue_gives_out_or_refuses_every_message_once) {
  EXPECT_TRUE(passes(explore<side_queue_closed_against_enqueue>(preemptions(4))));
}

// An ordinary and a control message to a mailbox with priorities.
struct priorities_of_two_senders : side_queue_office {
  static constexpr unsigned threads = 3;
  priority_levels levels;
  std::array<item, 1> ordinary;
  std::array<item, 1> control;

  void before() {
    number(ordinary, 0);
    number(control, 1);
    side_queue.open(&box, tenant, {.capacity = 1, .levels = &levels});
    open_and_park();
  }
  void send_control(item& fresh) {
    fresh.generation = tenant;
    fresh.write();
    if (side_queue.push_control(&box, fresh).accepted) return act_on(box.mark_side_queue());
    fresh.read();
    ++fresh.refused;
  }
  void thread(unsigned index) {
    if (index == 0) {
      send_to_side_queue(ordinary[0]);
    } else if (index == 1) {
      send_control(control[0]);
    } else if (taken_from_ready_queue()) {
      side_queue_turn();
    }
  }
  void after() {
    run_side_queue_to_the_end();
    require(ordinary[0].handled == 1 && control[0].handled == 1, "a message is lost");
  }
};

TEST(mailbox_model, a_mailbox_with_priorities_is_idle_only_without_messages_of_both_kinds) {
  EXPECT_TRUE(passes(explore<priorities_of_two_senders>(preemptions(3))));
}

// The actor stops, and its levels are given to another mailbox, while senders send.
struct priorities_closed_against_enqueue : priorities_of_two_senders {
  void thread(unsigned index) {
    if (index < 2) return priorities_of_two_senders::thread(index);
    require(reader.close(box, nullptr).empty(), "there was nothing");
    side_queue.close();
    while (envelope* const each = side_queue.pop()) {
      kind_of(*each).read();
      ++kind_of(*each).given_out;
    }
    require(side_queue.take_levels() == &levels && levels.size() == 0, "something is left");
  }
  void after() {
    require(levels.size() == 0, "a late sender used the levels of another mailbox");
    require(ordinary[0].fates() == 1 && control[0].fates() == 1, "lost, or there twice");
  }
};

TEST(mailbox_model, late_senders_do_not_reach_levels_that_were_given_back) {
  EXPECT_TRUE(passes(explore<priorities_closed_against_enqueue>(preemptions(3))));
}

// The slot's next tenant: the first has a side queue and the second has none, or the other way
// round. A sender that checked in time and comes late meets the second.

struct side_queue_then_none : side_queue_office {
  static constexpr unsigned threads = 2;
  item stale;
  std::array<item, 1> fresh;

  void before() {
    stale.number = 1;
    fresh[0].sender = 1;
    fresh[0].number = 1;
    side_queue.open(&box, tenant, {.capacity = 1});
    box.open();
  }
  void thread(unsigned index) {
    if (index == 0) return send_to_side_queue(stale);
    require(reader.close(box, nullptr).empty(), "there was nothing");
    side_queue.close();
    while (envelope* const e = side_queue.pop()) {
      kind_of(*e).read();
      ++kind_of(*e).given_out;
    }
    open_second();
    send(fresh[0]);
    poll();
  }
  void open_second() {
    box.open();
    if (!reader.set_idle(box)) turn();
  }
  void after() {
    run_to_the_end();
    require(stale.fates() == 1, "a message is lost, or there twice");
    require(last[1] == 1, "a message of the next tenant is lost");
  }
};

TEST(mailbox_model, a_late_side_queue_bit_does_not_keep_the_next_tenant_busy) {
  EXPECT_TRUE(passes(explore<side_queue_then_none>(preemptions(4))));
}

struct none_then_side_queue : side_queue_office {
  static constexpr unsigned threads = 2;
  item stale;
  std::array<item, 1> fresh;

  void before() {
    stale.number = 1;
    fresh[0].sender = 1;
    fresh[0].number = 1;
    box.open();
  }
  void thread(unsigned index) {
    if (index == 0) return send(stale);
    envelope_chain mail = reader.close(box, nullptr);
    while (envelope* const e = mail.pop()) {
      kind_of(*e).read();
      ++kind_of(*e).given_out;
    }
    side_queue.open(&box, tenant, {.capacity = 1});
    box.open();
    if (!reader.set_idle(box)) side_queue_turn();
    send_to_side_queue(fresh[0]);
    if (taken_from_ready_queue()) side_queue_turn();
  }
  void after() {
    run_side_queue_to_the_end();
    require(stale.fates() == 1, "a message is lost, or there twice");
    require(last[1] == 1, "a message of the next tenant is lost");
  }
};

TEST(mailbox_model, a_late_message_reaches_a_next_tenant_with_a_side_queue) {
  EXPECT_TRUE(passes(explore<none_then_side_queue>(preemptions(4))));
}

// The long searches stand last: a mutant should not have to wait for them.
TEST(mailbox_model, notices_resumes_and_mail_without_a_bound) {
  EXPECT_TRUE(passes(explore<notice_and_mail>()));
  EXPECT_TRUE(passes(explore<resume_against_mail>()));
}

TEST(mailbox_model, system_messages_and_late_messages_with_more_preemptions) {
  if (!soaking()) GTEST_SKIP() << "takes minutes: only in make soak";
  EXPECT_TRUE(passes(explore<two_system_senders>(preemptions(3))));
  EXPECT_TRUE(passes(explore<side_queue_then_none>()));
  EXPECT_TRUE(passes(explore<none_then_side_queue>()));
}

}  // namespace
}  // namespace tactor::model
