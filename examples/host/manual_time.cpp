// SPDX-License-Identifier: BSL-1.0
// A retry with growing delays, and its test on a clock that the test moves: no waiting, no threads.
#include "tactor/testkit.hpp"

#include <chrono>
#include <cstdio>

using namespace std::chrono_literals;

/// The subject of the test: it tries at once, then after 1 s, 2 s, 4 s, until it works.
class retry {
public:
  explicit retry(tactor::scheduler& timers) : timers_(timers) {}
  void works_at(int attempt) { works_at_ = attempt; }
  void start() { try_once(); }
  int attempts() const { return attempts_; }

private:
  void try_once() {
    if (++attempts_ == works_at_) return;
    next_ = tactor::scoped_cancellable{*timers_.schedule_once(pause_, [this] { try_once(); })};
    pause_ *= 2;
  }

  tactor::scheduler& timers_;
  tactor::scoped_cancellable next_;  // ends with the retry
  std::chrono::seconds pause_{1};
  int attempts_ = 0;
  int works_at_ = 0;
};

int main() {
  tactor::testkit::scheduler_harness<64, 16> world;  // 64 slots, at most 16 timers
  retry subject{world.timers()};
  subject.works_at(4);

  subject.start();
  world.clock().advance(999ms);
  const bool not_early = subject.attempts() == 1;
  world.clock().advance(1ms);
  const bool on_time = subject.attempts() == 2;
  world.clock().advance(1h);
  const bool gave_no_more = subject.attempts() == 4;
  const bool counters_agree = static_cast<bool>(world.check_invariants());

  const bool passed = not_early && on_time && gave_no_more && counters_agree;
  std::printf("%d attempts in %.0f s of virtual time: %s\n", subject.attempts(),
              static_cast<double>(world.clock().now().ticks) / 1e9, passed ? "passed" : "FAILED");
  return passed ? 0 : 1;
}
