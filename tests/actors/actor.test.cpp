// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/actor.hpp"

#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/tell_result.hpp"
#include "tactor/testkit/probe.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

struct greet {
  std::string who;
};
struct count_up {
  int by = 1;
};
struct square {
  int side = 0;
  using reply = int;
};
struct parcel {
  std::unique_ptr<int> contents;
};

/// Takes each message in another way, and says so.
class clerk : public actor<greet, count_up, square, parcel> {
public:
  explicit clerk(std::string& trace) : trace_(&trace) {}
  explicit clerk(std::string* const& trace) : trace_(trace) {}

  void receive(context&, const greet& g) { *trace_ += "greet " + g.who + ";"; }
  void receive(tactor::context&, count_up c) { *trace_ += "count " + std::to_string(c.by) + ";"; }
  int receive(context&, const square& s) const { return s.side * s.side; }
  void receive(context&, parcel&& p) {
    const parcel taken = std::move(p);
    *trace_ += "parcel " + std::to_string(*taken.contents) + ";";
  }

private:
  std::string* trace_;
};

class two_words : public actor<count_up> {
public:
  void receive(context&, count_up c) { sum += c.by; }
  long sum = 0;
  long other = 0;
};

// It names its messages and holds nothing: no table of functions, no link to a cell.
static_assert(sizeof(two_words) == 2 * sizeof(long));
static_assert(std::is_empty_v<actor<greet>> && !std::is_polymorphic_v<clerk>);

// A reference takes what its actor takes, and nothing else.
using all = clerk::ref;
static_assert(all::accepts<greet> && all::accepts<parcel> && !all::accepts<int>);
static_assert(std::is_convertible_v<all, actor_ref<square>>);
static_assert(std::is_convertible_v<all, actor_ref<square, greet>>);
static_assert(std::is_convertible_v<actor_ref<greet, square>, actor_ref<square, greet>>);
static_assert(std::is_convertible_v<all, actor_ref<>>);
static_assert(!std::is_convertible_v<actor_ref<square>, all>);
static_assert(!std::is_constructible_v<actor_ref<greet, square>, actor_ref<greet>>);
static_assert(!std::is_convertible_v<actor_ref<>, actor_ref<greet>>);
static_assert(std::is_trivially_copyable_v<all> && sizeof(all) == 2 * sizeof(void*));

// spec: A1
TEST(actor, is_told_no_notification_of_the_runtime) {
  EXPECT_TRUE((actor_ref<greet, terminated>::accepts<greet>));
  EXPECT_FALSE((actor_ref<greet, terminated>::accepts<terminated>));
  EXPECT_FALSE((actor_ref<receive_timeout>::accepts<receive_timeout>));
}

// spec: A1 A2a
TEST(actor, takes_its_messages_by_value_by_reference_and_by_move) {
  simulation world{seed{1}};
  std::string trace;
  const auto desk = world.spawn<clerk>("desk", &trace);

  EXPECT_EQ(desk.tell(greet{"tea"}), tell_result::ok);
  EXPECT_EQ(desk.tell(count_up{3}), tell_result::ok);
  EXPECT_EQ(desk.tell(parcel{std::make_unique<int>(7)}), tell_result::ok);
  EXPECT_EQ(trace, "");  // not before the world runs
  world.run_to_idle();

  EXPECT_EQ(trace, "greet tea;count 3;parcel 7;");
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the envelope owned it
}

// spec: A2a
TEST(actor, is_told_a_message_that_is_built_from_its_parts_where_it_will_lie) {
  simulation world{seed{1}};
  std::string trace;
  const auto desk = world.spawn<clerk>("desk", &trace);

  EXPECT_EQ(desk.tell<greet>("parts"), tell_result::ok);
  EXPECT_EQ(desk.tell<count_up>(), tell_result::ok);
  EXPECT_EQ(desk.tell<parcel>(std::make_unique<int>(9)), tell_result::ok);
  world.run_to_idle();

  EXPECT_EQ(trace, "greet parts;count 1;parcel 9;");
}

// spec: A2a
TEST(actor, is_told_a_copy_of_a_message_that_the_sender_keeps) {
  simulation world{seed{1}};
  std::string trace;
  const auto desk = world.spawn<clerk>("desk", &trace);
  const greet kept{"a text that is long enough not to lie inside the string itself"};
  desk.tell(kept);
  desk.tell(kept);
  world.run_to_idle();

  EXPECT_EQ(trace, "greet " + kept.who + ";greet " + kept.who + ";");
}

// spec: A1
TEST(actor_ref, narrowed_or_reordered_names_the_same_actor) {
  simulation world{seed{1}};
  std::string trace;
  const auto desk = world.spawn<clerk>("desk", &trace);

  const actor_ref<count_up> narrow = desk;
  const actor_ref<count_up, greet> turned = desk;
  const actor_ref<greet> narrower = turned;
  narrow.tell(count_up{1});
  turned.tell(count_up{2});
  narrower.tell(greet{"x"});
  world.run_to_idle();

  EXPECT_EQ(trace, "count 1;count 2;greet x;");
  EXPECT_TRUE(narrow == desk && turned == narrower);
  EXPECT_EQ(std::hash<actor_ref<count_up>>{}(narrow), std::hash<actor_ref<>>{}(desk));
}

// spec: A1 M6
TEST(actor_ref, is_a_key_by_which_actors_are_told_apart) {
  simulation world{seed{1}};
  std::string trace;
  std::unordered_set<actor_ref<>, std::hash<actor_ref<>>> seen;
  for (int i = 0; i < 100; ++i)
    seen.insert(world.spawn<clerk>("desk", &trace));
  EXPECT_EQ(seen.size(), 100u);
  EXPECT_FALSE(actor_ref<>{});
  EXPECT_TRUE(*seen.begin());
}

// spec: M7
TEST(actor, handles_what_one_sender_sent_in_the_order_in_which_it_was_sent) {
  for (std::uint64_t i = 1; i <= 20; ++i) {
    simulation world{seed{i}, {.dispatch = {.throughput = 3}}};
    std::vector<int> seen;
    const auto sum =
        world.spawn("sum", [&seen](tactor::context&, const count_up& c) { seen.push_back(c.by); });
    const auto relay =
        world.spawn("relay", [sum](tactor::context&, const count_up& c) { sum.tell(c); });
    for (int n = 0; n < 50; ++n)
      relay.tell(count_up{n});
    world.run_to_idle();

    ASSERT_EQ(seen.size(), 50u);
    for (int n = 0; n < 50; ++n)
      EXPECT_EQ(seen[static_cast<std::size_t>(n)], n) << "seed " << i;
  }
}

// spec: A2a
TEST(actor, told_something_it_cannot_take_gives_it_back_with_try_tell) {
  simulation world{seed{1}};
  const auto box = world.spawn<clerk>(
      {.name = "box", .mailbox = {.capacity = 1, .overflow = overflow_strategy::reject}},
      static_cast<std::string*>(nullptr));
  EXPECT_TRUE(box.try_tell(parcel{std::make_unique<int>(1)}).has_value());

  auto refused = box.try_tell(parcel{std::make_unique<int>(2)});

  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().why, tell_result::full);
  ASSERT_NE(refused.error().message.contents, nullptr);
  EXPECT_EQ(*refused.error().message.contents, 2);
  EXPECT_EQ(world.metrics().all_dead_letters(), 0u);

  world.stop(box);
  world.run_to_idle();
  refused = box.try_tell(parcel{std::make_unique<int>(3)});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().why, tell_result::closed);
  EXPECT_EQ(*refused.error().message.contents, 3);
  EXPECT_EQ(world.metrics().all_dead_letters(), 1u);  // the queued message
}

// spec: A2a A2b
TEST(actor_ref, that_is_empty_refuses_everything) {
  simulation world{seed{1}};
  const actor_ref<greet, square> nobody;
  EXPECT_EQ(nobody.tell(greet{"x"}), tell_result::closed);
  EXPECT_EQ(nobody.try_tell(greet{"y"}).error().message.who, "y");
  world.stop(nobody);
  world.drain(nobody);
  const auto answer = world.ask(nobody, square{2}, 1s).get();
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().kind, ask_failure::target_terminated);
  EXPECT_FALSE(world.schedule_once(10ms, nobody, greet{"z"}).value().cancel() &&
               world.metrics().all_dead_letters() > 0);
}

// spec: A2a A2g
TEST(actor, that_sends_to_an_empty_reference_makes_a_dead_letter) {
  simulation world{seed{1}};
  auto letters = world.spawn_probe<dead_letter>("letters");
  world.events().subscribe<dead_letter>(letters.ref());
  tell_result said = tell_result::ok;
  const auto sender = world.spawn("sender", [&said](tactor::context&, const count_up&) {
    said = actor_ref<greet>{}.tell(greet{"x"});
  });
  sender.tell(count_up{});

  const dead_letter letter = letters.expect<dead_letter>();
  EXPECT_EQ(said, tell_result::closed);
  EXPECT_FALSE(letter.target);
  EXPECT_EQ(letter.sender, sender);
}

/// Its arguments are kept, and passed as `const&`.
class keeper : public actor<square> {
public:
  keeper(const std::string& text, const std::vector<int>& numbers)
      : text_(text), numbers_(numbers) {}
  int receive(context&, const square&) {
    return static_cast<int>(text_.size() + numbers_.size()) + large_[199];
  }

private:
  std::string text_;
  std::vector<int> numbers_;
  std::array<char, 200> large_{};  // more than the slot holds
};

// spec: A1 A2c
TEST(actor, is_built_from_the_arguments_of_its_spawn_also_when_it_is_large) {
  simulation world{seed{1}};
  const auto kept = world.spawn<keeper>("kept", std::string(30, 'x'), std::vector{1, 2, 3});
  EXPECT_EQ(world.ask(kept, square{}, 1s).get().value_or(0), 33);
}

/// Holds what cannot be copied.
class owner : public actor<square> {
public:
  explicit owner(std::unique_ptr<int> held) : held_(std::move(held)) {}
  int receive(context&, const square& s) { return *held_ * s.side; }

private:
  std::unique_ptr<int> held_;
};

// spec: A1
TEST(actor, whose_state_only_moves_is_made_by_a_factory) {
  simulation world{seed{1}};
  const auto made = world.spawn("made", [] { return owner{std::make_unique<int>(5)}; });
  static_assert(std::is_same_v<decltype(made), const actor_ref<square>>);
  EXPECT_EQ(world.ask(made, square{3}, 1s).get().value_or(0), 15);
}

struct alignas(128) wide {
  std::array<unsigned char, 128> bytes{};
};
struct huge {
  std::array<std::uint32_t, 20'000> words{};
};

// spec: A2a
TEST(actor, gets_over_aligned_and_very_large_messages_whole) {
  simulation world{seed{1}};
  int seen = 0;
  const auto one = world.spawn("wide", [&seen](tactor::context&, const wide& w) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&w) % alignof(wide), 0u);
    EXPECT_EQ(w.bytes[127], 9);
    ++seen;
  });
  const auto other = world.spawn("huge", [&seen](tactor::context&, const huge& h) {
    EXPECT_EQ(h.words[19'999], 77u);
    ++seen;
  });
  wide w;
  w.bytes[127] = 9;
  auto h = std::make_unique<huge>();
  h->words[19'999] = 77;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(one.tell(w), tell_result::ok);
    EXPECT_EQ(other.tell(*h), tell_result::ok);
  }
  // Also with a timer: there the payload is followed by other data.
  EXPECT_TRUE(world.schedule_once(10ms, one, w).has_value());
  EXPECT_TRUE(world.schedule_once(10ms, other, *h).has_value());
  world.run_for(1s);
  EXPECT_EQ(seen, 8);
}

/// Says when its hooks ran.
class hooked : public actor<count_up> {
public:
  explicit hooked(std::string* const& trace) : trace_(trace) { *trace_ += "made;"; }
  hooked(const hooked&) = delete;
  hooked& operator=(const hooked&) = delete;
  ~hooked() { *trace_ += "destroyed;"; }
  void pre_start(context&) { *trace_ += "start;"; }
  void receive(context& ctx, count_up c) {
    *trace_ += std::to_string(c.by) + ";";
    if (c.by == 0) ctx.stop();
  }
  void post_stop(context&) { *trace_ += "stop;"; }

private:
  std::string* trace_;
};

// spec: V2a
// case: MB-21
TEST(actor, starts_before_its_first_message_and_ends_after_its_last) {
  simulation world{seed{1}};
  std::string trace;
  const auto ref = world.spawn<hooked>("hooked", &trace);
  ref.tell(count_up{1});
  ref.tell(count_up{2});
  EXPECT_EQ(trace, "");  // built by the worker that runs it, not by its spawner
  ref.tell(count_up{0});
  ref.tell(count_up{3});
  world.run_to_idle();

  EXPECT_EQ(trace, "made;start;1;2;0;stop;destroyed;");
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::stopped), 1u);
}

/// Stops itself once more where it is too late.
class stops_twice : public actor<count_up> {
public:
  void receive(context& ctx, count_up) { ctx.stop(); }
  void post_stop(context& ctx) { ctx.stop(); }
};

// spec: M5
TEST(actor, that_stops_itself_while_it_ends_does_not_stop_the_next_tenant_of_its_slot) {
  simulation world{seed{1}};
  for (int i = 0; i < 3; ++i) {
    const auto first = world.spawn<stops_twice>("first");
    first.tell(count_up{});
    world.run_to_idle();
    EXPECT_EQ(world.live(), 0u);
  }
  int handled = 0;
  const auto next =
      world.spawn("next", [&handled](tactor::context&, const count_up&) { ++handled; });
  next.tell(count_up{});
  next.tell(count_up{});
  world.run_to_idle();
  EXPECT_EQ(handled, 2);
  EXPECT_EQ(world.live(), 1u);
}

class stops_at_once : public actor<count_up> {
public:
  explicit stops_at_once(int* const& handled) : handled_(handled) {}
  void pre_start(context& ctx) { ctx.stop(); }
  void receive(context&, count_up) { ++*handled_; }

private:
  int* handled_;
};

// spec: A2d
TEST(actor, that_stops_in_pre_start_handles_nothing) {
  simulation world{seed{1}};
  int handled = 0;
  const auto ref = world.spawn<stops_at_once>("at once", &handled);
  ref.tell(count_up{});
  world.run_to_idle();
  EXPECT_EQ(handled, 0);
  EXPECT_EQ(world.live(), 0u);
  EXPECT_EQ(world.metrics().all_dead_letters(), 1u);
}

/// Counts its copies: those that live, and how often one was destroyed twice.
struct counted {
  static inline int alive = 0;
  static inline int made = 0;

  counted() noexcept { count(); }
  counted(const counted&) noexcept { count(); }
  counted(counted&&) noexcept { count(); }
  counted& operator=(const counted&) = default;
  counted& operator=(counted&&) = default;
  ~counted() {
    EXPECT_EQ(self_, this);
    self_ = nullptr;
    --alive;
  }

private:
  void count() noexcept {
    ++alive;
    ++made;
  }
  const counted* self_ = this;
};

class counting_sink : public actor<counted, count_up> {
public:
  void receive(context&, const counted&) {}
  std::expected<void, failure> receive(context&, count_up) {
    return std::unexpected{failure{"asked to"}};
  }
};

void send_some(const actor_ref<counted>& to, int number) {
  for (int i = 0; i < number; ++i)
    to.tell(counted{});
}

class exactly_once : public ::testing::Test {
public:
  exactly_once() {
    counted::alive = 0;
    counted::made = 0;
  }
  ~exactly_once() override {
    EXPECT_EQ(counted::alive, 0);
    EXPECT_GT(counted::made, 0);
  }
};
using a_message_is_destroyed_exactly_once = exactly_once;

TEST_F(a_message_is_destroyed_exactly_once, handled) {
  simulation world{seed{1}};
  const auto sink = world.spawn<counting_sink>("sink");
  send_some(sink, 10);
  EXPECT_EQ(counted::alive, 10);
  world.run_to_idle();
  EXPECT_EQ(counted::alive, 0);
}

// spec: A2d M9
TEST_F(a_message_is_destroyed_exactly_once, queued_when_its_actor_stops) {
  simulation world{seed{1}};
  const auto sink = world.spawn<counting_sink>("sink");
  send_some(sink, 10);
  world.stop(sink);
  world.run_to_idle();
  EXPECT_EQ(counted::alive, 0);
  send_some(sink, 3);
  EXPECT_EQ(counted::alive, 0);
  EXPECT_EQ(world.metrics().all_dead_letters(), 13u);
}

// spec: I3
TEST_F(a_message_is_destroyed_exactly_once, queued_when_its_actor_fails) {
  simulation world{seed{1}};
  const auto sink = world.spawn<counting_sink>("sink");
  send_some(sink, 5);
  sink.tell(count_up{});
  send_some(sink, 5);
  world.run_to_idle();
  EXPECT_EQ(counted::alive, 0);
  EXPECT_EQ(world.metrics().all_dead_letters(), 5u);
}

// spec: A2a M3
TEST_F(a_message_is_destroyed_exactly_once, refused_or_evicted_by_a_full_mailbox) {
  simulation world{seed{1}};
  for (const overflow_strategy rule :
       {overflow_strategy::drop_oldest, overflow_strategy::drop_newest, overflow_strategy::reject,
        overflow_strategy::dead_letter}) {
    const auto sink =
        world.spawn<counting_sink>({.name = "sink", .mailbox = {.capacity = 3, .overflow = rule}});
    send_some(sink, 10);
    EXPECT_EQ(counted::alive, 3);
    world.run_to_idle();
    EXPECT_EQ(counted::alive, 0);
  }
  EXPECT_EQ(world.metrics().all_dead_letters(), 28u);
}

TEST_F(a_message_is_destroyed_exactly_once, sent_to_an_empty_and_to_a_stale_reference) {
  simulation world{seed{1}};
  send_some({}, 3);
  actor_ref<counted> gone;
  {
    simulation other{seed{1}};
    gone = other.spawn<counting_sink>("sink");
    send_some(gone, 3);
  }
  send_some(gone, 3);
  EXPECT_EQ(counted::alive, 0);
}

// spec: A5
TEST_F(a_message_is_destroyed_exactly_once, queued_everywhere_when_the_whole_system_ends) {
  {
    simulation world{seed{3}};
    for (int i = 0; i < 20; ++i) {
      send_some(world.spawn<counting_sink>({.name = "free"}), 10);
      send_some(world.spawn<counting_sink>(
                    {.name = "bounded",
                     .mailbox = {.capacity = 5, .overflow = overflow_strategy::reject}}),
                10);
      send_some(world.spawn<counting_sink>(
                    {.name = "evicting",
                     .mailbox = {.capacity = 5, .overflow = overflow_strategy::drop_oldest}}),
                10);
    }
    EXPECT_EQ(counted::alive, 400);
  }
  EXPECT_EQ(counted::alive, 0);
}

// spec: S3 S5 S12
TEST_F(a_message_is_destroyed_exactly_once, of_a_timer_however_it_ends) {
  {
    simulation world{seed{1}};
    const auto sink = world.spawn<counting_sink>("sink");
    const actor_ref<counted> to = sink;
    auto cancelled = world.schedule_once(10ms, to, counted{});
    auto fires = world.schedule_once(20ms, to, counted{});
    auto repeats = world.schedule_at_fixed_rate(20ms, 20ms, to, counted{});
    auto undeliverable = world.schedule_once(5s, to, counted{});
    auto pending = world.schedule_once(1h, to, counted{});
    EXPECT_EQ(counted::alive, 5);
    EXPECT_TRUE(cancelled->cancel());
    EXPECT_EQ(counted::alive, 4);
    world.run_for(1s);
    EXPECT_EQ(counted::alive, 3);  // one has fired
    world.stop(to);
    world.run_for(10s);
    EXPECT_EQ(counted::alive, 1);
    EXPECT_TRUE(repeats->is_completed() || repeats->is_cancelled());
    EXPECT_TRUE(undeliverable->is_completed());
    EXPECT_FALSE(pending->is_cancelled());
  }
  EXPECT_EQ(counted::alive, 0);
}

// spec: A2a
TEST_F(a_message_is_destroyed_exactly_once, given_back_by_try_tell) {
  simulation world{seed{1}};
  {
    const auto back = actor_ref<counted>{}.try_tell(counted{});
    EXPECT_FALSE(back.has_value());
    EXPECT_EQ(counted::alive, 1);
  }
  EXPECT_EQ(counted::alive, 0);
}

#if defined(__cpp_exceptions)
struct throws_when_copied {
  throws_when_copied() noexcept = default;
  throws_when_copied(const throws_when_copied&) { throw 1; }
};

TEST(actor_ref, loses_nothing_when_the_constructor_of_a_message_throws_in_the_senders_own_code) {
  simulation world{seed{1}};
  int handled = 0;
  const auto to =
      world.spawn("to", [&handled](tactor::context&, const throws_when_copied&) { ++handled; });
  const throws_when_copied bad;
  for (int i = 0; i < 3; ++i)
    EXPECT_THROW((void)to.tell(bad), int);
  world.run_to_idle();
  EXPECT_EQ(handled, 0);
  EXPECT_EQ(to.tell<throws_when_copied>(), tell_result::ok);
  world.run_to_idle();
  EXPECT_EQ(handled, 1);
}
#endif

#if defined(__cpp_exceptions)
/// A message that may not be movable when it comes to it, and knows how many of it live.
struct stuck {
  stuck() { ++live; }
  stuck(const stuck&) { ++live; }
  stuck(stuck&&) {  // NOLINT(*-noexcept-move*)
    if (is_stuck) throw 1;
    ++live;
  }
  stuck& operator=(const stuck&) = delete;
  stuck& operator=(stuck&&) = delete;
  ~stuck() { --live; }

  static inline int live = 0;
  static inline bool is_stuck = false;
};

TEST(actor_ref, loses_nothing_when_a_refused_message_cannot_be_given_back) {
  {
    simulation world{seed{1}};
    const auto to = world.spawn({.mailbox = {.capacity = 1, .overflow = overflow_strategy::reject}},
                                [](tactor::context&, const stuck&) {});
    ASSERT_EQ(to.tell<stuck>(), tell_result::ok);
    const stuck another;
    stuck::is_stuck = true;
    EXPECT_ANY_THROW((void)to.try_tell(another));
    stuck::is_stuck = false;
    EXPECT_EQ(stuck::live, 2) << "what waits, and ours";
  }
  EXPECT_EQ(stuck::live, 0);
}
#endif

// Lists what is told by the runtime alone.
class lists_notifications : public actor<count_up, terminated, receive_timeout> {
public:
  explicit lists_notifications(std::string* told) : told_(told) {}
  void pre_start(context& ctx) {
    (void)ctx.set_receive_timeout(100ms, *this);
    const auto child = ctx.spawn("", [](tactor::context& own, count_up) { own.stop(); });
    (void)ctx.watch(child, *this);
    (void)child.tell(count_up{});
  }
  void receive(context&, count_up) {}
  void receive(context&, const terminated&) { *told_ += 't'; }
  void receive(context&, receive_timeout) { *told_ += 'r'; }

private:
  std::string* told_;
};

// spec: V3 R1
TEST(actor, is_told_a_notification_once_that_it_lists) {
  std::string told;
  simulation world{seed{1}};
  (void)world.spawn<lists_notifications>("lists", &told);
  world.run_for(150ms);
  EXPECT_EQ(told, "tr");
}

}  // namespace
}  // namespace tactor
