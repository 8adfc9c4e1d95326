// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/send/waiting_producers.hpp"

#include "tactor/base/memory_source.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/lifecycle_word.hpp"
#include "tactor/core/cell/mailbox_limits.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/mailbox.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/port/port.hpp"

#include "scenario.hpp"
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tactor::model {

using namespace tactor::internal;

namespace {

using outcome = waiting_producers::outcome;

// Threads sleep by polling. `time_out_at_once`: the timeout is over at once.
bool poll_again(const port::atomic<std::uint32_t>& word, std::uint32_t seen,
                std::uint64_t /*until_ns*/) noexcept {
  if (word.load(relaxed) == seen) port::cpu_relax();
  return true;
}
bool time_out_at_once(const port::atomic<std::uint32_t>& /*word*/, std::uint32_t /*seen*/,
                      std::uint64_t /*until_ns*/) noexcept {
  return false;
}
// The woken thread must still exist.
void touch(port::atomic<std::uint32_t>& word) noexcept {
  require(word.load(relaxed) != 0, "woken for nothing");
}
std::uint64_t no_time() noexcept {
  return 0;
}
constexpr thread_waiting until_woken{
    .sleep = poll_again, .wake = touch, .now_ns = no_time, .give_way = nullptr};
constexpr thread_waiting expired{
    .sleep = time_out_at_once, .wake = touch, .now_ns = no_time, .give_way = nullptr};

// Memory for the queue of one mailbox.
class one_page final : public page_source {
public:
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t) noexcept override {
    require(!used_ && bytes <= sizeof(storage_), "more than one queue");
    used_ = true;
    return storage_;
  }

private:
  alignas(std::max_align_t) std::byte storage_[128];
  bool used_ = false;
};

// An actor that waits, and how often it was notified.
struct counting_actor : waiting_actor {
  unsigned notified = 0;
};

// A mailbox with one permit, or `capacity`, and its tenant.
struct bounded_box {
  static constexpr std::uint32_t first_tenant = 1;
  static constexpr std::uint32_t next_tenant = 3;

  one_page memory;
  waiting_producers producers{memory};
  cell slot;
  std::uint32_t capacity = 1;

  void move_in(std::uint32_t tenant) {
    slot.limits.store(
        mailbox_limits::of({.capacity = capacity, .overflow = overflow_strategy::block_producer})
            .bits,
        relaxed);  // relaxed: opening publishes it
    slot.lifecycle.store(lifecycle_word::with_generation(tenant).bits,
                         relaxed);  // relaxed: opening publishes it
    slot.tenant = tenant;
    slot.box.open();
  }
  void take_the_permit() { slot.permits_taken.store(1, relaxed); }  // relaxed: before the threads
  [[nodiscard]] outcome wait(const thread_waiting& how, std::uint32_t tenant = first_tenant) {
    return producers.wait(slot, tenant, how, 0, [this](waiting_producers::notified actors) {
      notify(std::move(actors));
    });
  }
  // The actors are notified, or served with a permit; they use the capacity not at all.
  void notify(waiting_producers::notified actors) {
    while (capacity_waiter* const each = actors.pop_front()) {
      auto& actor = static_cast<counting_actor&>(*each);
      ++actor.notified;
      notify(producers.give_back(actor));
    }
  }
  // Returns: whether the actor waits.
  bool enqueue(waiting_actor& actor, std::uint32_t tenant = first_tenant) {
    actor.mailbox = &slot;
    actor.mailbox_generation = tenant;
    waiting_producers::notified others;
    const auto said = producers.enqueue(actor, others);
    notify(std::move(others));
    if (said == waiting_producers::enqueued::has_capacity && actor.has_permit)
      notify(producers.give_back(actor));
    return said == waiting_producers::enqueued::waits;
  }
  bool cancel(waiting_actor& actor) {
    waiting_producers::notified others;
    const bool was_queued = producers.cancel(actor, others);
    notify(std::move(others));
    return was_queued;
  }
  // The message in the mailbox has been taken out.
  void take_out() { notify(producers.release(slot)); }
  // So have `count`, in a turn that ends then: see `release_in_turn`.
  void take_out_in_turn(std::uint32_t count = 1) {
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      ++kept;
      if (keeps()) continue;
      notify(producers.release(slot, std::exchange(kept, 0)));
    }
    notify(producers.release(slot, kept));
  }
  [[nodiscard]] bool keeps() const { return waiting_producers::only_outboxes_wait(slot); }
  // The tenant stops: nothing is accepted any more.
  void close() {
    (void)slot.reader.close(slot.box, nullptr);
    notify(producers.close(slot));
  }
  void move_out() {
    close();
    slot.lifecycle.store(lifecycle_word::with_generation(slot.tenant + 1).bits,
                         relaxed);  // relaxed: the next opening publishes it
  }
  [[nodiscard]] std::uint32_t taken() const {
    return slot.permits_taken.load(relaxed);
  }  // relaxed: after the threads
};

// An actor that waits: `Permit`: for messages in its outbox.
template <bool Permit>
struct waiting_for : counting_actor {
  waiting_for() { takes_permit = Permit; }
};

// One thread waits for the permit that another releases.
struct wait_and_leave {
  static constexpr unsigned threads = 2;
  bounded_box all;
  outcome said = outcome::waits;

  void before() {
    all.move_in(bounded_box::first_tenant);
    all.take_the_permit();
  }
  void thread(unsigned index) {
    if (index == 0) {
      said = all.wait(until_woken);
    } else {
      all.take_out();
    }
  }
  void after() {
    require(said == outcome::has_permit, "waited in vain");
    require(all.taken() == 1, "a permit was lost or given out twice");
  }
};

// The timeout of the waiting thread is over at once.
struct timeout_and_leave {
  static constexpr unsigned threads = 2;
  bounded_box all;
  outcome said = outcome::waits;

  void before() {
    all.move_in(bounded_box::first_tenant);
    all.take_the_permit();
  }
  void thread(unsigned index) {
    if (index == 0) {
      said = all.wait(expired);
    } else {
      all.take_out();
    }
  }
  void after() {
    require(said == outcome::has_permit || said == outcome::timed_out, "ended in another way");
    require(all.taken() == (said == outcome::has_permit ? 1U : 0U),
            "a permit was lost or given out twice");
  }
};

// Two threads wait, one with a short timeout; two permits are released, one after the other.
struct two_wait {
  static constexpr unsigned threads = 3;
  bounded_box all;
  std::array<outcome, 2> said{};

  void before() {
    all.move_in(bounded_box::first_tenant);
    all.take_the_permit();
  }
  void thread(unsigned index) {
    switch (index) {
    case 0:
      said[0] = all.wait(until_woken);
      all.take_out();  // the sent message has been handled
      break;
    case 1:
      said[1] = all.wait(expired);
      if (said[1] == outcome::has_permit) all.take_out();
      break;
    default:
      all.take_out();
      break;
    }
  }
  void after() {
    require(said[0] == outcome::has_permit, "waited in vain");
    require(said[1] == outcome::has_permit || said[1] == outcome::timed_out,
            "ended in another way");
    require(all.taken() == 0, "a permit was lost or given out twice");
  }
};

// One thread waits, another takes the message out, and then the actor stops.
struct wait_and_close {
  static constexpr unsigned threads = 2;
  bounded_box all;
  outcome said = outcome::waits;

  void before() {
    all.move_in(bounded_box::first_tenant);
    all.take_the_permit();
  }
  void thread(unsigned index) {
    if (index == 0) {
      said = all.wait(until_woken);
      if (said == outcome::has_permit) all.take_out();  // by pushing into a closed mailbox
    } else {
      all.close();
      all.take_out();
    }
  }
  void after() {
    require(said == outcome::closed, "ended in another way");
    require(all.taken() == 0, "a permit was lost or given out twice");
  }
};

// The actor stops, and the next tenant has no such strategy: nothing would ever wake the waiting
// thread.
struct wait_for_an_earlier_tenant {
  static constexpr unsigned threads = 2;
  bounded_box all;
  outcome said = outcome::waits;

  void before() {
    all.move_in(bounded_box::first_tenant);
    all.take_the_permit();
  }
  void thread(unsigned index) {
    if (index == 0) {
      said = all.wait(until_woken);
    } else {
      all.move_out();
      all.move_in(bounded_box::next_tenant);
    }
  }
  void after() { require(said == outcome::closed, "ended in another way"); }
};

// A message holds a permit of the tenant before and finds the mailbox closed, or open for the next
// tenant, for whose permit another thread waits.
struct permit_of_an_earlier_tenant {
  static constexpr unsigned threads = 2;
  bounded_box all;
  alignas(envelope_alignment) envelope late;
  outcome said = outcome::waits;

  void before() {
    all.move_in(bounded_box::first_tenant);
    all.take_the_permit();
    all.move_out();
  }
  void thread(unsigned index) {
    if (index == 0) {
      // Closed: its permit goes to the waiting thread. Queued: it does when it is skipped.
      (void)all.slot.box.push(late);
      all.take_out();
    } else {
      all.move_in(bounded_box::next_tenant);
      said = all.wait(until_woken, bounded_box::next_tenant);
    }
  }
  void after() {
    require(said == outcome::has_permit, "waited in vain");
    require(all.taken() == 1, "a permit was lost or given out twice");
  }
};

// An actor waits for the capacity that another thread makes; it is notified once, or does not wait.
template <bool Permit>
struct enqueue_and_leave {
  static constexpr unsigned threads = 2;
  bounded_box all;
  waiting_for<Permit> actor;
  bool waits = false;

  void before() {
    all.move_in(bounded_box::first_tenant);
    all.take_the_permit();
  }
  void thread(unsigned index) {
    if (index == 0) {
      waits = all.enqueue(actor);
    } else {
      all.take_out();
    }
  }
  void after() {
    require(actor.notified == (waits ? 1U : 0U), "waited in vain, or notified twice");
    require(all.taken() == 0, "a permit was lost, or is still awaited");
  }
};

// The actor stops waiting at the same time.
template <bool Permit>
struct cancel_and_leave {
  static constexpr unsigned threads = 2;
  bounded_box all;
  waiting_for<Permit> actor;
  bool cancelled = false;

  void before() {
    all.move_in(bounded_box::first_tenant);
    all.take_the_permit();
    require(all.enqueue(actor), "there was capacity");
  }
  void thread(unsigned index) {
    if (index == 0) {
      cancelled = all.cancel(actor);
    } else {
      all.take_out();
    }
  }
  void after() {
    require(actor.notified == (cancelled ? 0U : 1U),
            "notified after it was cancelled, or not at all");
    require(all.taken() == 0, "a permit was lost, or is still awaited");
  }
};

// The mailbox closes at the same time.
template <bool Permit>
struct enqueue_and_close {
  static constexpr unsigned threads = 2;
  bounded_box all;
  waiting_for<Permit> actor;
  bool waits = false;

  void before() {
    all.move_in(bounded_box::first_tenant);
    all.take_the_permit();
  }
  void thread(unsigned index) {
    if (index == 0) {
      waits = all.enqueue(actor);
    } else {
      all.close();
      all.take_out();
    }
  }
  void after() {
    require(actor.notified == (waits ? 1U : 0U), "waits for a closed mailbox, or notified twice");
    require(all.taken() == 0, "a permit was lost, or is still awaited");
  }
};

// A thread and an actor wait for one permit. The actor does not use it, so both are served.
template <bool Permit>
struct thread_and_actor {
  static constexpr unsigned threads = 3;
  bounded_box all;
  waiting_for<Permit> actor;
  bool waits = false;
  outcome said = outcome::waits;

  void before() {
    all.move_in(bounded_box::first_tenant);
    all.take_the_permit();
  }
  void thread(unsigned index) {
    switch (index) {
    case 0:
      said = all.wait(until_woken);
      all.take_out();  // the sent message has been handled
      break;
    case 1:
      waits = all.enqueue(actor);
      break;
    default:
      all.take_out();
      break;
    }
  }
  void after() {
    require(said == outcome::has_permit, "the thread waited in vain");
    require(actor.notified == (waits ? 1U : 0U), "the actor waited in vain, or was notified twice");
    require(all.taken() == 0, "a permit was lost, or is still awaited");
  }
};

// A message leaves, and a sender that does not wait looks for capacity. An actor has waited before.
struct leave_and_send {
  static constexpr unsigned threads = 2;
  bounded_box all;
  waiting_for<true> actor;
  waiting_producers::notified served;
  bool overtaken = false;

  void before() {
    all.move_in(bounded_box::first_tenant);
    all.take_the_permit();
    require(all.enqueue(actor), "there was capacity");
  }
  void thread(unsigned index) {
    if (index == 0) {
      served = all.producers.release(all.slot);
    } else {
      overtaken = try_acquire_permit(all.slot.permits_taken, all.capacity) != 0;
    }
  }
  void after() {
    require(!overtaken, "a sender has the permit of an actor that waited");
    require(served.pop_front() == &actor && actor.has_permit, "not served");
    require(all.taken() == 1, "a permit was lost or given out twice");
  }
};

// A full mailbox for four: a turn keeps a permit that it releases, until it ends. An actor waits.
struct kept_permit {
  static constexpr unsigned threads = 2;
  bounded_box all;
  waiting_for<true> first;

  void before() {
    all.capacity = 4;
    all.move_in(bounded_box::first_tenant);
    all.slot.permits_taken.store(4, relaxed);  // relaxed: before the threads
    require(all.enqueue(first), "there was capacity");
  }
};

// Another thread begins to wait.
struct keep_and_wait : kept_permit {
  outcome said = outcome::waits;

  void thread(unsigned index) {
    if (index == 0) {
      said = all.wait(until_woken);
    } else {
      all.take_out_in_turn();
    }
  }
  void after() {
    require(first.notified == 1, "the actor waited in vain, or was notified twice");
    require(said == outcome::has_permit, "the thread waited in vain");
    require(all.taken() == 4, "a permit was lost or given out twice");
  }
};

// A thread waits, and no actor: nothing is kept.
struct wait_and_keep {
  static constexpr unsigned threads = 2;
  bounded_box all;

  void before() {
    all.capacity = 4;
    all.move_in(bounded_box::first_tenant);
    all.slot.permits_taken.store(4, relaxed);  // relaxed: before the threads
  }
  void thread(unsigned index) {
    if (index == 0) {
      require(all.wait(until_woken) == outcome::has_permit, "waited in vain");
    } else {
      require(!all.keeps(), "kept from a thread");
      all.take_out();
    }
  }
  void after() { require(all.taken() == 4, "a permit was lost or given out twice"); }
};

// Another actor begins to wait.
struct keep_and_enqueue : kept_permit {
  waiting_for<true> second;
  bool waits = false;

  void thread(unsigned index) {
    if (index == 0) {
      waits = all.enqueue(second);
    } else {
      all.take_out_in_turn(2);
    }
  }
  void after() {
    require(first.notified == 1, "the first waited in vain, or was notified twice");
    require(second.notified == (waits ? 1U : 0U),
            "the second waited in vain, or was notified twice");
    require(all.taken() == 2, "a permit was lost, or is still awaited");
  }
};

// The actor stops waiting.
struct keep_and_cancel : kept_permit {
  bool cancelled = false;

  void thread(unsigned index) {
    if (index == 0) {
      cancelled = all.cancel(first);
    } else {
      all.take_out_in_turn();
    }
  }
  void after() {
    require(first.notified == (cancelled ? 0U : 1U),
            "notified after it was cancelled, or not at all");
    require(all.taken() == 3, "a permit was lost, or is still awaited");
  }
};

// The tenant stops in that turn, and another actor begins to wait.
struct keep_and_close : kept_permit {
  waiting_for<true> second;
  bool waits = false;

  void thread(unsigned index) {
    if (index == 0) {
      waits = all.enqueue(second);
    } else {
      const std::uint32_t kept = all.keeps() ? 1 : 0;
      if (kept == 0) all.take_out();
      all.close();
      all.notify(all.producers.release(all.slot, kept));
    }
  }
  void after() {
    require(first.notified == 1, "the first waits for a closed mailbox, or was notified twice");
    require(second.notified == (waits ? 1U : 0U), "the second waits, or was notified twice");
    require(all.taken() == 3, "a permit was lost, or is still awaited");
  }
};

// A sender that does not wait looks for capacity.
struct keep_and_send : kept_permit {
  waiting_producers::notified served;
  bool overtaken = false;

  void thread(unsigned index) {
    if (index == 0) {
      require(all.keeps(), "it is not kept");
      served = all.producers.release(all.slot);
    } else {
      overtaken = try_acquire_permit(all.slot.permits_taken, all.capacity) != 0;
    }
  }
  void after() {
    require(!overtaken, "a sender has the permit of an actor that waited");
    require(served.pop_front() == &first && first.has_permit, "not served");
    require(all.taken() == 4, "a permit was lost or given out twice");
  }
};

// Two messages leave a mailbox that nothing waits for.
struct leave_twice {
  static constexpr unsigned threads = 2;
  bounded_box all;

  void before() {
    all.move_in(bounded_box::first_tenant);
    all.slot.permits_taken.store(2, relaxed);  // relaxed: before the threads
  }
  void thread(unsigned /*index*/) { all.take_out(); }
  void after() { require(all.taken() == 0, "a permit was lost"); }
};

// spec: P2 K3
TEST(waiting_producers_model, a_waiting_actor_is_notified_once) {
  EXPECT_TRUE(passes(explore<enqueue_and_leave<false>>()));
  EXPECT_TRUE(passes(explore<enqueue_and_leave<true>>()));
}

// spec: P2 K3
TEST(waiting_producers_model, an_actor_is_notified_or_has_cancelled_its_wait) {
  EXPECT_TRUE(passes(explore<cancel_and_leave<false>>()));
  EXPECT_TRUE(passes(explore<cancel_and_leave<true>>()));
}

// spec: P2 K3
TEST(waiting_producers_model, no_actor_waits_for_a_closed_mailbox) {
  EXPECT_TRUE(passes(explore<enqueue_and_close<false>>()));
  EXPECT_TRUE(passes(explore<enqueue_and_close<true>>()));
}

// spec: P2 M4a K3
TEST(waiting_producers_model, a_thread_and_an_actor_in_one_queue_are_both_served) {
  EXPECT_TRUE(passes(explore<thread_and_actor<false>>(preemptions(3))));
  EXPECT_TRUE(passes(explore<thread_and_actor<true>>(preemptions(3))));
}

// spec: M4c K3
TEST(waiting_producers_model, no_sender_overtakes_a_waiting_actor) {
  EXPECT_TRUE(passes(explore<leave_and_send>()));
}

// spec: M4a M4b M4c K3
TEST(waiting_producers_model, a_permit_that_a_turn_keeps_reaches_those_that_wait) {
  EXPECT_TRUE(passes(explore<keep_and_wait>(preemptions(4))));
  EXPECT_TRUE(passes(explore<wait_and_keep>()));
  EXPECT_TRUE(passes(explore<keep_and_enqueue>()));
  EXPECT_TRUE(passes(explore<keep_and_cancel>()));
  EXPECT_TRUE(passes(explore<keep_and_close>()));
  EXPECT_TRUE(passes(explore<keep_and_send>()));
}

// A lock would have two more steps in each thread, and many more schedules.
// spec: K3
TEST(waiting_producers_model, a_mailbox_without_waiters_takes_no_lock) {
  const verdict all = explore<leave_twice>();
  EXPECT_TRUE(passes(all));
  EXPECT_LE(all.iterations, 40u) << "refuted: it takes a lock";
}

// spec: M4a K3
TEST(waiting_producers_model, a_waiting_thread_gets_the_released_permit) {
  EXPECT_TRUE(passes(explore<wait_and_leave>()));
}

// spec: M4a K3
TEST(waiting_producers_model, a_thread_that_times_out_has_the_permit_or_leaves_it) {
  EXPECT_TRUE(passes(explore<timeout_and_leave>()));
}

// spec: M4a K3
TEST(waiting_producers_model, a_waiting_thread_is_refused_when_the_mailbox_closes) {
  EXPECT_TRUE(passes(explore<wait_and_close>(preemptions(4))));
}

// spec: M4a M5 K3
TEST(waiting_producers_model, no_thread_waits_for_an_ended_tenant) {
  EXPECT_TRUE(passes(explore<wait_for_an_earlier_tenant>(preemptions(3))));
  // The generation lags two values behind.
  EXPECT_TRUE(passes(explore<wait_for_an_earlier_tenant>(random_schedules(20'000))));
}

// spec: M4a M5 K3
TEST(waiting_producers_model, the_permit_of_an_earlier_tenants_message_goes_to_the_waiting_thread) {
  EXPECT_TRUE(passes(explore<permit_of_an_earlier_tenant>(preemptions(4))));
}

// spec: M4a K3
TEST(waiting_producers_model, two_waiting_threads_get_one_permit_each) {
  EXPECT_TRUE(passes(explore<two_wait>(preemptions(3))));
}

}  // namespace
}  // namespace tactor::model
