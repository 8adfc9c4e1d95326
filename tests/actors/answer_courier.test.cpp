// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/answer_courier.hpp"

#include "tactor/core/actor/reply_to.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

struct enquiry {
  int number = 0;
  using reply = int;
};
struct acknowledge_it {
  using reply = void;
};
struct release_it {};

/// Answers at once, or holds its answers until it is told to.
class clerk_of_enquiries : public actor<enquiry, acknowledge_it, release_it> {
public:
  explicit clerk_of_enquiries(bool holds) : holds_(holds) {}
  delegated<int> receive(context& ctx, enquiry e) {
    auto answer = ctx.reply_later<int>();
    const auto promised = answer.as_delegated();
    if (holds_) {
      held_.push_back(std::move(answer));
    } else {
      answer.send(2 * e.number);
    }
    return promised;
  }
  void receive(context&, acknowledge_it) {}
  void receive(context&, release_it) {
    for (auto& each : held_)
      each.send(1);
    held_.clear();
  }

private:
  bool holds_;
  std::vector<reply_to<int>> held_;
};

using outcome = std::expected<int, ask_error>;

/// The outcomes that a callback got.
struct answer_callback : ::testing::Test {
  /// Those that are answers; -1: an error.
  [[nodiscard]] std::vector<int> values() const {
    std::vector<int> found;
    for (const outcome& each : all)
      found.push_back(each.value_or(-1));
    return found;
  }
  auto note_it() {
    return [this](outcome got) { all.push_back(std::move(got)); };
  }

  std::vector<outcome> all;
  simulation world{seed{1}};
  clerk_of_enquiries::ref quick = world.spawn<clerk_of_enquiries>("quick", false);
  clerk_of_enquiries::ref slow = world.spawn<clerk_of_enquiries>("slow", true);
};

// spec: A2b
TEST_F(answer_callback, gets_the_answer_in_a_later_turn) {
  world.ask(quick, enquiry{4}, 1s).then(note_it());
  EXPECT_TRUE(all.empty()) << "not on the calling thread";
  world.run_to_idle();
  EXPECT_EQ(values(), std::vector{8});
  EXPECT_EQ(world.live(), 2u);
  world.run_for(2s);
  EXPECT_EQ(all.size(), 1u);
}

// spec: A2b
TEST_F(answer_callback, gets_an_answer_that_was_there_before) {
  auto answer = world.ask(quick, enquiry{4}, 1s);
  world.run_to_idle();
  std::move(answer).then(note_it());
  world.run_to_idle();
  EXPECT_EQ(values(), std::vector{8});
}

// spec: A2b
TEST_F(answer_callback, gets_an_answer_that_comes_later_and_no_timeout) {
  world.ask(slow, enquiry{}, 1s).then(note_it());
  world.run_for(900ms);
  EXPECT_TRUE(all.empty());
  slow.tell(release_it{});
  world.run_for(10s);
  EXPECT_EQ(values(), std::vector{1});
}

// spec: A2b
TEST_F(answer_callback, gets_the_timeout_once_and_the_late_answer_is_a_dead_letter) {
  world.ask(slow, enquiry{}, 1s).then(note_it());
  world.run_for(900ms);
  EXPECT_TRUE(all.empty());
  world.run_for(10s);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].error().kind, ask_failure::timed_out);
  EXPECT_EQ(all[0].error().target, slow);
  EXPECT_GE(all[0].error().waited, duration{1s});
  EXPECT_LE(all[0].error().waited, duration{1s + 20ms});
  slow.tell(release_it{});
  world.run_to_idle();
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::late_answer), 1u);
  EXPECT_EQ(all.size(), 1u);
}

// spec: A2b
TEST_F(answer_callback, learns_at_once_that_the_target_has_ended) {
  world.ask(slow, enquiry{}, 1h).then(note_it());
  world.run_to_idle();
  world.stop(slow);
  world.run_to_idle();
  world.ask(slow, enquiry{}, 1h).then(note_it());
  world.run_to_idle();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].error().kind, ask_failure::target_terminated);
  EXPECT_EQ(all[1].error().kind, ask_failure::target_terminated);
}

// spec: A2b
TEST_F(answer_callback, is_called_on_the_spot_if_nothing_was_sent) {
  world.ask(quick, enquiry{}, 0s).then(note_it());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].error().kind, ask_failure::refused);
}

// spec: A2b
TEST_F(answer_callback, may_be_moved_only_and_gets_acknowledgements) {
  int called = 0;
  world.ask(quick, acknowledge_it{}, 1s)
      .then([&, owned = std::make_unique<int>(3)](const std::expected<void, ask_error>& got) {
        called += got ? *owned : 0;
      });
  world.run_to_idle();
  EXPECT_EQ(called, 3);
}

// spec: A2b
TEST_F(answer_callback, waits_for_a_timeout_beyond_what_timers_count) {
  world.ask(slow, enquiry{}, duration::max()).then(note_it());
  world.run_for(1h);
  EXPECT_TRUE(all.empty());
  slow.tell(release_it{});
  world.run_to_idle();
  EXPECT_EQ(values(), std::vector{1});
}

// spec: A2b A5
TEST_F(answer_callback, of_a_shutdown_that_finishes_gets_the_answer) {
  for (std::uint64_t each = 1; each <= 20; ++each) {  // whoever has the first turn
    simulation one{seed{each}};
    const auto whom = one.spawn<clerk_of_enquiries>("whom", false);
    all.clear();
    one.ask(whom, enquiry{4}, 1h).then(note_it());  // nothing has run yet
    EXPECT_TRUE(one.shutdown(1s).complete);
    EXPECT_EQ(values(), std::vector{8}) << "seed " << each;
  }
}

// spec: A2b A5
TEST_F(answer_callback, of_a_shutdown_learns_that_the_target_ends_without_an_answer) {
  world.ask(slow, enquiry{4}, 1h).then(note_it());
  EXPECT_TRUE(world.shutdown(1s).complete) << "the target answers when it ends";
  ASSERT_EQ(all.size(), 1u);
  EXPECT_NE(all[0].error().kind, ask_failure::timed_out);
}

// spec: A2b A5
TEST_F(answer_callback, is_called_by_a_system_that_stops_before_the_answer) {
  simulation other{seed{2}};
  const auto there = other.spawn<clerk_of_enquiries>("there", true);
  {
    simulation brief{seed{3}};
    auto foreign = brief.ask(there, enquiry{}, 1h);  // answered by another system
    std::move(foreign).then(note_it());
    brief.run_to_idle();
    brief.begin_stop();
    brief.run_to_idle();
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].error().kind, ask_failure::would_never_answer);

    brief.ask(there, enquiry{}, 1h).then(note_it());
    ASSERT_EQ(all.size(), 2u) << "a stopped system has no thread for it";
    EXPECT_EQ(all[1].error().kind, ask_failure::would_never_answer);
  }
  other.run_to_idle();
  EXPECT_EQ(all.size(), 2u);
}

#if defined(__cpp_exceptions)
// spec: A2b
TEST_F(answer_callback, that_throws_is_a_failure_in_the_log_and_no_more) {
  world.ask(quick, enquiry{}, 1s).then([](const outcome&) { throw std::runtime_error("no"); });
  world.run_to_idle();
  EXPECT_EQ(world.metrics().failures, 1u);
  EXPECT_EQ(world.live(), 2u);
  EXPECT_EQ(world.ask(quick, enquiry{1}, 1s).get(), 2);
}
#endif

}  // namespace
}  // namespace tactor
