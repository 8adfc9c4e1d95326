// SPDX-License-Identifier: BSL-1.0
// The cost of an actor that has nothing to do.
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/os/mapped_pages.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

namespace tactor::realtime {

using namespace tactor::internal;

namespace {

struct note {};
std::atomic<std::size_t> started = 0;
class idler : public actor<note> {
public:
  static void pre_start(context&) {
    ++started;
    started.notify_one();
  }
  void receive(context&, const note&) {}
};

constexpr std::size_t actors = 1'000'000;

// Counted page by page: what statm says may be off by many pages for each processor.
std::size_t resident_bytes() {
  std::ifstream rollup{"/proc/self/smaps_rollup"};
  for (std::string key; rollup >> key;) {
    std::size_t kilobytes = 0;
    if (key == "Rss:" && rollup >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}
std::size_t blocks_made() {
  std::size_t all = 0;
  for (unsigned size_class = 0; size_class < envelope_size_classes; ++size_class)
    all += program_memory.envelopes.blocks_made(size_class);
  return all;
}

// spec: Q1
TEST(memory, of_an_idle_actor_is_its_cell_and_nothing_else) {
  (void)::prctl(PR_SET_THP_DISABLE, 1UL, 0UL, 0UL, 0UL);  // what is touched, not 2 MB around it
  actor_system system{{.workers = 1, .metrics = {.level = metrics_level::off}}};
  const auto spawn_some = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      (void)system.spawn<idler>("");
    for (std::size_t now = started; now < system.live(); now = started)
      started.wait(now);
  };
  spawn_some(1000);  // what the system itself needs is there now
  const std::uint32_t slots = program_memory.cells.made();
  const std::size_t blocks = blocks_made();
  const std::size_t before = resident_bytes();
  spawn_some(actors);
  const std::size_t bytes = resident_bytes() - before;
  // By counting what was allocated: a slot for each, and two magazines more at most; no block.
  EXPECT_LE(program_memory.cells.made() - slots, actors + 2 * magazine_capacity);
  EXPECT_EQ(blocks_made(), blocks);
  EXPECT_EQ(sizeof(cell), 256u);
  // By what the process occupies: the pages that these slots touch.
  EXPECT_LE(bytes, actors * 257);
}

}  // namespace
}  // namespace tactor::realtime
