// SPDX-License-Identifier: BSL-1.0
// Resumes against messages, stops, restarts and other suspensions, on the words of a real cell.
#include "tactor/core/life/suspension.hpp"

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/lifecycle_word.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/start_stop.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/mailbox_word.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/send/send.hpp"

#include "cell_world.hpp"
#include "scenario.hpp"
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <new>

namespace tactor::model {

using namespace tactor::internal;

namespace {

using tactor::internal::suspension_command;

// A suspension command to an actor, as a thread sends it.
struct command_message : block_of<suspension_command> {
  void send(cell& to, std::uint32_t generation, suspension_command::kind what,
            suspend_reason reason) {
    make() = {.what = what, .reason = reason};
    to.commands_waiting.fetch_add(1, relaxed);  // relaxed: a number
    static_cast<void>(
        post_system_message(to, generation, head, system_message_kind::suspension_command));
  }
};

constexpr suspend_reason user = suspend_reason::user_defined;
constexpr suspend_reason rate = suspend_reason::rate_limit;

// One actor, and a thread that suspends and resumes it.
struct ward : house {
  std::uint32_t tenant = 0;
  block_of<actor_parts> parts;
  block_of<suspension> record;
  command_message first_command;

  ward() = default;
  ward(const ward&) = delete;
  ward& operator=(const ward&) = delete;
  // An actor that has ended has ended its parts.
  ~ward() {
    if (!slot.extended) return;
    slot.parts->suspension->~suspension();
    slot.parts->~actor_parts();
  }

  void before() {
    house::before();
    tenant = make();
    slot.parts = &parts.make();
    slot.recipe = &tenant_recipe;
    slot.parts->suspension = &record.make();
    slot.extended = true;
    open(first_desk);
    static_cast<void>(turn());
  }
  // Suspends it with one message, which does not make it ready.
  void suspend_with(item& mail) {
    first_command.send(slot, tenant, suspension_command::kind::suspend, user);
    static_cast<void>(turn());
    require(slot.box.peek().suspended() && slot.box.peek().idle(), "not suspended");
    tell(tenant, mail);
    require(slot.box.peek().idle(), "made ready by waiting messages");
  }
  // One turn, if it is ready. Returns: whether it has ended.
  bool turn() {
    const mailbox_word word = slot.box.peek();
    require(!word.idle() || !word.noticed(), "idle with a notice");
    return run(first_desk);
  }
  void ask(lifecycle_word (*change)(lifecycle_word)) {
    if (slot.request(tenant, change)) give_notice(slot);
  }
  void restart() {
    ask([](lifecycle_word was) { return was.with_restart_request(); });
  }
  void hold() {
    ask([](lifecycle_word was) { return was.with_parent_suspension(); });
  }
  void release() {
    ask([](lifecycle_word was) { return was.without_parent_suspension(); });
  }
  void require_idle() {
    require(slot.box.peek() == mailbox_word::opened().as_idle(), "not idle");
    require(slot.reasons.empty(), "still suspended");
  }
  void invariant() const {
    const mailbox_word now = slot.box.peek();
    if (!now.idle()) return;
    require(!now.noticed(), "idle with a notice");
    require(now.suspended() || now.newest() == nullptr, "idle with messages");
  }
};

struct resume_against_message : ward {
  static constexpr unsigned threads = 3;
  item early;
  item late;
  command_message resume;

  void before() {
    ward::before();
    suspend_with(early);
  }
  void thread(unsigned index) {
    switch (index) {
    case 0:
      return tell(tenant, late);
    case 1:
      return resume.send(slot, tenant, suspension_command::kind::resume, user);
    default:
      static_cast<void>(turn());
    }
  }
  void after() {
    static_cast<void>(turn());
    require(early.handled == 1 && late.handled == 1, "a message is lost, or there twice");
    require_idle();
  }
};

// spec: P4
TEST(suspension_model, a_resume_and_a_message_lose_nothing) {
  EXPECT_TRUE(passes(explore<resume_against_message>(preemptions(3))));
}

struct resume_against_stop : ward {
  static constexpr unsigned threads = 3;
  item mail;
  command_message resume;
  unsigned ends = 0;

  void before() {
    ward::before();
    suspend_with(mail);
  }
  void thread(unsigned index) {
    switch (index) {
    case 0:
      return request_stop(slot, tenant);
    case 1:
      return resume.send(slot, tenant, suspension_command::kind::resume, user);
    default:
      ends += turn() ? 1U : 0U;
    }
  }
  void after() {
    ends += turn() ? 1U : 0U;
    require(ends == 1, "a stop is lost, or acted on twice");
    require(mail.handled + mail.dead == 1, "a message is lost, or there twice");
  }
};

// spec: P4
TEST(suspension_model, a_resume_and_a_stop_lose_nothing) {
  EXPECT_TRUE(passes(explore<resume_against_stop>(preemptions(3))));
}

struct resume_against_restart : ward {
  static constexpr unsigned threads = 3;
  item mail;
  command_message resume;

  void before() {
    ward::before();
    suspend_with(mail);
  }
  void thread(unsigned index) {
    switch (index) {
    case 0:
      return restart();
    case 1:
      return resume.send(slot, tenant, suspension_command::kind::resume, user);
    default:
      static_cast<void>(turn());
    }
  }
  void after() {
    static_cast<void>(turn());
    require(services.restarts == 1, "a directive is lost, or followed twice");
    require(mail.handled == 1, "a message is lost, or there twice");
    require_idle();
  }
};

// spec: P4
TEST(suspension_model, a_resume_and_a_restart_lose_nothing) {
  EXPECT_TRUE(passes(explore<resume_against_restart>(preemptions(3))));
}

// The parent decides about its child, and another thread stops it.
struct restart_against_stop : ward {
  static constexpr unsigned threads = 3;
  unsigned ends = 0;

  void thread(unsigned index) {
    switch (index) {
    case 0:
      return restart();
    case 1:
      return request_stop(slot, tenant);
    default:
      ends += turn() ? 1U : 0U;
    }
  }
  void after() {
    ends += turn() ? 1U : 0U;
    require(ends == 1, "a stop is lost, or acted on twice");
  }
};

// spec: P4
TEST(suspension_model, a_restart_and_a_stop_lose_nothing) {
  EXPECT_TRUE(passes(explore<restart_against_stop>(preemptions(3))));
}

struct held_against_stop : ward {
  static constexpr unsigned threads = 3;
  item mail;
  unsigned ends = 0;

  void before() {
    ward::before();
    hold();
    static_cast<void>(turn());
    require(slot.box.peek().suspended(), "not suspended by its parent");
    tell(tenant, mail);
  }
  void thread(unsigned index) {
    switch (index) {
    case 0:
      return request_stop(slot, tenant);
    case 1:
      return release();
    default:
      ends += turn() ? 1U : 0U;
    }
  }
  void after() {
    ends += turn() ? 1U : 0U;
    require(ends == 1, "a stop is lost, or acted on twice");
    require(mail.handled + mail.dead == 1, "a message is lost, or there twice");
  }
};

// spec: P4
TEST(suspension_model, a_child_suspended_by_its_parent_stops) {
  EXPECT_TRUE(passes(explore<held_against_stop>(preemptions(3))));
}

// Both at once: a directive and the parent's own failure.
struct held_against_restart : ward {
  static constexpr unsigned threads = 3;
  item mail;

  void before() {
    ward::before();
    hold();
    static_cast<void>(turn());
    tell(tenant, mail);
  }
  void thread(unsigned index) {
    switch (index) {
    case 0:
      return restart();
    case 1:
      return release();
    default:
      static_cast<void>(turn());
    }
  }
  void after() {
    static_cast<void>(turn());
    require(services.restarts == 1, "a directive is lost, or followed twice");
    require(mail.handled == 1, "a message is lost, or there twice");
    require_idle();
  }
};

// spec: P2, P4
TEST(suspension_model, a_child_suspended_by_its_parent_and_restarted_loses_nothing) {
  EXPECT_TRUE(passes(explore<held_against_restart>(preemptions(3))));
}

struct suspend_against_message : ward {
  static constexpr unsigned threads = 3;
  item mail;
  command_message suspend;
  command_message resume;

  void thread(unsigned index) {
    switch (index) {
    case 0:
      return tell(tenant, mail);
    case 1:
      suspend.send(slot, tenant, suspension_command::kind::suspend, user);
      return resume.send(slot, tenant, suspension_command::kind::resume, user);
    default:
      static_cast<void>(turn());
    }
  }
  void after() {
    static_cast<void>(turn());
    require(mail.handled == 1, "a message is lost, or there twice");
    require_idle();
  }
};

// spec: P4
TEST(suspension_model, a_suspension_that_ends_and_a_message_lose_nothing) {
  EXPECT_TRUE(passes(explore<suspend_against_message>(preemptions(2))));
}

struct resume_against_second_suspension : ward {
  static constexpr unsigned threads = 3;
  item mail;
  command_message resume;
  command_message second;
  command_message resume_second;

  void before() {
    ward::before();
    suspend_with(mail);
  }
  void thread(unsigned index) {
    switch (index) {
    case 0:
      second.send(slot, tenant, suspension_command::kind::suspend, rate);
      return resume_second.send(slot, tenant, suspension_command::kind::resume, rate);
    case 1:
      return resume.send(slot, tenant, suspension_command::kind::resume, user);
    default:
      static_cast<void>(turn());
    }
  }
  void after() {
    static_cast<void>(turn());
    require(mail.handled == 1, "a message is lost, or there twice");
    require_idle();
  }
};

// spec: P2, P4
TEST(suspension_model, a_resume_and_a_second_suspension_lose_nothing) {
  EXPECT_TRUE(passes(explore<resume_against_second_suspension>(preemptions(2))));
}

// A parent fails and recovers.
struct held_against_message : ward {
  static constexpr unsigned threads = 3;
  item mail;

  void thread(unsigned index) {
    switch (index) {
    case 0:
      return tell(tenant, mail);
    case 1:
      hold();
      return release();
    default:
      static_cast<void>(turn());
    }
  }
  void after() {
    static_cast<void>(turn());
    require(mail.handled == 1, "a message is lost, or there twice");
    require_idle();
  }
};

// spec: P2, P4
TEST(suspension_model, a_child_suspended_and_resumed_by_its_parent_loses_nothing) {
  EXPECT_TRUE(passes(explore<held_against_message>(preemptions(2))));
}

}  // namespace
}  // namespace tactor::model
