// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/cell/waiting_producers.hpp"

#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/lifecycle_word.hpp"
#include "tactor/core/mailbox/mailbox.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/port/port.hpp"

#include "scenario.hpp"
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace tactor::model {

using namespace tactor::internal;

namespace {

using outcome = waiting_producers::outcome;

// How threads sleep in here: they look again and again. One without patience is over at once.
bool look_again(const port::atomic<std::uint32_t>& word, std::uint32_t seen,
                std::uint64_t /*until_ns*/) noexcept {
  if (word.load(relaxed) == seen) port::cpu_relax();
  return true;
}
bool lose_patience(const port::atomic<std::uint32_t>& /*word*/, std::uint32_t /*seen*/,
                   std::uint64_t /*until_ns*/) noexcept {
  return false;
}
// The one who is woken must still be there.
void touch(port::atomic<std::uint32_t>& word) noexcept {
  require(word.load(relaxed) != 0, "woken for nothing");
}
std::uint64_t no_time() noexcept {
  return 0;
}
constexpr thread_waiting patient{.sleep = look_again, .wake = touch, .now_ns = no_time};
constexpr thread_waiting impatient{.sleep = lose_patience, .wake = touch, .now_ns = no_time};

// A mailbox with one place, and the tenant whose it is.
struct room {
  static constexpr std::uint32_t capacity = 1;
  static constexpr std::uint32_t first_tenant = 1;
  static constexpr std::uint32_t next_tenant = 3;

  waiting_producers producers;
  cell slot;

  void move_in(std::uint32_t tenant) {
    slot.lifecycle.store(lifecycle_word::with_generation(tenant).bits,
                         relaxed);  // relaxed: opening publishes it
    slot.tenant = tenant;
    slot.box.open();
  }
  void take_the_place() { slot.waiting.store(1, relaxed); }  // relaxed: before the threads
  [[nodiscard]] outcome wait(const thread_waiting& how, std::uint32_t tenant = first_tenant) {
    return producers.wait(slot, tenant, capacity, how);
  }
  // The message in the mailbox has been taken out.
  void take_out() { producers.leave(slot, &patient); }
  // The tenant stops: nothing is taken any more.
  void close() {
    (void)slot.reader.close(slot.box, nullptr);
    producers.close(slot, &patient);
  }
  void move_out() {
    close();
    slot.lifecycle.store(lifecycle_word::with_generation(slot.tenant + 1).bits,
                         relaxed);  // relaxed: the next opening publishes it
  }
  [[nodiscard]] std::uint32_t taken() const {
    return slot.waiting.load(relaxed);
  }  // relaxed: after
};

// One waits for the place that another gives up.
struct wait_and_leave {
  static constexpr unsigned threads = 2;
  room all;
  outcome said = outcome::waits;

  void before() {
    all.move_in(room::first_tenant);
    all.take_the_place();
  }
  void thread(unsigned index) {
    if (index == 0) {
      said = all.wait(patient);
    } else {
      all.take_out();
    }
  }
  void after() {
    require(said == outcome::has_place, "waited in vain");
    require(all.taken() == 1, "a place was lost or given out twice");
  }
};

// The same, with one who does not wait.
struct timeout_and_leave {
  static constexpr unsigned threads = 2;
  room all;
  outcome said = outcome::waits;

  void before() {
    all.move_in(room::first_tenant);
    all.take_the_place();
  }
  void thread(unsigned index) {
    if (index == 0) {
      said = all.wait(impatient);
    } else {
      all.take_out();
    }
  }
  void after() {
    require(said == outcome::has_place || said == outcome::timed_out, "ended in another way");
    require(all.taken() == (said == outcome::has_place ? 1U : 0U),
            "a place was lost or given out twice");
  }
};

// Two wait, one of them not for long; two places become free, one after the other.
struct two_wait {
  static constexpr unsigned threads = 3;
  room all;
  std::array<outcome, 2> said{};

  void before() {
    all.move_in(room::first_tenant);
    all.take_the_place();
  }
  void thread(unsigned index) {
    switch (index) {
    case 0:
      said[0] = all.wait(patient);
      all.take_out();  // what it sent has been handled
      break;
    case 1:
      said[1] = all.wait(impatient);
      if (said[1] == outcome::has_place) all.take_out();
      break;
    default:
      all.take_out();
      break;
    }
  }
  void after() {
    require(said[0] == outcome::has_place, "waited in vain");
    require(said[1] == outcome::has_place || said[1] == outcome::timed_out, "ended in another way");
    require(all.taken() == 0, "a place was lost or given out twice");
  }
};

// One waits, one takes the message out, and then the actor stops.
struct wait_and_close {
  static constexpr unsigned threads = 2;
  room all;
  outcome said = outcome::waits;

  void before() {
    all.move_in(room::first_tenant);
    all.take_the_place();
  }
  void thread(unsigned index) {
    if (index == 0) {
      said = all.wait(patient);
      if (said == outcome::has_place) all.take_out();  // by pushing into a mailbox that is closed
    } else {
      all.close();
      all.take_out();
    }
  }
  void after() {
    require(said == outcome::closed, "ended in another way");
    require(all.taken() == 0, "a place was lost or given out twice");
  }
};

// The actor that was meant stops, and another one moves in, which has no such rule: nobody would ever
// tell the one who waits.
struct wait_for_an_earlier_tenant {
  static constexpr unsigned threads = 2;
  room all;
  outcome said = outcome::waits;

  void before() {
    all.move_in(room::first_tenant);
    all.take_the_place();
  }
  void thread(unsigned index) {
    if (index == 0) {
      said = all.wait(patient);
    } else {
      all.move_out();
      all.move_in(room::next_tenant);
    }
  }
  void after() { require(said == outcome::closed, "ended in another way"); }
};

// One has a place from the tenant before and finds the mailbox closed, or that of the next tenant,
// for whose place another one waits.
struct place_of_an_earlier_tenant {
  static constexpr unsigned threads = 2;
  room all;
  alignas(envelope_alignment) envelope late;
  outcome said = outcome::waits;

  void before() {
    all.move_in(room::first_tenant);
    all.take_the_place();
    all.move_out();
  }
  void thread(unsigned index) {
    if (index == 0) {
      // Closed: its place goes to who waits. Taken: it is passed over, and then its place does.
      (void)all.slot.box.push(late);
      all.take_out();
    } else {
      all.move_in(room::next_tenant);
      said = all.wait(patient, room::next_tenant);
    }
  }
  void after() {
    require(said == outcome::has_place, "waited in vain");
    require(all.taken() == 1, "a place was lost or given out twice");
  }
};

// spec: M4a K3
TEST(waiting_producers_model, who_waits_gets_the_place_that_becomes_free) {
  EXPECT_TRUE(passes(explore<wait_and_leave>()));
}

// spec: M4a K3
TEST(waiting_producers_model, who_loses_patience_has_the_place_or_leaves_it) {
  EXPECT_TRUE(passes(explore<timeout_and_leave>()));
}

// spec: M4a K3
TEST(waiting_producers_model, who_waits_is_turned_away_when_the_mailbox_closes) {
  EXPECT_TRUE(passes(explore<wait_and_close>()));
}

// spec: M4a M5 K3
TEST(waiting_producers_model, nobody_waits_for_a_tenant_that_is_gone) {
  EXPECT_TRUE(passes(explore<wait_for_an_earlier_tenant>(preemptions(3))));
  // The generation lags two values behind.
  EXPECT_TRUE(passes(explore<wait_for_an_earlier_tenant>(random_schedules(20'000))));
}

// spec: M4a M5 K3
TEST(waiting_producers_model, the_place_of_an_earlier_tenants_message_goes_to_who_waits) {
  EXPECT_TRUE(passes(explore<place_of_an_earlier_tenant>()));
}

// spec: M4a K3
TEST(waiting_producers_model, two_who_wait_get_one_place_each) {
  EXPECT_TRUE(passes(explore<two_wait>(preemptions(3))));
}

}  // namespace
}  // namespace tactor::model
