// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/definition/guard.hpp"

#include "tactor/core/actor/actor.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/testkit/probe.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <expected>
#include <stdexcept>
#include <string>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

enum class way : std::uint8_t { fine, returned, thrown, thrown_number };

struct task {
  way how = way::fine;
  using reply = int;
};
struct other {};

/// Fails where and how it is told to.
class fragile : public actor<task, other> {
public:
  struct plan {
    way constructor = way::fine;
    way start = way::fine;
    way stop = way::fine;
    std::string* trace = nullptr;
  };
  explicit fragile(const plan& wanted) : plan_(wanted) {
    note("made;");
    if (plan_.constructor != way::fine) throw std::runtime_error("constructor");
  }
  fragile(const fragile&) = delete;
  fragile& operator=(const fragile&) = delete;
  ~fragile() { note("destroyed;"); }

  std::expected<void, failure> pre_start(context&) {
    note("start;");
    return fail(plan_.start, "pre_start");
  }
  std::expected<int, failure> receive(context&, task t) {
    note("task;");
    if (auto said = fail(t.how, "receive"); !said) return std::unexpected{said.error()};
    return 1;
  }
  void receive(context&, other) { note("other;"); }
  std::expected<void, failure> post_stop(context&) {
    note("stop;");
    return fail(plan_.stop, "post_stop");
  }

private:
  static std::expected<void, failure> fail(way how, const char* where) {
    if (how == way::returned) return std::unexpected{failure{where, 5}};
    if (how == way::thrown) throw std::runtime_error(where);
    if (how == way::thrown_number) throw 7;
    return {};
  }
  void note(const char* what) {
    if (plan_.trace != nullptr) *plan_.trace += what;
  }
  plan plan_;
};

/// Records the log.
struct log_book {
  struct line {
    log_level level;
    log_kind kind;
    std::string actor;
    std::string text;
    std::string message;
  };
  [[nodiscard]] log_sink sink() { return {take, this}; }
  static void take(void* self, const log_record& record) noexcept {
    line made{.level = record.level,
              .kind = record.kind,
              .actor = std::string{record.actor},
              .text = std::string{record.text},
              .message = {}};
    for (const log_field& each : record.fields)
      if (each.name() == "message") made.message = each.text();
    static_cast<log_book*>(self)->lines.push_back(made);
  }
  std::vector<line> lines;
};

class failing : public ::testing::Test {
protected:
  failing() : world{seed{5}, {.log = {.sink = book.sink()}}} {
    events.emplace(world.spawn_probe<actor_failed>("events"));
    world.events().subscribe<actor_failed>(events->ref());
    neighbour = world.spawn<fragile>("neighbour", fragile::plan{});
  }
  void expect_failure(const actor_ref<>& who, std::string_view path, std::string_view text,
                      failure::origin from, std::string_view message_type) {
    const auto event = events->expect<actor_failed>();
    EXPECT_EQ(event.who, who);
    EXPECT_EQ(event.path.view(), path);
    EXPECT_EQ(event.why.text(), text);
    EXPECT_EQ(event.why.from(), from);
    EXPECT_NE(event.actor_type.find("fragile"), std::string_view::npos);
    EXPECT_EQ(event.message_type.empty(), message_type.empty());
    EXPECT_NE(event.message_type.find(message_type), std::string_view::npos);

    ASSERT_EQ(book.lines.size(), 1u);
    EXPECT_EQ(book.lines[0].level, log_level::error);
    EXPECT_EQ(book.lines[0].kind, log_kind::failure);
    EXPECT_EQ(book.lines[0].actor, path);
    EXPECT_EQ(book.lines[0].text, text);
    EXPECT_EQ(book.lines[0].message, event.message_type);

    // The others continue.
    EXPECT_EQ(world.ask(neighbour, task{}, 1s).get().value_or(0), 1);
    EXPECT_EQ(world.metrics().failures, 1u);
    EXPECT_EQ(world.live(), 2u);
  }

  log_book book;
  std::string trace;
  simulation world;
  std::optional<testkit::probe<actor_failed>> events;
  fragile::ref neighbour;
};
using a_failing_actor = failing;

// spec: I3 V4 O6
TEST_F(a_failing_actor, by_a_returned_failure_stops_and_is_logged_and_published) {
  const auto who = world.spawn<fragile>("who", fragile::plan{.trace = &trace});
  who.tell(other{});
  auto answer = world.ask(who, task{way::returned}, 1h);
  who.tell(other{});
  who.tell(other{});

  const auto said = std::move(answer).get();
  ASSERT_FALSE(said.has_value());
  EXPECT_EQ(said.error().kind, ask_failure::target_failed);
  EXPECT_EQ(trace, "made;start;other;task;stop;destroyed;");
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::stopped), 2u);
  EXPECT_EQ(who.try_tell(other{}).error().why, tell_result::closed);
  book.lines.erase(book.lines.begin() + 1, book.lines.end());  // of the dead letters
  expect_failure(who, "/user/who", "receive", failure::origin::returned, "task");
}

// spec: I3 V4 O6
TEST_F(a_failing_actor, by_an_exception_stops_like_any_other) {
  const auto who = world.spawn<fragile>("who", fragile::plan{.trace = &trace});
  const auto said = world.ask(who, task{way::thrown}, 1h).get();
  ASSERT_FALSE(said.has_value());
  EXPECT_EQ(said.error().kind, ask_failure::target_failed);
  EXPECT_EQ(trace, "made;start;task;stop;destroyed;");
  expect_failure(who, "/user/who", "receive", failure::origin::thrown, "task");
}

// spec: I3 V4
TEST_F(a_failing_actor, by_something_that_is_no_exception_of_the_library_stops_too) {
  const auto who = world.spawn<fragile>("who", fragile::plan{.trace = &trace});
  who.tell(task{way::thrown_number});
  world.run_to_idle();
  EXPECT_EQ(trace, "made;start;task;stop;destroyed;");
  expect_failure(who, "/user/who", "something that is no std::exception", failure::origin::thrown,
                 "task");
}

struct silent : std::exception {
  [[nodiscard]] const char* what() const noexcept override { return nullptr; }
};

// spec: I3 V4
TEST_F(a_failing_actor, by_an_exception_that_says_nothing_stops_too) {
  const auto who = world.spawn("who", [](tactor::context&, other) { throw silent{}; });
  who.tell(other{});
  world.run_to_idle();
  const auto event = events->expect<actor_failed>();
  EXPECT_EQ(event.who, who);
  EXPECT_EQ(event.why.text(), "");
  EXPECT_NE(event.thrown.view().find("silent"), std::string_view::npos);
  ASSERT_EQ(book.lines.size(), 1u);
  EXPECT_EQ(book.lines[0].text, "handler failed without a message");
}

// spec: V4 A2b
TEST_F(a_failing_actor, in_its_constructor_is_never_started_and_its_messages_are_dead_letters) {
  const auto who =
      world.spawn<fragile>("who", fragile::plan{.constructor = way::thrown, .trace = &trace});
  const auto said = world.ask(who, task{}, 1h).get();
  ASSERT_FALSE(said.has_value());
  EXPECT_EQ(said.error().kind, ask_failure::target_terminated);
  EXPECT_EQ(trace, "made;");
  book.lines.erase(book.lines.begin() + 1, book.lines.end());
  expect_failure(who, "/user/who", "constructor", failure::origin::thrown, "");
}

// spec: V4
TEST_F(a_failing_actor, in_pre_start_handles_nothing_and_is_destroyed) {
  for (const way how : {way::returned, way::thrown}) {
    book.lines.clear();
    trace.clear();
    const auto who = world.spawn<fragile>("who", fragile::plan{.start = how, .trace = &trace});
    who.tell(other{});
    world.run_to_idle();
    EXPECT_EQ(trace.substr(0, 11), "made;start;");
    EXPECT_EQ(trace.find("other"), std::string::npos);
    EXPECT_TRUE(trace.ends_with("destroyed;"));
    const auto event = events->expect<actor_failed>();
    EXPECT_EQ(event.why.text(), "pre_start");
    EXPECT_EQ(event.why.code(), how == way::returned ? 5 : 0);
    EXPECT_EQ(world.live(), 2u);
  }
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::stopped), 2u);
}

// spec: V4
TEST_F(a_failing_actor, in_post_stop_ends_nevertheless) {
  for (const way how : {way::returned, way::thrown}) {
    const auto who = world.spawn<fragile>("who", fragile::plan{.stop = how, .trace = &trace});
    world.run_to_idle();
    world.stop(who);
    world.run_to_idle();
    const auto event = events->expect<actor_failed>();
    EXPECT_EQ(event.why.text(), "post_stop");
    EXPECT_EQ(event.path.view(), "/user/who");
    EXPECT_EQ(world.live(), 2u);
  }
  EXPECT_EQ(trace, "made;start;stop;destroyed;made;start;stop;destroyed;");
  EXPECT_EQ(world.metrics().failures, 2u);
}

// spec: I3
TEST_F(a_failing_actor, with_a_timers_message_stops_and_the_timer_ends) {
  const auto who = world.spawn<fragile>("who", fragile::plan{.trace = &trace});
  auto job = world.schedule_at_fixed_rate(10ms, 10ms, actor_ref<task>{who}, task{way::thrown});
  ASSERT_TRUE(job.has_value());
  world.run_for(1s);
  EXPECT_EQ(trace, "made;start;task;stop;destroyed;");
  EXPECT_EQ(world.timers().metrics().active_total, 0u);
  EXPECT_FALSE(job->cancel());
}

// spec: I3 V1
TEST_F(a_failing_actor, stops_its_children) {
  int ended = 0;
  class child : public actor<other> {
  public:
    explicit child(int* const& ended) : ended_(ended) {}
    void receive(context&, other) {}
    void post_stop(context&) { ++*ended_; }

  private:
    int* ended_;
  };
  const auto parent =
      world.spawn("parent", [&ended](tactor::context& ctx, task) -> std::expected<int, failure> {
        (void)ctx.spawn<child>("one", &ended);
        (void)ctx.spawn<child>("two", &ended);
        return std::unexpected{failure{"parent"}};
      });
  parent.tell(task{});
  world.run_to_idle();
  EXPECT_EQ(ended, 2);
  EXPECT_EQ(world.live(), 2u);
}

// spec: I3
TEST(guard, turns_what_is_thrown_into_a_failure) {
  failure why;
  EXPECT_EQ(guarded(why, [] { return call_result::done; }), call_result::done);
  EXPECT_EQ(guarded(why, [] { return call_result::unhandled; }), call_result::unhandled);
  EXPECT_EQ(guarded(why, []() -> call_result { throw std::out_of_range("far"); }),
            call_result::failed);
  EXPECT_EQ(why.text(), "far");
  EXPECT_EQ(why.from(), failure::origin::thrown);
}

}  // namespace
}  // namespace tactor
