// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/trace/trace_context.hpp"

#include "tactor/base/text_writer.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/observe.hpp"
#include "tactor/testkit/simulation.hpp"
#include "tactor/testkit/system_drive.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
constexpr trace_context example_context{
    .trace_high = 0x4bf92f3577b34da6, .trace_low = 0xa3ce929d0e0e4736, .span = 0x00f067aa0ba902b7};

// spec: O3
TEST(trace_context, reads_and_writes_a_traceparent) {
  EXPECT_EQ(trace_context::parse(example), example_context);
  EXPECT_EQ(example_context.traceparent(), example);

  trace_context unsampled = example_context;
  unsampled.sampled = false;
  EXPECT_EQ(trace_context::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"),
            unsampled);
  EXPECT_TRUE(unsampled.traceparent().ends_with("-00"));
  EXPECT_EQ(trace_context::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-fe"),
            unsampled)
      << "other flags are not of this version";

  // A later version is read as far as it is known.
  EXPECT_EQ(trace_context::parse("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
            example_context);
  EXPECT_EQ(trace_context::parse("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-09-what"),
            example_context);
  // One half of an id may be zero.
  EXPECT_TRUE(trace_context::parse("00-0000000000000000a3ce929d0e0e4736-00f067aa0ba902b7-01"));
  EXPECT_TRUE(trace_context::parse("00-4bf92f3577b34da60000000000000000-00f067aa0ba902b7-01"));
}

// spec: O3
TEST(trace_context, takes_nothing_else) {
  for (const std::string_view wrong : {
           "",
           "00",
           "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",       // no such version
           "0g-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",       // not a number
           "0A-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",       // upper case
           "00-00000000000000000000000000000000-00f067aa0ba902b7-01",       // no trace
           "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",       // no span
           "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",       // upper case
           "00-4bf92f3577b34da6a3ce929d0e0e4736-00F067AA0BA902B7-01",       // upper case
           "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",        // too short
           "00-4bf92f3577b34da6a3ce929d0e0e47366-00f067aa0ba902b7-01",      // too long
           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b-01",        // too short
           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1",        // too short
           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x",       // not a number
           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",      // version 00 ends
           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what",  // likewise
           "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01what",   // no dash
           "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",       // no dash
           "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01",       // no dash
           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7_01",       // no dash
           " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",      // a space
           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 ",      // a space
           "00-4bf92f3577b34da6a3ce929d0e0e473\xc3-00f067aa0ba902b7-01",    // not ASCII
           "00-+bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",       // a sign
           "00-0xf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",       // a prefix
       })
    EXPECT_FALSE(trace_context::parse(wrong)) << wrong;
  // Any byte of it may be replaced by an invalid byte.
  for (std::size_t i = 0; i < example.size(); ++i) {
    std::string wrong{example};
    wrong[i] = '\0';
    EXPECT_FALSE(trace_context::parse(wrong)) << i;
    EXPECT_FALSE(trace_context::parse(example.substr(0, i))) << i;
  }
}

struct hop {
  int left;
};
struct inquiry {
  using reply = int;
};
struct later {};

/// What the handlers saw, by the name of the actor.
using seen_contexts = std::map<std::string, std::vector<std::optional<trace_context>>>;

class relay : public actor<hop, inquiry, later> {
public:
  relay(std::string name, seen_contexts* seen, actor_ref<hop, inquiry, later> next)
      : name_(std::move(name)), seen_(seen), next_(next) {}

  void receive(context& ctx, const hop& h) {
    note();
    if (h.left > 0) next_.tell(hop{h.left - 1});
    if (h.left == -1) ctx.ask(next_, inquiry{}, 1s, [this](const auto&) { note(); });
    if (h.left == -2) (void)ctx.schedule_once(5ms, next_, later{});
    if (h.left == -3) (void)ctx.schedule_at_fixed_rate(5ms, 5ms, next_, later{});
  }
  int receive(context&, const inquiry&) {
    note();
    return 1;
  }
  void receive(context&, const later&) { note(); }

private:
  void note() { (*seen_)[name_].push_back(trace_context::current()); }

  std::string name_;
  seen_contexts* seen_;
  actor_ref<hop, inquiry, later> next_;
};

struct collected final : text_sink {
  void write(std::string_view piece) noexcept override { text += piece; }
  std::string text;
};

struct trace_of_another_program : testing::Test {
  void SetUp() override { world.run_to_idle(); }
  void tell(hop what) {
    const trace_scope scope{example_context};
    first.tell(what);
  }
  std::string otlp() {
    collected to;
    EXPECT_TRUE(trace.write(trace_format::otlp, to));
    return to.text;
  }
  static std::size_t count(const std::string& text, std::string_view part) {
    std::size_t number = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1))
      ++number;
    return number;
  }
  /// Whether each of these was seen once, in the trace of the example, and by different spans.
  void expect_seen(const std::vector<std::string>& names) {
    std::vector<std::uint64_t> spans{example_context.span};
    for (const std::string& each : names) {
      ASSERT_EQ(seen[each].size(), 1u) << each;
      ASSERT_TRUE(seen[each][0]) << each;
      EXPECT_EQ(seen[each][0]->trace_high, example_context.trace_high) << each;
      EXPECT_EQ(seen[each][0]->trace_low, example_context.trace_low) << each;
      EXPECT_TRUE(seen[each][0]->sampled);
      EXPECT_EQ(std::ranges::count(spans, seen[each][0]->span), 0) << each;
      spans.push_back(seen[each][0]->span);
      EXPECT_EQ(count(otlp(), "\"spanId\":\"" + seen[each][0]->traceparent().substr(36, 16)), 1u);
    }
    EXPECT_EQ(count(otlp(), R"("traceId":"4bf92f3577b34da6a3ce929d0e0e4736")"), names.size());
    EXPECT_EQ(count(otlp(), R"("parentSpanId":"00f067aa0ba902b7","flags":769)"), 1u);
    EXPECT_EQ(count(otlp(), "parentSpanId"), names.size());
  }

  seen_contexts seen;
  testkit::simulation world{testkit::seed{7}};
  actor_ref<hop, inquiry, later> last =
      world.spawn<relay>("last", "last", &seen, actor_ref<hop, inquiry, later>{});
  actor_ref<hop, inquiry, later> middle = world.spawn<relay>("middle", "middle", &seen, last);
  actor_ref<hop, inquiry, later> first = world.spawn<relay>("first", "first", &seen, middle);
  loop_trace trace{world};
};

// spec: O3
TEST_F(trace_of_another_program, goes_on_from_message_to_message) {
  ASSERT_TRUE(trace.start({.path = "/user/nobody"}));  // it needs no message that fits
  tell({.left = 2});
  world.run_to_idle();
  expect_seen({"first", "middle", "last"});

  first.tell(hop{0});  // without a scope
  world.run_to_idle();
  EXPECT_FALSE(seen["first"][1]);
}

// spec: O3
TEST_F(trace_of_another_program, goes_on_with_an_ask_and_its_answer) {
  ASSERT_TRUE(trace.start({.path = "/user/nobody"}));
  tell({.left = -1});
  world.run_to_idle();
  ASSERT_EQ(seen["first"].size(), 2u);
  ASSERT_TRUE(seen["first"][1]) << "the answer";
  EXPECT_EQ(seen["first"][1]->trace_low, example_context.trace_low);
  EXPECT_NE(seen["first"][1]->span, seen["first"][0]->span);
  ASSERT_TRUE(seen["middle"][0]);
  EXPECT_EQ(seen["middle"][0]->trace_low, example_context.trace_low);
  EXPECT_EQ(count(otlp(), R"("traceId":"4bf92f3577b34da6a3ce929d0e0e4736")"), 3u);
}

// spec: O3
TEST_F(trace_of_another_program, goes_on_with_a_timer) {
  ASSERT_TRUE(trace.start({.path = "/user/nobody"}));
  tell({.left = -2});
  world.run_for(10ms);
  expect_seen({"first", "middle"});
}

TEST_F(trace_of_another_program, goes_on_with_each_run_of_a_timer) {
  ASSERT_TRUE(trace.start({.path = "/user/nobody"}));
  tell({.left = -3});
  world.run_for(50ms);
  ASSERT_GE(seen["middle"].size(), 2u);
  for (const auto& each : seen["middle"]) {
    ASSERT_TRUE(each);
    EXPECT_EQ(each->trace_low, example_context.trace_low);
  }
}

TEST_F(trace_of_another_program, goes_on_with_a_timer_that_is_scheduled_outside) {
  ASSERT_TRUE(trace.start({.path = "/user/nobody"}));
  {
    const trace_scope scope{example_context};
    (void)world.schedule_once(5ms, last, later{});
  }
  (void)world.schedule_once(5ms, middle, later{});
  world.run_for(10ms);
  expect_seen({"last"});
  ASSERT_EQ(seen["middle"].size(), 1u);
  EXPECT_FALSE(seen["middle"][0]);
}

// A timer that was cancelled leaves nothing behind for the next one in its memory.
TEST_F(trace_of_another_program, is_not_that_of_the_next_timer_in_the_same_memory) {
  ASSERT_TRUE(trace.start({.path = "/user/nobody"}));
  for (int i = 0; i < 10; ++i) {
    const trace_scope scope{example_context};
    auto cancelled = world.schedule_once(5ms, last, later{});
    ASSERT_TRUE(cancelled);
    (void)cancelled->cancel();
  }
  world.run_for(10ms);
  for (int i = 0; i < 10; ++i)
    (void)world.schedule_once(5ms, last, later{});
  world.run_for(10ms);
  ASSERT_EQ(seen["last"].size(), 10u);
  for (const auto& each : seen["last"])
    EXPECT_FALSE(each);
}

// spec: O3
TEST_F(trace_of_another_program, is_not_recorded_if_that_program_does_not_want_it) {
  ASSERT_TRUE(trace.start({}));
  trace_context unsampled = example_context;
  unsampled.sampled = false;
  {
    const trace_scope scope{unsampled};
    first.tell(hop{2});
    (void)world.schedule_once(5ms, last, later{});
    const trace_scope inner{example_context};
    middle.tell(hop{-4});
  }
  world.run_to_idle();
  EXPECT_FALSE(seen["first"][0]);
  EXPECT_EQ(count(otlp(), R"("traceId":"4bf92f3577b34da6a3ce929d0e0e4736")"), 1u) << "the inner";
}

TEST_F(trace_of_another_program, is_not_carried_without_a_trace) {
  tell({.left = 2});
  world.run_to_idle();
  EXPECT_FALSE(seen["last"].at(0));
  EXPECT_FALSE(trace_context::current());
}

// spec: O3
TEST(trace_context_of_threads, reaches_actors_of_workers_and_comes_back_to_the_program) {
  seen_contexts seen;
  actor_system system{{.workers = 1}};
  const auto last = system.spawn<relay>("last", "last", &seen, actor_ref<hop, inquiry, later>{});
  const auto first = system.spawn<relay>("first", "first", &seen, last);
  testkit::system_steps::settle(system);
  ASSERT_TRUE(system.start_trace({.path = "/user/nobody"}));
  {
    const trace_scope scope{example_context};
    first.tell(hop{1});
  }
  testkit::system_steps::settle(system);
  system.stop_trace();
  EXPECT_FALSE(trace_context::current()) << "there is none outside";
  collected to;
  ASSERT_TRUE(system.write_trace(trace_format::otlp, to));
  EXPECT_TRUE(to.text.contains(R"("parentSpanId":"00f067aa0ba902b7")"));
  for (const char* const name : {"first", "last"}) {
    ASSERT_EQ(seen[name].size(), 1u);
    ASSERT_TRUE(seen[name][0]) << name;
    EXPECT_EQ(seen[name][0]->trace_high, example_context.trace_high);
    EXPECT_TRUE(to.text.contains(seen[name][0]->traceparent().substr(36, 16)));
  }
}

}  // namespace
}  // namespace tactor
