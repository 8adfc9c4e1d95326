// SPDX-License-Identifier: BSL-1.0
// The memory of a burst of messages goes back to the operating system.
#include "tactor/host/actor_system.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <set>
#include <thread>
#include <vector>

namespace tactor::inline v0::host {
namespace {

using namespace std::chrono_literals;

struct begin {
  std::latch* go_on;
};
struct note {
  int number;
};
struct ping {
  int number;
  using reply = int;
};

constexpr std::size_t burst = 200'000;

// Notes on which pages its messages stand.
class reader : public actor<begin, note, ping> {
public:
  reader(std::set<std::uintptr_t>* pages, std::latch* over) : pages_(pages), over_(over) {}
  void receive(context&, const begin& b) { b.go_on->wait(); }
  void receive(context&, const note& n) {
    static const auto size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    pages_->insert(reinterpret_cast<std::uintptr_t>(&n) / size * size);
    if (++seen_ == burst) over_->count_down();
  }
  int receive(context&, const ping& p) { return p.number; }

private:
  std::set<std::uintptr_t>* pages_;
  std::latch* over_;
  std::size_t seen_ = 0;
};

bool is_resident(std::uintptr_t page) {
  unsigned char state = 0;
  return ::mincore(reinterpret_cast<void*>(page), 1, &state) == 0 && (state & 1) != 0;
}
std::size_t resident(const std::set<std::uintptr_t>& pages) {
  return static_cast<std::size_t>(std::ranges::count_if(pages, is_resident));
}
// Returns: whether at most `most` of the pages were in memory in time.
bool falls_to(const std::set<std::uintptr_t>& pages, std::size_t most) {
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (resident(pages) > most) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST(idle_memory, of_a_burst_is_given_back_when_all_workers_sleep) {
  for (const std::uint32_t workers : {1U, 3U}) {
    actor_system system{{.workers = workers}};
    for (unsigned round = 0; round < 2; ++round) {
      std::set<std::uintptr_t> pages;
      std::latch go_on{1};
      std::latch over{1};
      const reader::ref to = system.spawn<reader>("", &pages, &over);
      to.tell(begin{&go_on});
      for (std::size_t i = 0; i < burst; ++i)
        ASSERT_EQ(to.tell(note{1}), tell_result::ok);
      go_on.count_down();
      over.wait();
      ASSERT_GE(pages.size(), burst / 64);

      ASSERT_TRUE(falls_to(pages, pages.size() / 3)) << resident(pages) << " of " << pages.size();
      EXPECT_EQ(system.ask(to, ping{4}, 20s).get(), 4) << "and it works on";
      system.stop(to);
    }
  }
}

}  // namespace
}  // namespace tactor::inline v0::host
