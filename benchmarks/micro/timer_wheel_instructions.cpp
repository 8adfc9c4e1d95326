// SPDX-License-Identifier: BSL-1.0
//
// timer_wheel_instructions OPERATION LIVE COUNT: does one operation COUNT times on a wheel with
// LIVE timers, for counting instructions. Two runs that differ only in COUNT give the cost of one
// operation: benchmarks/run.py takes the slope.
#include "tactor/base/tick.hpp"

#include "loaded_wheel.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace tactor::benchmarks {
namespace {

constexpr std::size_t most = 4096;  // operations; equal memory and set-up for each count
constexpr std::uint64_t per_tick = 16;

// The timers that stay live are in the second half of the wheel; the timers operated on are due in
// the first, sixteen on each tick, regardless of the others.
int run(std::string_view operation, std::size_t live, std::size_t count) {
  loaded_wheel loaded{live + most};
  const std::vector<tick> standing = loaded.deadlines(live, 257, loaded_wheel::slots);
  for (std::size_t n = 0; n < live; ++n)
    loaded.insert(*loaded.shuffled[most + n], standing[n]);
  const auto deadline = [](std::size_t n) { return tick{1 + n / per_tick}; };
  const auto shuffled = [](std::size_t n) { return n * 2053 % most; };  // odd, so each once
  if (operation != "insert") {
    for (std::size_t n = 0; n < most; ++n)
      loaded.insert(*loaded.shuffled[n], deadline(n));
  }

  std::size_t done = 0;
  if (operation == "insert") {
    for (; done < count; ++done)
      loaded.insert(*loaded.shuffled[shuffled(done)], deadline(shuffled(done)));
  } else if (operation == "cancel") {
    for (; done < count; ++done)
      loaded.wheel.cancel(*loaded.shuffled[shuffled(done)]);
  } else if (operation == "expire") {
    for (std::uint64_t now = 1; done < count; ++now) {
      while (loaded.wheel.pop_due(tick{now}) != nullptr)
        ++done;
    }
  }
  return done == count && count <= most ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace tactor::benchmarks

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s insert|cancel|expire LIVE COUNT\n", argv[0]);
    return 2;
  }
  return tactor::benchmarks::run(argv[1], std::strtoul(argv[2], nullptr, 10),
                                 std::strtoul(argv[3], nullptr, 10));
}
