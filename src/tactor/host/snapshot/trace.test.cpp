// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/text_writer.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/host/cooperative_system.hpp"
#include "tactor/host/os/steady_clock.hpp"
#include "tactor/observe.hpp"
#include "tactor/testkit/simulation.hpp"
#include "tactor/testkit/system_drive.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <latch>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using testkit::system_steps;

struct parcel {
  int hops;
};
struct wide_parcel {  // it leaves no free space in its block
  std::array<std::uint64_t, 4> contents;
};
struct question {
  using reply = int;
};
struct alarm_rings {};

struct text_of_trace final : text_sink {
  void write(std::string_view piece) noexcept override { text += piece; }
  std::string text;
};

/// Sends what it gets to the next one.
class carrier : public actor<parcel, wide_parcel, alarm_rings> {
public:
  carrier() = default;
  explicit carrier(actor_ref<parcel, wide_parcel> next) : next_(next) {}
  void receive(context&, const parcel& p) {
    if (p.hops > 0) next_.tell(parcel{p.hops - 1});
  }
  void receive(context&, const wide_parcel& p) {
    if (next_) next_.tell(p);
  }
  void receive(context&, const alarm_rings&) {
    if (next_) next_.tell(parcel{0});
  }

private:
  actor_ref<parcel, wide_parcel> next_;
};

template <class System>
std::string written(const System& by, trace_format format) {
  text_of_trace to;
  if constexpr (requires { by.write_trace(format, to); }) {
    EXPECT_TRUE(by.write_trace(format, to));
  } else {
    EXPECT_TRUE(by.write(format, to));
  }
  return to.text;
}

/// Runs the checker. Returns: what it printed, or "wrong".
std::string checked(const std::string& trace, trace_format format) {
  const std::string file =
      testing::TempDir() + "tactor_trace_" + std::to_string(::getpid()) + ".json";
  std::ofstream{file} << trace;
  const std::string command = "python3 " TACTOR_CHECK_TRACE +
                              std::string{format == trace_format::chrome ? " chrome " : " otlp "} +
                              file;
  std::FILE* const output = popen(command.c_str(), "r");
  std::array<char, 80> line{};
  const bool some = std::fgets(line.data(), line.size(), output) != nullptr;
  const bool is_right = pclose(output) == 0 && some;
  (void)std::remove(file.c_str());
  return is_right ? std::string{line.data()} : "wrong";
}

template <class System>
void expect_trace(const System& by, std::string_view chrome, std::string_view otlp) {
  EXPECT_EQ(checked(written(by, trace_format::chrome), trace_format::chrome), chrome);
  EXPECT_EQ(checked(written(by, trace_format::otlp), trace_format::otlp), otlp);
}

std::size_t count_in(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size()))
    ++count;
  return count;
}

struct trace_of_a_chain : testing::Test {
  void carry(parcel what) {
    first.tell(what);
    system_steps::settle(system);
  }

  actor_system system{{.workers = 2}};
  actor_ref<parcel, wide_parcel, alarm_rings> last = system.spawn<carrier>("last");
  actor_ref<parcel, wide_parcel, alarm_rings> middle =
      system.spawn<carrier>("odd \"na\\me\"\n", last);
  actor_ref<parcel, wide_parcel, alarm_rings> first = system.spawn<carrier>("first", middle);
};

// spec: O3
TEST_F(trace_of_a_chain, has_each_message_with_its_cause) {
  text_of_trace nothing;
  EXPECT_FALSE(system.write_trace(trace_format::chrome, nothing)) << "none was started";
  system_steps::settle(system);
  ASSERT_TRUE(system.start_trace({}));
  EXPECT_FALSE(system.start_trace({})) << "one runs";
  EXPECT_TRUE(system.is_tracing());
  carry({.hops = 2});
  first.tell(wide_parcel{});
  system_steps::settle(system);
  system.stop_trace();
  EXPECT_FALSE(system.is_tracing());
  carry({.hops = 2});

  expect_trace(system, "6 6\n", "6 4\n");
  const std::string chrome = written(system, trace_format::chrome);
  EXPECT_EQ(count_in(chrome, R"("sender":"outside")"), 2u);
  EXPECT_EQ(count_in(chrome, R"("sender":"/user/first")"), 2u);
  EXPECT_EQ(count_in(chrome, R"("actor":"/user/last")"), 2u);
  EXPECT_GE(count_in(chrome, R"("name":"worker-)"), 1u);
}

TEST_F(trace_of_a_chain, is_bounded_in_number) {
  system_steps::settle(system);
  ASSERT_TRUE(system.start_trace({.most = 300}));
  for (int i = 0; i < 1000; ++i)
    first.tell(parcel{0});
  system_steps::settle(system);
  const std::string chrome = written(system, trace_format::chrome);
  EXPECT_TRUE(chrome.contains(R"("recorded":300,"lost":700)")) << chrome.substr(0, 200);
}

TEST_F(trace_of_a_chain, can_be_sampled_and_filtered) {
  system_steps::settle(system);
  ASSERT_TRUE(system.start_trace({.every = 10, .path = "/user/first"}));
  for (int i = 0; i < 100; ++i)
    carry({.hops = 1});
  system.stop_trace();
  expect_trace(system, "20 20\n", "20 10\n");

  ASSERT_TRUE(system.start_trace({.path = "/user/last"}));
  carry({.hops = 2});
  system.stop_trace();
  expect_trace(system, "1 1\n", "1 0\n");

  ASSERT_TRUE(system.start_trace({.message = "wide_parcel"}));
  carry({.hops = 2});
  first.tell(wide_parcel{});
  system_steps::settle(system);
  expect_trace(system, "3 3\n", "3 2\n");
}

TEST(trace, can_be_read_while_actors_run_and_traces_come_and_go) {
  std::atomic<bool> over = false;
  actor_system system{{.workers = 2, .metrics = {.level = metrics_level::actor}}};
  class player : public actor<parcel, actor_ref<parcel>> {
  public:
    explicit player(std::atomic<bool>* over) : over_(over) {}
    void receive(context&, const actor_ref<parcel>& other) { other_ = other; }
    void receive(context&, const parcel& p) {
      if (!*over_) other_.tell(p);
    }

  private:
    std::atomic<bool>* over_;
    actor_ref<parcel> other_;
  };
  for (int pair = 0; pair < 4; ++pair) {
    const auto one = system.spawn<player>("one-" + std::to_string(pair), &over);
    const auto other = system.spawn<player>("other-" + std::to_string(pair), &over);
    one.tell(actor_ref<parcel>{other});
    other.tell(actor_ref<parcel>{one});
    one.tell(parcel{1});
  }
  for (int round = 0; round < 8; ++round) {
    ASSERT_TRUE(system.start_trace({.most = 500}));
    std::string seen;
    do {
      seen = written(system, trace_format::otlp);
    } while (count_in(seen, "\"spanId") < 100);
    if (round % 4 == 0) {
      EXPECT_NE(checked(seen, trace_format::otlp), "wrong");
      EXPECT_NE(checked(written(system, trace_format::chrome), trace_format::chrome), "wrong");
    }
    system.stop_trace();
  }
  over = true;
}

std::string trace_of_simulation(trace_format format) {
  testkit::simulation world{testkit::seed{7}};
  const auto last = world.spawn<carrier>("last");
  const auto first = world.spawn<carrier>("first", last);
  world.run_to_idle();
  loop_trace trace{world};
  EXPECT_TRUE(trace.start({}));
  (void)world.schedule_once(5ms, first, alarm_rings{});
  first.tell(parcel{1});
  world.run_for(10ms);
  world.run_to_idle();
  return written(trace, format);
}

// spec: O3
TEST(trace, has_nothing_of_a_message_that_an_earlier_trace_saw_sent) {
  testkit::simulation world{testkit::seed{7}};
  const auto last = world.spawn<carrier>("last");
  const auto first = world.spawn<carrier>("first", last);
  world.run_to_idle();
  loop_trace trace{world};
  ASSERT_TRUE(trace.start({}));
  first.tell(parcel{1});
  trace.stop();
  ASSERT_TRUE(trace.start({.path = "/user/last"}));
  last.tell(parcel{0});  // the first of its thread, as the other was
  world.run_to_idle();
  trace.stop();
  const std::string seen = written(trace, trace_format::otlp);
  EXPECT_EQ(count_in(seen, "\"spanId"), 2u) << "what it was told, and what `first` told it";
  EXPECT_EQ(count_in(seen, "\"parentSpanId\":\""), 0u) << seen;
}

// spec: O3
TEST(trace, of_a_simulation_is_the_same_for_the_same_seed) {
  const std::string chrome = trace_of_simulation(trace_format::chrome);
  const std::string otlp = trace_of_simulation(trace_format::otlp);
  EXPECT_EQ(chrome, trace_of_simulation(trace_format::chrome));
  EXPECT_EQ(otlp, trace_of_simulation(trace_format::otlp));
  EXPECT_EQ(checked(chrome, trace_format::chrome), "4 3\n");
  EXPECT_EQ(checked(otlp, trace_format::otlp), "4 2\n");
}

struct wants_answer {
  actor_ref<question> whom;
};
class answerer : public actor<question> {
public:
  int receive(context&, const question&) { return 42; }
};
class asker : public actor<wants_answer, terminated> {
public:
  void receive(context& ctx, const wants_answer& w) {
    (void)ctx.watch(w.whom, *this);
    ctx.ask(w.whom, question{}, 1s, [](const auto&) {});
  }
  void receive(context&, const terminated&) {}
};

// spec: O3
TEST(trace, has_answers_and_signals) {
  testkit::simulation world{testkit::seed{7}};
  const auto asked = world.spawn<answerer>("asked");
  const auto asking = world.spawn<asker>("asking");
  world.run_to_idle();
  loop_trace trace{world};
  ASSERT_TRUE(trace.start({}));
  asking.tell(wants_answer{asked});
  world.run_to_idle();
  (void)world.signal(asking, signal_key{77});
  world.stop(asked);
  world.run_to_idle();
  // wants_answer causes watch and question, which causes the answer; the others come from outside
  expect_trace(trace, "6 5\n", "6 3\n");
  const std::string chrome = written(trace, trace_format::chrome);
  EXPECT_EQ(count_in(chrome, R"("cat":"answer")"), 1u);
  EXPECT_EQ(count_in(chrome, R"("cat":"signal")"), 3u);
  EXPECT_EQ(count_in(chrome, R"("signal_key":77)"), 1u);
}

TEST(trace, ends_when_its_time_is_over) {
  testkit::simulation world{testkit::seed{7}};
  const auto last = world.spawn<carrier>("last");
  world.run_to_idle();
  loop_trace trace{world};
  ASSERT_TRUE(trace.start({.longest = 10ms}));
  last.tell(parcel{0});
  world.run_to_idle();
  world.run_for(10ms);
  last.tell(parcel{0});
  world.run_to_idle();
  expect_trace(trace, "1 1\n", "1 0\n");
  EXPECT_TRUE(trace.start({})) << "the other one has ended";
}

// spec: O3
TEST(trace, may_be_longer_than_any_clock_counts) {
  testkit::simulation world{testkit::seed{7}};
  const auto last = world.spawn<carrier>("last");
  world.run_to_idle();
  world.run_for(1h);
  loop_trace trace{world};
  ASSERT_TRUE(trace.start({.longest = std::chrono::milliseconds::max()}));
  last.tell(parcel{0});
  world.run_to_idle();
  expect_trace(trace, "1 1\n", "1 0\n");
}

// A message of `Size` bytes, which knows its contents.
template <std::size_t Size, std::size_t Alignment>
struct sized {
  alignas(Alignment) std::array<unsigned char, Size> bytes;

  static sized of(unsigned char first) {
    sized made{};
    for (std::size_t i = 0; i < Size; ++i)
      made.bytes[i] = static_cast<unsigned char>(first + i);
    return made;
  }
  [[nodiscard]] bool is(unsigned char first) const { return bytes == of(first).bytes; }
};

/// Gets such a message by `tell` and from a timer, stashes it and gets it again.
template <class Message>
class sized_carrier : public actor<parcel, Message> {
public:
  using context = typename actor<parcel, Message>::context;
  explicit sized_carrier(int* right) : right_(right) {}
  void receive(context& ctx, const parcel&) {
    if (open_) return (void)ctx.unstash_all();
    open_ = true;
    ctx.self().tell(Message::of(1));
    (void)ctx.schedule_once(5ms, ctx.self(), Message::of(2));
    ctx.self().tell(parcel{0});
  }
  void receive(context& ctx, const Message& m) {
    if (m.is(1) && !ctx.is_stashed() && !seen_) {
      seen_ = true;
      return (void)ctx.stash(m);
    }
    *right_ += m.is(1) ? 1 : m.is(2) ? 10 : 1000;
  }

private:
  int* right_;
  bool open_ = false;
  bool seen_ = false;
};

template <std::size_t Size, std::size_t Alignment>
void expect_contents() {
  using message = sized<Size, Alignment>;
  testkit::simulation world{testkit::seed{7}};
  int right = 0;
  const auto who = world.spawn<sized_carrier<message>>("who", &right);
  world.run_to_idle();
  loop_trace trace{world};
  ASSERT_TRUE(trace.start({}));
  who.tell(parcel{0});
  who.tell(message::of(1));
  world.run_for(10ms);
  world.run_to_idle();
  EXPECT_EQ(right, 12) << Size << " bytes, aligned to " << Alignment;
  // parcel, parcel, three messages, and one of them again from the stash
  EXPECT_TRUE(checked(written(trace, trace_format::otlp), trace_format::otlp).starts_with("6 "));
}

// spec: O3
TEST(trace, leaves_the_contents_of_messages_of_any_size_alone) {
  expect_contents<1, 1>();
  expect_contents<8, 8>();
  expect_contents<24, 8>();
  expect_contents<25, 1>();
  expect_contents<32, 32>();
  expect_contents<64, 64>();
  expect_contents<900, 4>();
  expect_contents<952, 8>();
  expect_contents<953, 1>();
  expect_contents<992, 8>();
  expect_contents<993, 1>();
  expect_contents<2048, 8>();
  expect_contents<256, 128>();
}

// A clock in which a thread that is told to may stay for a while.
class slow_clock final : public monotonic_clock {
public:
  [[nodiscard]] timer_instant now() const noexcept override {
    if (is_slow) {
      inside.count_down();
      trace_ends.wait();
      for (int i = 0; i < 1000; ++i)
        std::this_thread::yield();
      is_slow = false;
      has_left = true;
    }
    return real_.now();
  }
  [[nodiscard]] clock_kind kind() const noexcept override { return clock_kind::realtime; }

  static inline thread_local bool is_slow = false;
  mutable std::latch inside{1};
  mutable std::latch trace_ends{1};
  mutable std::atomic<bool> has_left = false;

private:
  host::steady_clock real_;
};

// spec: O3
TEST(trace, of_a_loop_ends_after_other_threads_have_recorded_what_they_send) {
  const slow_clock clock;
  cooperative_system system{{.clock = {.source = &clock}}};
  const auto last = system.spawn<carrier>("last");
  (void)system.poll();
  std::jthread sender;
  {
    loop_trace trace{system};
    ASSERT_TRUE(trace.start({}));
    sender = std::jthread{[&] {
      slow_clock::is_slow = true;
      last.tell(parcel{0});  // reads the clock while it records
    }};
    clock.inside.wait();
    clock.trace_ends.count_down();
  }
  EXPECT_TRUE(clock.has_left) << "it records into a trace that is gone";
}

}  // namespace
}  // namespace tactor
