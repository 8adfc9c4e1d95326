// SPDX-License-Identifier: BSL-1.0
#include "tactor/port/port.hpp"

#include "scenario.hpp"
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace tactor::model {

using namespace tactor::internal;

namespace {

// ---- what the model port adds to the contract

constexpr port::panic_code wet_paint{.module = 7, .id = 3, .advice = "do not touch"};

struct panicking {
  static constexpr unsigned threads = 1;
  void thread(unsigned) { port::panic(wet_paint); }
};

TEST(model_port, a_panic_fails_the_scenario_with_its_advice) {
  EXPECT_TRUE(fails(explore<panicking>(), "panic 7.3: do not touch"));
}

int panics_handled = 0;

TEST(model_port, the_panic_handler_is_called_before_the_scenario_fails) {
  const auto before = port::set_panic_handler([](port::panic_code) noexcept { ++panics_handled; });

  const auto found = explore<panicking>();

  EXPECT_NE(port::set_panic_handler(before), nullptr);
  EXPECT_FALSE(found.ok);
  EXPECT_EQ(panics_handled, 2) << "once in the search, once in the replay for the trace";
}

TEST(model_port_death, a_panic_outside_of_a_scenario_ends_the_program) {
  EXPECT_DEATH(port::panic(wet_paint), "panic 7.3: do not touch");
}

constinit port::atomic<int> a_static;
constinit port::plain<int> a_static_cell{4};

TEST(model_port, an_object_outside_of_scenarios_is_plain_memory) {
  int expected = 0;
  EXPECT_TRUE(a_static.compare_exchange(expected, 5, acq_rel));
  EXPECT_FALSE(a_static.compare_exchange(expected, 6, acq_rel));
  EXPECT_EQ(expected, 5);
  EXPECT_EQ(a_static.exchange(0, acq_rel), 5);
  EXPECT_EQ(a_static_cell.get(), 4);
}

struct touching_a_static {
  static constexpr unsigned threads = 1;
  void thread(unsigned) { a_static.store(1, relaxed); }
};
struct touching_a_static_cell {
  static constexpr unsigned threads = 1;
  void thread(unsigned) { a_static_cell.set(1); }
};

TEST(model_port, a_scenario_that_touches_an_object_from_outside_fails) {
  EXPECT_TRUE(fails(explore<touching_a_static>(), "make it a member"));
  EXPECT_TRUE(fails(explore<touching_a_static_cell>(), "make it a member"));
}

struct wrong_load {
  static constexpr unsigned threads = 1;
  port::atomic<int> number;
  void thread(unsigned) { static_cast<void>(number.load(release)); }
};
struct wrong_store {
  static constexpr unsigned threads = 1;
  port::atomic<int> number;
  void thread(unsigned) { number.store(1, acquire); }
};

TEST(model_port, an_order_that_an_operation_cannot_have_fails_the_scenario) {
  EXPECT_TRUE(fails(explore<wrong_load>(), "a load cannot release"));
  EXPECT_TRUE(fails(explore<wrong_store>(), "a store cannot acquire"));
}

// An object made by one thread in memory of the scenario and published to another.
template <port::memory_order Publish>
struct handing_over {
  static constexpr unsigned threads = 2;
  using number = port::atomic<int>;
  alignas(number) std::array<std::byte, sizeof(number)> memory;
  port::atomic<number*> published;

  void thread(unsigned index) {
    if (index == 0) {
      published.store(new (memory.data()) number{7}, Publish);
    } else if (number* const seen = published.load(acquire)) {
      require(seen->load(relaxed) == 7, "not the first value");
    }
  }
  void after() const { std::destroy_at(published.load(relaxed)); }
};

TEST(model_port, a_new_atomic_is_seen_only_by_threads_it_was_published_to) {
  EXPECT_TRUE(passes(explore<handing_over<release>>()));
  EXPECT_TRUE(fails(explore<handing_over<relaxed>>(), "UNINITIALIZED"));
}

struct late_access {
  static constexpr unsigned threads = 1;
  using number = port::atomic<int>;
  alignas(number) std::array<std::byte, sizeof(number)> memory;

  void thread(unsigned) {
    number* const gone = new (memory.data()) number{7};
    std::destroy_at(gone);
    gone->store(1, relaxed);
  }
};

TEST(model_port, an_access_to_an_object_whose_life_is_over_fails_the_scenario) {
  EXPECT_TRUE(fails(explore<late_access>(), "ACCESS TO FREED MEMORY"));
}

struct forgotten {
  static constexpr unsigned threads = 1;
  using number = port::atomic<int>;
  alignas(number) std::array<std::byte, sizeof(number)> memory;
  void thread(unsigned) { new (memory.data()) number{7}; }
};

TEST(model_port, an_object_that_is_never_destroyed_fails_the_scenario) {
  EXPECT_TRUE(fails(explore<forgotten>(), "LEAK"));
}

// The last reader does not tell the destroying thread that it is done.
template <port::memory_order Done>
struct destroying {
  static constexpr unsigned threads = 2;
  using number = port::plain<int>;
  alignas(number) std::array<std::byte, sizeof(number)> memory;
  number* plain = nullptr;
  port::atomic<bool> done;

  void before() { plain = new (memory.data()) number{7}; }
  void thread(unsigned index) {
    if (index == 0) {
      require(plain->get() == 7, "not what was set");
      done.store(true, Done);
    } else {
      while (!done.load(acquire))
        port::cpu_relax();
      std::destroy_at(plain);
    }
  }
};

TEST(model_port, the_end_of_plain_data_is_ordered_after_its_last_use) {
  EXPECT_TRUE(passes(explore<destroying<release>>()));
  EXPECT_TRUE(fails(explore<destroying<relaxed>>(), "DATA RACE"));
}

template <unsigned Writers>
struct counting {
  static constexpr unsigned threads = 2;
  port::counter count;
  void thread(unsigned index) {
    if (index < Writers)
      count.add(1);
    else
      require(count.value() <= 1, "counted more than there was");
  }
};

TEST(model_port, a_counter_has_one_writer_and_any_reader) {
  EXPECT_TRUE(passes(explore<counting<1>>()));
  EXPECT_TRUE(fails(explore<counting<2>>(), "DATA RACE"));
}

struct state_word {
  std::uint16_t flags;
  std::uint16_t count;
};
enum class phase : std::uint8_t { idle, busy };

struct words_of_all_kinds {
  static constexpr unsigned threads = 1;
  port::atomic<state_word> word;
  port::atomic<phase> now;
  port::atomic<std::uint8_t> byte{0xFF};
  port::atomic<std::int32_t> number{-1};

  void thread(unsigned) {
    state_word expected{.flags = 0, .count = 0};
    require(word.compare_exchange(expected, {.flags = 3, .count = 4}, acq_rel), "struct");
    require(word.load(acquire).count == 4, "struct");
    require(now.exchange(phase::busy, acq_rel) == phase::idle, "enumeration");
    require(byte.fetch_add(2, relaxed) == 0xFF && byte.load(relaxed) == 1, "a byte wraps");
    require(number.fetch_sub(1, relaxed) == -1 && number.load(relaxed) == -2, "signed");
  }
};

TEST(model_port, an_atomic_holds_anything_that_fits_a_word) {
  EXPECT_TRUE(passes(explore<words_of_all_kinds>()));
}

struct endless {
  static constexpr unsigned threads = 2;
  port::atomic<int> number;
  void thread(unsigned) {
    for (int i = 0; i < 20; ++i)
      number.fetch_add(1, relaxed);
  }
};

TEST(model_port, a_search_that_does_not_end_within_its_limit_is_not_ok) {
  const auto found = explore<endless>(every_schedule.at_most(1000));

  EXPECT_FALSE(found.ok);
  EXPECT_NE(found.what.find("NOT FINISHED"), std::string::npos);
  EXPECT_TRUE(passes(explore<endless>(preemptions(1))));
}

template <class S>
void run_as_a_scenario() {
  EXPECT_TRUE(passes(explore<S>()));
}

}  // namespace
}  // namespace tactor::model

// ---- the contract of every port, each test as a scenario with one thread. The file is shared with
// the other ports; only the meaning of TEST and EXPECT_… differs here, since a scenario cannot hold
// GoogleTest's.
#undef TEST
#undef EXPECT_EQ
#undef EXPECT_TRUE
#undef EXPECT_FALSE
#define TEST(suite, name)                                                                          \
  struct name {                                                                                    \
    static constexpr unsigned threads = 1;                                                         \
    void thread(unsigned);                                                                         \
  };                                                                                               \
  GTEST_TEST(suite, name) {                                                                        \
    model::run_as_a_scenario<name>();                                                              \
  }                                                                                                \
  void name::thread(unsigned)
#define EXPECT_EQ(a, b) model::require((a) == (b), #a " == " #b)
#define EXPECT_TRUE(a) model::require((a), #a)
#define EXPECT_FALSE(a) model::require(!(a), "not " #a)

#include "tactor/port/port.test.cpp"  // NOLINT(bugprone-suspicious-include): see above
