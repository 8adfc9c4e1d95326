// SPDX-License-Identifier: BSL-1.0
#include "tactor/port/port.hpp"

#include "scenario.hpp"
#include <gtest/gtest.h>

#include <array>

// Tests of the checker, not of tactor: each classic shape once with orders that forbid an outcome,
// and once weakened, where the checker has to show the outcome. The last section pins down what it
// cannot show.
namespace tactor::model {

using namespace tactor::internal;

namespace {

using order = port::memory_order;

// ---- message passing: data, then a flag; a thread that sees the flag sees the data

template <order Publish, order Look>
struct message_passing {
  static constexpr unsigned threads = 2;
  port::plain<int> data;
  port::atomic<int> flag;

  void thread(unsigned index) {
    if (index == 0) {
      data.set(1);
      flag.store(1, Publish);
    } else if (flag.load(Look) == 1) {
      require(data.get() == 1, "saw the flag but not the data");
    }
  }
};

TEST(litmus, message_passing_holds_with_release_and_acquire) {
  EXPECT_TRUE(passes(explore<message_passing<release, acquire>>()));
}
TEST(litmus, message_passing_breaks_with_a_relaxed_store) {
  EXPECT_TRUE(fails(explore<message_passing<relaxed, acquire>>(), "DATA RACE"));
}
TEST(litmus, message_passing_breaks_with_a_relaxed_load) {
  EXPECT_TRUE(fails(explore<message_passing<release, relaxed>>(), "DATA RACE"));
}

// With atomic data: there is no race to report, so the checker has to return an older value.
template <order Publish, order Look>
struct atomic_message_passing {
  static constexpr unsigned threads = 2;
  port::atomic<int> data;
  port::atomic<int> flag;

  void thread(unsigned index) {
    if (index == 0) {
      data.store(1, relaxed);
      flag.store(1, Publish);
    } else if (flag.load(Look) == 1) {
      require(data.load(relaxed) == 1, "saw the flag but an older value");
    }
  }
};

TEST(litmus, a_load_ordered_after_a_store_returns_its_value) {
  EXPECT_TRUE(passes(explore<atomic_message_passing<release, acquire>>()));
}
TEST(litmus, a_load_that_nothing_orders_returns_an_older_value) {
  EXPECT_TRUE(fails(explore<atomic_message_passing<relaxed, acquire>>(), "older value"));
  EXPECT_TRUE(fails(explore<atomic_message_passing<release, relaxed>>(), "older value"));
}

// ---- store buffering: each thread writes its own variable and reads the other's

template <order Store, order Load>
struct store_buffering {
  static constexpr unsigned threads = 2;
  std::array<port::atomic<int>, 2> mine;
  std::array<int, 2> seen{};

  void thread(unsigned index) {
    mine[index].store(1, Store);
    seen[index] = mine[1 - index].load(Load);
  }
  void after() const { require(seen[0] == 1 || seen[1] == 1, "both threads saw the old value"); }
};

TEST(litmus, store_buffering_is_forbidden_by_sequential_consistency) {
  EXPECT_TRUE(passes(explore<store_buffering<seq_cst, seq_cst>>()));
}
TEST(litmus, store_buffering_shows_with_anything_less) {
  EXPECT_TRUE(fails(explore<store_buffering<release, acquire>>(), "both threads"));
  EXPECT_TRUE(fails(explore<store_buffering<seq_cst, acquire>>(), "both threads"));
  EXPECT_TRUE(fails(explore<store_buffering<release, seq_cst>>(), "both threads"));
}

// The shape of every "publish, then check for a sleeper": the store is an exchange.
template <order Change, order Load>
struct exchange_buffering {
  static constexpr unsigned threads = 2;
  std::array<port::atomic<int>, 2> mine;
  std::array<int, 2> seen{};

  void thread(unsigned index) {
    mine[index].exchange(1, Change);
    seen[index] = mine[1 - index].load(Load);
  }
  void after() const { require(seen[0] == 1 || seen[1] == 1, "both threads saw the old value"); }
};

TEST(litmus, an_exchange_orders_a_later_load_only_if_both_are_sequentially_consistent) {
  EXPECT_TRUE(passes(explore<exchange_buffering<seq_cst, seq_cst>>()));
  EXPECT_TRUE(fails(explore<exchange_buffering<acq_rel, acquire>>(), "both threads"));
}

// ---- independent reads of independent writes: do two readers agree on the order of two writes?

template <order Store, order Load>
struct independent_reads {
  static constexpr unsigned threads = 4;
  std::array<port::atomic<int>, 2> written;
  std::array<std::array<int, 2>, 2> seen{};

  void thread(unsigned index) {
    if (index < 2) {
      written[index].store(1, Store);
    } else {
      const unsigned reader = index - 2;
      seen[reader][0] = written[reader].load(Load);
      seen[reader][1] = written[1 - reader].load(Load);
    }
  }
  void after() const {
    const std::array<int, 2> first_but_not_second{1, 0};
    require(seen[0] != first_but_not_second || seen[1] != first_but_not_second,
            "the readers saw the writes in different orders");
  }
};

TEST(litmus, readers_agree_on_the_order_of_sequentially_consistent_writes) {
  EXPECT_TRUE(passes(explore<independent_reads<seq_cst, seq_cst>>()));
}
TEST(litmus, readers_may_disagree_on_the_order_of_released_writes) {
  EXPECT_TRUE(fails(explore<independent_reads<release, acquire>>(), "different orders"));
}

// ---- release sequences: a read-modify-write passes on what the release before it published; a
// store does not

enum class follower { read_modify_write, store };

template <follower How>
struct release_sequence {
  static constexpr unsigned threads = 3;
  port::plain<int> data;
  port::atomic<int> flag;

  void thread(unsigned index) {
    if (index == 0) {
      data.set(1);
      flag.store(1, release);
    } else if (index == 1) {
      int one = 1;
      if constexpr (How == follower::read_modify_write)
        static_cast<void>(flag.compare_exchange(one, 2, relaxed));
      else if (flag.load(relaxed) == 1)
        flag.store(2, relaxed);
    } else if (flag.load(acquire) == 2) {
      require(data.get() == 1, "saw the flag but not the data");
    }
  }
};

TEST(litmus, a_relaxed_read_modify_write_continues_a_release_sequence) {
  EXPECT_TRUE(passes(explore<release_sequence<follower::read_modify_write>>()));
}
TEST(litmus, a_relaxed_store_of_another_thread_ends_a_release_sequence) {
  EXPECT_TRUE(fails(explore<release_sequence<follower::store>>(), "DATA RACE"));
}

// ---- atomicity: of two increments none is lost

enum class increment { compare_exchange, fetch_add, load_and_store };

template <increment How>
struct two_increments {
  static constexpr unsigned threads = 2;
  port::atomic<int> count;

  void thread(unsigned) {
    if constexpr (How == increment::fetch_add) {
      count.fetch_add(1, relaxed);
    } else {
      int before = count.load(relaxed);
      if constexpr (How == increment::load_and_store) {
        count.store(before + 1, relaxed);
      } else {
        while (!count.compare_exchange(before, before + 1, relaxed)) {
        }
      }
    }
  }
  void after() const { require(count.load(relaxed) == 2, "an increment was lost"); }
};

TEST(litmus, read_modify_writes_are_atomic) {
  EXPECT_TRUE(passes(explore<two_increments<increment::compare_exchange>>()));
  EXPECT_TRUE(passes(explore<two_increments<increment::fetch_add>>()));
}
TEST(litmus, a_load_and_a_store_are_not) {
  EXPECT_TRUE(fails(explore<two_increments<increment::load_and_store>>(), "lost"));
}

// ---- coherence: all threads agree on the order of the values of one variable, even relaxed

enum class variables { one, two };

template <variables Count>
struct two_reads {
  static constexpr unsigned threads = 2;
  port::atomic<int> first;
  port::atomic<int> other;

  void thread(unsigned index) {
    port::atomic<int>& second = Count == variables::one ? first : other;
    if (index == 0) {
      first.store(1, relaxed);
      second.store(2, relaxed);
    } else {
      const int newer = second.load(relaxed);
      const int later = first.load(relaxed);
      require(newer != 2 || later != 0, "time ran backwards");
      if constexpr (Count == variables::one) require(newer <= later, "time ran backwards");
    }
  }
};

TEST(litmus, the_values_of_one_variable_are_read_in_their_order) {
  EXPECT_TRUE(passes(explore<two_reads<variables::one>>()));
}
TEST(litmus, the_values_of_two_variables_are_not) {
  EXPECT_TRUE(fails(explore<two_reads<variables::two>>(), "backwards"));
}

// ---- waiting

template <bool Relax>
struct spin_until_set {
  static constexpr unsigned threads = 2;
  port::plain<int> data;
  port::atomic<int> flag;

  void thread(unsigned index) {
    if (index == 0) {
      data.set(1);
      flag.store(1, release);
      return;
    }
    while (flag.load(acquire) == 0) {
      if constexpr (Relax) port::cpu_relax();
    }
    require(data.get() == 1, "saw the flag but not the data");
  }
};

TEST(litmus, a_wait_loop_with_cpu_relax_ends) {
  EXPECT_TRUE(passes(explore<spin_until_set<true>>()));
}
TEST(litmus, a_wait_loop_without_cpu_relax_is_reported_as_a_livelock) {
  EXPECT_TRUE(fails(explore<spin_until_set<false>>(), "LIVELOCK"));
}

// ---- mutexes

template <bool Locked>
struct guarded_count {
  static constexpr unsigned threads = 2;
  port::mutex section;
  port::plain<int> count;

  void thread(unsigned) {
    if constexpr (Locked) section.lock();
    count.set(count.get() + 1);
    if constexpr (Locked) section.unlock();
  }
  void after() const { require(count.get() == 2, "an increment was lost"); }
};

TEST(litmus, a_mutex_orders_plain_data) {
  EXPECT_TRUE(passes(explore<guarded_count<true>>()));
}
TEST(litmus, without_it_there_is_a_race) {
  EXPECT_TRUE(fails(explore<guarded_count<false>>(), "DATA RACE"));
}

struct crossed_locks {
  static constexpr unsigned threads = 2;
  std::array<port::mutex, 2> sections;

  void thread(unsigned index) {
    sections[index].lock();
    sections[1 - index].lock();
    sections[1 - index].unlock();
    sections[index].unlock();
  }
};

TEST(litmus, two_locks_taken_in_two_orders_are_reported_as_a_deadlock) {
  EXPECT_TRUE(fails(explore<crossed_locks>(), "DEADLOCK"));
}

// ---- what the checker does not show. Each of these outcomes is allowed by C++23, so the scenario
// ought to be refuted, and is not. A test here that fails is good news: the checker has improved.

// Load buffering: Relacy runs each thread in program order, so no load sees a later store.
struct load_buffering {
  static constexpr unsigned threads = 2;
  std::array<port::atomic<int>, 2> cells;
  std::array<int, 2> seen{};

  void thread(unsigned index) {
    seen[index] = cells[index].load(relaxed);
    cells[1 - index].store(1, relaxed);
  }
  void after() const { require(seen[0] == 0 || seen[1] == 0, "both loads saw a later store"); }
};

TEST(litmus_blind_spot, load_buffering_is_not_shown) {
  EXPECT_TRUE(passes(explore<load_buffering>()));
}

// Two writers of two variables: the values of a variable are always ordered as the stores ran.
struct two_plus_two_writes {
  static constexpr unsigned threads = 2;
  std::array<port::atomic<int>, 2> written;

  void thread(unsigned index) {
    written[index].store(1, relaxed);
    written[1 - index].store(2, relaxed);
  }
  void after() const {
    require(written[0].load(relaxed) == 2 || written[1].load(relaxed) == 2,
            "each first store came after the other thread's second");
  }
};

TEST(litmus_blind_spot, stores_reordered_by_the_memory_are_not_shown) {
  EXPECT_TRUE(passes(explore<two_plus_two_writes>()));
}

// A compare-exchange that fails is a load, which might be late; Relacy's always sees the newest
// value.
struct late_failure {
  static constexpr unsigned threads = 2;
  std::array<port::atomic<int>, 2> mine;
  std::array<int, 2> seen{};

  void thread(unsigned index) {
    mine[index].store(1, relaxed);
    int expected = 5;
    static_cast<void>(mine[1 - index].compare_exchange(expected, 6, relaxed));
    seen[index] = expected;
  }
  void after() const { require(seen[0] == 1 || seen[1] == 1, "both threads saw the old value"); }
};

TEST(litmus_blind_spot, a_failed_compare_exchange_with_an_old_value_is_not_shown) {
  EXPECT_TRUE(passes(explore<late_failure>()));
}

// Up to C++17 a later relaxed store of the same thread continued the release sequence; Relacy still
// implements that.
struct own_store_after_release {
  static constexpr unsigned threads = 2;
  port::plain<int> data;
  port::atomic<int> flag;

  void thread(unsigned index) {
    if (index == 0) {
      data.set(1);
      flag.store(1, release);
      flag.store(2, relaxed);
    } else if (flag.load(acquire) == 2) {
      static_cast<void>(data.get());
    }
  }
};

TEST(litmus_blind_spot, a_relaxed_store_after_a_release_by_the_same_thread_passes) {
  EXPECT_TRUE(passes(explore<own_store_after_release>()));
}

// A load is at most one value late in the systematic searches, two in the random one.
struct two_values_late {
  static constexpr unsigned threads = 2;
  port::atomic<int> data;
  port::atomic<int> flag;

  void thread(unsigned index) {
    if (index == 0) {
      data.store(1, relaxed);
      data.store(2, relaxed);
      flag.store(1, relaxed);
    } else if (flag.load(relaxed) == 1) {
      require(data.load(relaxed) != 0, "two values late");
    }
  }
};

TEST(litmus_blind_spot, a_load_two_values_late_is_shown_by_the_random_search_only) {
  EXPECT_TRUE(passes(explore<two_values_late>()));
  EXPECT_TRUE(fails(explore<two_values_late>(random_schedules(10'000)), "two values late"));
}

}  // namespace
}  // namespace tactor::model
