// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/supervision/supervision.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string_view>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

// spec: V1
TEST(supervision, stops_a_failed_actor_by_default) {
  const supervision none;
  EXPECT_TRUE(none.is_default());
  EXPECT_TRUE(none.always() == directive::stop);
  EXPECT_TRUE(none.decides() == nullptr);
  EXPECT_TRUE(supervision{directive::stop}.is_default());
  EXPECT_FALSE((supervision{directive::stop, failure_scope::all_for_one}.is_default()));
  EXPECT_FALSE(supervision{directive::resume}.is_default());
  EXPECT_FALSE(supervision{restart{}}.is_default());
}

// spec: V1
TEST(supervision, is_made_of_a_directive_or_of_the_limits_of_restarts) {
  const supervision resumes = directive::resume;
  EXPECT_TRUE(resumes.always() == directive::resume);
  const supervision restarts = restart{.max_restarts = 3, .scope = failure_scope::all_for_one};
  EXPECT_TRUE(restarts.always() == directive::restart);
  EXPECT_EQ(restarts.limits().max_restarts, 3u);
  EXPECT_TRUE(restarts.limits().scope == failure_scope::all_for_one);
  EXPECT_EQ(restart{}.max_restarts, restart::unlimited);
}

// spec: V1
TEST(supervision, says_each_directive_in_words) {
  EXPECT_EQ(std::string_view{to_text(directive::stop)}, std::string_view{"stop"});
  EXPECT_EQ(std::string_view{to_text(directive::restart)}, std::string_view{"restart"});
  EXPECT_EQ(std::string_view{to_text(directive::resume)}, std::string_view{"resume"});
  EXPECT_EQ(std::string_view{to_text(directive::escalate)}, std::string_view{"escalate"});
}

bool complains(const supervision& how, std::string_view about) {
  const char* const said = complaint_about(how);
  return said != nullptr && std::string_view{said}.starts_with(about);
}

// spec: V1
TEST(complaint_about_a_strategy, names_the_setting_that_makes_no_sense) {
  EXPECT_TRUE(complains(restart{.within = 0ms}, "restart.within "));
  EXPECT_TRUE(complains(restart{.within = -1s}, "restart.within "));
  EXPECT_TRUE(complains(restart{.delay = {.min = -1ms}}, "restart.delay "));
  EXPECT_TRUE(complains(restart{.delay = {.max = -1ms}}, "restart.delay "));
  EXPECT_TRUE(complains(restart{.delay = {.reset_after = -1ms}}, "restart.delay "));
  EXPECT_TRUE(complains(restart{.delay = {.min = 20ms, .max = 10ms}}, "restart.delay.max "));
  EXPECT_TRUE(
      complains(restart{.delay = {.jitter_percent = 101}}, "restart.delay.jitter_percent "));
  EXPECT_TRUE(complains(restart{.scope = failure_scope{2}}, "restart.scope "));
  EXPECT_TRUE(complains(directive{4}, "on_failure "));
}

// spec: V1
TEST(complaint_about_a_strategy, is_null_for_a_valid_strategy) {
  EXPECT_TRUE(complaint_about({}) == nullptr);
  EXPECT_TRUE(complaint_about(directive::escalate) == nullptr);
  EXPECT_TRUE(complaint_about(restart{.max_restarts = 0}) == nullptr);
  EXPECT_TRUE(complaint_about(restart{.delay = {.min = 20ms}}) == nullptr);
  EXPECT_TRUE(complaint_about(restart{.max_restarts = 3, .within = 1ns}) == nullptr);
  EXPECT_TRUE(complaint_about(restart{
                  .delay = {.min = 10ms, .max = 10ms, .jitter_percent = 100, .reset_after = 1h}}) ==
              nullptr);
}

}  // namespace
}  // namespace tactor
