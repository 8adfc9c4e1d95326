// SPDX-License-Identifier: BSL-1.0
//
// nanosleep_loop fire COUNT RESOLUTION_US: what the operating system can do. One thread sleeps
// until each tick on which something is due, like a timer driver would, and calls what is due out
// of a sorted array.
#include "workloads.hpp"
#include <sys/prctl.h>
#include <time.h>

namespace timers {
namespace {

class nanosleep_loop {
public:
  explicit nanosleep_loop(const setup& wanted) : tick_(wanted.resolution) {
    (void)::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    due_.reserve(wanted.live);
  }

  void schedule_at(std::size_t, clock::time_point, const noting_callable& callable) {
    due_.push_back(callable);
  }
  template <class Done>
  void run(Done) {
    for (auto next = due_.begin(); next != due_.end();) {
      const nanoseconds until = rounded_up(next->due);
      sleep_until(until);
      for (; next != due_.end() && rounded_up(next->due) <= until; ++next)
        (*next)();
    }
  }
  void sort() { std::ranges::sort(due_, {}, &noting_callable::due); }

private:
  [[nodiscard]] nanoseconds rounded_up(clock::time_point moment) const {
    const nanoseconds since = moment.time_since_epoch();
    return (since + tick_ - nanoseconds{1}) / tick_ * tick_;
  }
  static void sleep_until(nanoseconds moment) {
    constexpr long second = 1'000'000'000;
    const timespec until{.tv_sec = moment.count() / second, .tv_nsec = moment.count() % second};
    while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
    }
  }

  nanoseconds tick_;
  std::vector<noting_callable> due_;
};

}  // namespace
}  // namespace timers

int main(int argc, char** argv) {
  if (argc < 4 || std::string_view{argv[1]} != "fire") {
    std::fprintf(stderr, "usage: %s fire COUNT RESOLUTION_US\n", argv[0]);
    return 2;
  }
  timers::fire<timers::nanosleep_loop>(
      std::strtoul(argv[2], nullptr, 10),
      std::chrono::microseconds{std::strtoul(argv[3], nullptr, 10)}, 1);
  return EXIT_SUCCESS;
}
