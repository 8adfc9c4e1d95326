// SPDX-License-Identifier: BSL-1.0
// The timing wheel at work on real time: sleep until the next deadline, look, draw, and again.
#include "tactor/core/timing/clock_check.hpp"
#include "tactor/core/timing/timer_instant.hpp"
#include "tactor/core/timing/timing_config.hpp"
#include "tactor/host/steady_clock.hpp"

#include "showcase/options.hpp"
#include "showcase/picture.hpp"
#include "showcase/terminal.hpp"
#include "showcase/workload.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using showcase::output_form;

/// Calls back at its own pace: with each frame of the picture, or with each line.
class reporter {
public:
  explicit reporter(output_form form)
      : screen_(form == output_form::picture ? std::make_unique<showcase::second_screen>()
                                             : nullptr) {}

  [[nodiscard]] std::chrono::nanoseconds pace() const { return screen_ ? 40ms : 500ms; }

  void report(const showcase::workload& work, showcase::progress run) {
    if (screen_) {
      screen_->show(picture(work, run));
    } else {
      std::puts(showcase::one_line(work, run).c_str());
    }
  }

  void begin(const showcase::workload& work) const {
    if (!screen_) std::printf("a timing wheel: %s\n", showcase::heading(work).c_str());
  }

  /// Puts the terminal right; the last picture stays on it.
  void finish(const showcase::workload& work, showcase::progress run) {
    if (!screen_) return;
    screen_.reset();
    for (const std::string& line : picture(work, run))
      std::puts(line.c_str());
    std::puts("");
  }

private:
  static std::vector<std::string> picture(const showcase::workload& work, showcase::progress run) {
    return showcase::draw(work, run, showcase::size_of_terminal())
        .lines(showcase::wanted_colours());
  }

  std::unique_ptr<showcase::second_screen> screen_;
};

void sleep_until(std::uint64_t then_ns) {
  using clock = std::chrono::steady_clock;  // what tactor::host::steady_clock reads
  std::this_thread::sleep_until(
      clock::time_point{std::chrono::nanoseconds{static_cast<std::int64_t>(then_ns)}});
}

/// Drives the wheel: the clock is read once per look, and the sleep ends with the next deadline.
void run(showcase::workload& work, const tactor::host::steady_clock& clock,
         std::chrono::nanoseconds length, output_form form) {
  reporter out{form};
  out.begin(work);
  const std::uint64_t start = clock.now().ticks;
  const std::uint64_t end = start + static_cast<std::uint64_t>(length.count());
  const auto pace = static_cast<std::uint64_t>(out.pace().count());
  std::uint64_t next_report = start + pace;
  const auto so_far = [&](std::uint64_t now) {
    return showcase::progress{.elapsed = std::chrono::nanoseconds{now - start}, .length = length};
  };

  std::uint64_t now_ns = start;
  while (now_ns < end && !showcase::interrupted()) {
    sleep_until(std::min({work.next_look_ns().value_or(end), next_report, end}));
    const tactor::timer_instant now = clock.now();
    work.look(now);
    now_ns = now.ticks;
    if (now_ns >= next_report) {
      out.report(work, so_far(now_ns));
      next_report = std::max(next_report + pace, now_ns);
    }
  }
  out.finish(work, so_far(now_ns));
}

int show(const showcase::options& wanted) {
  const tactor::timing_config config{
      .resolution = 5ms, .wheel_slots = 256, .overflow_capacity = 256};
  const tactor::host::steady_clock clock;
  if (const auto sound = check(config, clock, tactor::clock_use::production); !sound) {
    std::fprintf(stderr, "showcase: %s must be %s\n", sound.error().setting, sound.error().allowed);
    return 1;
  }

  const output_form form =
      wanted.form.value_or(showcase::has_terminal() ? output_form::picture : output_form::lines);
  const std::chrono::nanoseconds length =
      wanted.length.value_or(form == output_form::picture ? 8s : 2500ms);
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // a reader behind a pipe sees each line at once
  showcase::catch_interrupts();
  showcase::workload work{config, clock.now()};
  run(work, clock, length, form);

  std::puts(showcase::verdict(work).c_str());
  if (showcase::interrupted()) return 130;
  return work.so_far().early == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  const auto wanted = showcase::parse(
      std::span{arguments, static_cast<std::size_t>(count)}.subspan(count > 0 ? 1 : 0));
  if (!wanted) {
    std::fprintf(stderr, "showcase: %s\n%s", wanted.error().c_str(), showcase::usage);
    return 2;
  }
  if (wanted->help) {
    std::fputs(showcase::usage, stdout);
    return 0;
  }
  return show(*wanted);
}
