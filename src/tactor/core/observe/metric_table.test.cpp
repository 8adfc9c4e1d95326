// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/observe/metric_table.hpp"

#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace tactor {

using namespace tactor::internal;

namespace {

bool is_dotted(std::string_view name) {
  char before = '.';
  for (const char each : name) {
    const bool is_letter = each >= 'a' && each <= 'z';
    if (!is_letter && ((each != '.' && each != '_') || before == '.')) return false;
    before = each;
  }
  return before != '.';
}
/// Returns: whether the number is calculated from others.
bool is_derived(std::string_view name) {
  return name == "actor.alive" || name == "actor.messages_waiting" ||
         name == "actor.messages_refused_total";
}
bool has(std::string_view name, std::string_view labels) {
  for (const metric& each : metric_table)
    if (each.name == name) return each.labels == labels;
  return false;
}

// spec: O1
TEST(metric_table, names_each_measurement_once) {
  for (std::size_t i = 0; i != std::size(metric_table); ++i)
    for (std::size_t j = i + 1; j != std::size(metric_table); ++j)
      EXPECT_FALSE(metric_table[i].name == metric_table[j].name);
}

// spec: O1
TEST(metric_table, spells_all_names_alike_and_explains_them) {
  for (const metric& each : metric_table) {
    EXPECT_TRUE(is_dotted(each.name));
    EXPECT_EQ(each.kind == metric_kind::counter, each.name.ends_with("_total"));
    EXPECT_TRUE(each.help.ends_with('.'));
    EXPECT_TRUE(each.level != metrics_level::off);
  }
}

// spec: O1
TEST(metric_table, every_number_has_a_name_and_every_name_a_number_of_its_own) {
  constexpr std::size_t numbers = sizeof(metrics_snapshot) / sizeof(std::uint64_t);
  std::array<bool, std::size(metric_table)> shown{};
  for (std::size_t i = 0; i != numbers; ++i) {
    std::array<std::uint64_t, numbers> one_is_set{};
    one_is_set[i] = 1;
    const auto snapshot = std::bit_cast<metrics_snapshot>(one_is_set);
    std::size_t found = 0;
    for (std::size_t row = 0; row != std::size(metric_table); ++row) {
      if (metric_table[row].total == nullptr) {
        shown[row] = true;  // write_prometheus has a case for each source
        continue;
      }
      if (metric_table[row].total(snapshot) == 0) continue;
      shown[row] = true;
      if (!is_derived(metric_table[row].name)) ++found;
    }
    EXPECT_EQ(found, 1u);
  }
  for (const bool each : shown)
    EXPECT_TRUE(each);
}

// spec: O1
TEST(metric_table, every_source_is_used_once) {
  for (const metric& each : metric_table) {
    EXPECT_EQ(each.total == nullptr, each.source != metric_source::sums);
    if (each.source == metric_source::sums) continue;
    for (const metric& other : metric_table)
      EXPECT_EQ(other.source == each.source, &other == &each);
  }
}

// spec: O2
TEST(metric_table, has_the_documented_measurements) {
  EXPECT_TRUE(has("actor.mailbox.enqueued_total", "actor,mailbox"));
  EXPECT_TRUE(has("actor.mailbox.depth", "actor"));
  EXPECT_TRUE(has("scheduler.worker.busy_ratio", "worker"));
  EXPECT_TRUE(has("scheduler.invoke.duration", "actor"));
  EXPECT_TRUE(has("scheduler.latency", "actor"));
  EXPECT_TRUE(has("actor.resume.latency", ""));
  EXPECT_TRUE(has("scheduler.ready_queue.depth", ""));
  EXPECT_TRUE(has("dead_letters_total", "reason"));
  EXPECT_TRUE(has("timer.drift", ""));
}

TEST(metrics_level, includes_the_levels_before_it) {
  EXPECT_TRUE(is_measured(metrics_level::system, metrics_level::actor));
  EXPECT_TRUE(is_measured(metrics_level::system, metrics_level::system));
  EXPECT_FALSE(is_measured(metrics_level::actor, metrics_level::system));
  EXPECT_FALSE(is_measured(metrics_level::system, metrics_level::off));
}

TEST(drop_reason, has_a_text_of_its_own_for_each_reason) {
  for (std::size_t i = 0; i != drop_reasons; ++i)
    for (std::size_t j = 0; j != i; ++j)
      EXPECT_FALSE(std::string_view{to_text(static_cast<drop_reason>(i))} ==
                   to_text(static_cast<drop_reason>(j)));
}

TEST(drop_reason, says_in_the_log_what_happened_in_words) {
  EXPECT_TRUE(log_text_of(drop_reason::late_answer).starts_with("an answer came too late"));
  EXPECT_TRUE(log_text_of(drop_reason::stopped).ends_with("the actor has stopped"));
  EXPECT_TRUE(log_text_of(drop_reason::would_deadlock).ends_with("would close a cycle of actors"));
  EXPECT_TRUE(log_text_of(drop_reason::sender_stopped).ends_with("of an actor that stopped"));
  EXPECT_TRUE(log_text_of(drop_reason::middleware).ends_with("a middleware dropped it"));
  EXPECT_TRUE(log_text_of(drop_reason::injected) == "a message was not handled");
}

}  // namespace
}  // namespace tactor
