// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/timing/deadline.hpp"
#include "tactor/core/timing/timing_room.hpp"
#include "tactor/testkit/manual_clock.hpp"

#include <chrono>
#include <cstdio>
#include <optional>

using namespace std::chrono_literals;

struct reminder : tactor::timer_entry {
  const char* text;
};

class reminders final : public tactor::testkit::clock_driven {
public:
  explicit reminders(const tactor::monotonic_clock& clock) : clock_(clock) {}

  bool set(reminder& what, tactor::duration delay) {
    const auto deadline = tactor::deadline_after(clock_.now(), delay, config_.resolution);
    return deadline && wheel_.insert(what, *deadline);
  }

  std::optional<tactor::timer_instant> next_look() const noexcept override {
    const auto next = wheel_.next_deadline();
    if (!next) return std::nullopt;
    return tactor::timer_instant{.ticks = next->count, .resolution_ns = 10'000'000};
  }

  void look() noexcept override {
    const auto now = tactor::tick_at(clock_.now(), config_.resolution);
    while (const auto* due = static_cast<reminder*>(wheel_.pop_due(now)))
      std::printf("%8.3f s  %s\n", static_cast<double>(clock_.now().ticks) / 1e9, due->text);
  }

private:
  const tactor::monotonic_clock& clock_;
  tactor::timing_config config_{.resolution = 10ms};
  tactor::static_timing_room<64, 16> room_;
  tactor::timing_wheel wheel_{room_.view(), tactor::tick{0}, config_};
};

int main() {
  tactor::testkit::manual_clock clock;
  reminders list{clock};
  reminder near{{}, "25 ms: rounded up to a tick, never early"};
  reminder edge{{}, "64 ticks: the last slot of the wheel"};
  reminder far{{}, "1 h: waited in the overflow"};
  if (!list.set(far, 1h) || !list.set(near, 25ms) || !list.set(edge, 640ms)) return 1;

  clock.attach(list);
  clock.advance(2h);  // returns at once: from deadline to deadline
  clock.detach(list);
}
