// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/dump.hpp"

#include "tactor/base/text_writer.hpp"
#include "tactor/testkit/scheduler_harness.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

struct page final : text_sink {
  void write(std::string_view piece) noexcept override {
    for (const char each : piece) {
      if (size < storage.size()) storage[size++] = each;
    }
  }
  [[nodiscard]] std::string_view text() const { return {storage.data(), size}; }
  [[nodiscard]] bool has(std::string_view part) const {
    const std::string_view all = text();
    return std::search(all.begin(), all.end(), part.begin(), part.end()) != all.end();
  }

  std::array<char, 2048> storage{};
  std::size_t size = 0;
};

// Whether a text is one JSON value, by the grammar of RFC 8259 without escapes and fractions, which
// a dump does not have.
class json_checker {
public:
  static bool accepts(std::string_view text) {
    json_checker check{text};
    if (!check.value(0)) return false;
    check.take('\n');
    return check.rest_.empty();
  }

private:
  explicit json_checker(std::string_view text) : rest_(text) {}

  bool take(char expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take(std::string_view expected) {
    if (rest_.size() < expected.size()) return false;
    if (!std::equal(expected.begin(), expected.end(), rest_.begin())) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  bool number() {
    if (take('0')) return true;
    std::size_t digits = 0;
    while (digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9')
      ++digits;
    rest_.remove_prefix(digits);
    return digits > 0;
  }
  bool string() {
    if (!take('"')) return false;
    while (!rest_.empty() && rest_.front() != '"') {
      if (rest_.front() == '\\' || rest_.front() < ' ') return false;
      rest_.remove_prefix(1);
    }
    return take('"');
  }
  bool value(int depth) {
    if (depth > 8) return false;
    if (take('{')) return members('}', depth, true);
    if (take('[')) return members(']', depth, false);
    return take("null") || string() || number();
  }
  bool members(char end, int depth, bool named) {
    if (take(end)) return true;
    do {
      if (named && !(string() && take(':'))) return false;
      if (!value(depth + 1)) return false;
    } while (take(','));
    return take(end);
  }

  std::string_view rest_;
};

TEST(json_checker, accepts_json_and_nothing_else) {
  EXPECT_TRUE(json_checker::accepts(R"({"a":[{"b":1},{"b":null}],"c":"d"})"));
  EXPECT_FALSE(json_checker::accepts(R"({"a":1,})"));
  EXPECT_FALSE(json_checker::accepts(R"({"a":01})"));
  EXPECT_FALSE(json_checker::accepts(R"({"a":[1 2]})"));
  EXPECT_FALSE(json_checker::accepts(R"({"a":1)"));
}

page expected(std::string_view before, std::uint64_t id, std::string_view after) {
  page line;
  text_writer{line} << before << id << after;
  return line;
}

// spec: X3a
// case: SM-12
TEST(dump, shows_one_shots_and_periodic_jobs_with_mode_and_next_tick) {
  testkit::scheduler_harness<8, 8> w;
  auto once = w.timers().schedule_once(500ms, [] {});
  auto rate = w.timers().schedule_at_fixed_rate(20ms, 30ms, [] {});
  auto delay =
      w.timers().schedule_with_fixed_delay(10ms, 40ms, [] {}, {.priority = timer_priority::low});
  w.clock().advance(30ms);

  page to;
  dump(w.timers(), dump_format::text, to);
  EXPECT_TRUE(to.has("wheel: position=2 slots=8 active_slots=1 size=3 next_deadline=5\n"))
      << to.storage.data();
  EXPECT_TRUE(to.has("overflow: size=1 capacity=1000000\n"));
  EXPECT_TRUE(to.has(expected("one_shots: id=", once->id(),
                              " mode=once state=scheduled priority=normal next_tick=50\n")
                         .text()));
  EXPECT_TRUE(to.has(expected("periodic: id=", rate->id(),
                              " mode=fixed_rate state=scheduled priority=normal next_tick=5"
                              " period_ns=30000000 backlog=0 last_fire=2\n")
                         .text()));
  EXPECT_TRUE(to.has(expected("periodic: id=", delay->id(),
                              " mode=fixed_delay state=scheduled priority=low next_tick=5"
                              " period_ns=40000000 backlog=0 last_fire=1\n")
                         .text()));
  EXPECT_TRUE(to.has("left_out: one_shots=0\n"));
  EXPECT_TRUE(to.has("commands: pending=0\n"));
  EXPECT_TRUE(to.has("metrics: scheduled_total=3 completed_total=0 "));
}

// spec: X3a
// case: SM-12
TEST(dump, is_json_with_the_same_content) {
  testkit::scheduler_harness<8, 8> w;
  auto once = w.timers().schedule_once(50ms, [] {});
  auto rate = w.timers().schedule_at_fixed_rate(20ms, 30ms, [] {});
  w.clock().advance(10ms);

  page to;
  dump(w.timers(), dump_format::json, to);
  EXPECT_TRUE(json_checker::accepts(to.text())) << to.storage.data();
  EXPECT_TRUE(to.has(R"("wheel":{"position":0,"slots":8,"active_slots":2,)"));
  EXPECT_TRUE(to.has(expected(R"("one_shots":[{"id":")", once->id(),
                              R"(","mode":"once","state":"scheduled","priority":"normal",)"
                              R"("next_tick":5}])")
                         .text()));
  EXPECT_TRUE(to.has(expected(R"("periodic":[{"id":")", rate->id(),
                              R"(","mode":"fixed_rate","state":"scheduled","priority":"normal",)"
                              R"("next_tick":2,"period_ns":30000000,"backlog":0,)"
                              R"("last_fire":null}])")
                         .text()));
}

// spec: X3a
TEST(dump, of_an_idle_scheduler_is_json_too) {
  testkit::scheduler_harness<8, 2> w;
  page to;
  dump(w.timers(), dump_format::json, to);
  EXPECT_TRUE(json_checker::accepts(to.text())) << to.storage.data();
  EXPECT_TRUE(to.has(R"("next_deadline":null)"));
  EXPECT_TRUE(to.has(R"("periodic":[],"one_shots":[],)"));
}

// spec: X3a
TEST(dump, counts_the_backlog_of_a_job_that_does_not_run) {
  testkit::scheduler_harness<8, 2> w;
  w.hold_jobs();
  auto rate = w.timers().schedule_at_fixed_rate(10ms, 10ms, [] {});
  w.clock().advance(30ms);

  page to;
  dump(w.timers(), dump_format::text, to);
  EXPECT_TRUE(to.has(" backlog=3 last_fire=3\n")) << to.storage.data();
}

// spec: X3a
TEST(dump, counts_commands_that_the_driver_has_not_taken) {
  testkit::scheduler_harness<8, 4> w;
  w.stop_driver();
  auto fresh = w.timers().schedule_once(50ms, [] {});
  page to;
  dump(w.timers(), dump_format::text, to);
  EXPECT_TRUE(to.has("state=pending priority=normal next_tick=5\n")) << to.storage.data();
  EXPECT_TRUE(to.has("commands: pending=1\n"));

  // A cancelled job is not shown, but the driver has yet to remove it.
  EXPECT_TRUE(fresh->cancel());
  page after;
  dump(w.timers(), dump_format::text, after);
  EXPECT_FALSE(after.has("one_shots: id="));
  EXPECT_TRUE(after.has("commands: pending=1\n"));
  w.resume_driver();
}

// spec: X3a
TEST(dump, shows_a_limited_number_of_one_shots_and_counts_the_rest) {
  testkit::scheduler_harness<8, 4> w;
  for (int i = 0; i < 4; ++i)
    ASSERT_TRUE(w.timers().schedule_once(50ms, [] {}).has_value());
  page to;
  dump(w.timers(), dump_format::json, to, {.one_shots = 1});
  EXPECT_TRUE(json_checker::accepts(to.text())) << to.storage.data();
  EXPECT_TRUE(to.has(R"("left_out":{"one_shots":3})"));
}

// A job that dumps while it runs sees itself.
// spec: X3a
TEST(dump, from_inside_a_job_shows_it_executing) {
  testkit::scheduler_harness<8, 2> w;
  page to;
  auto rate = w.timers().schedule_at_fixed_rate(10ms, 10ms,
                                                [&] { dump(w.timers(), dump_format::text, to); });
  w.clock().advance(10ms);
  EXPECT_TRUE(to.has("mode=fixed_rate state=executing ")) << to.storage.data();
}

}  // namespace
}  // namespace tactor
