// SPDX-License-Identifier: BSL-1.0
// A gateway for radio thermometers, made of actors, on threads or in a simulation; in the end every
// message is accounted for.
#include "tactor/host.hpp"
#include "tactor/testkit.hpp"

#include "scenarios/scenarios.hpp"
#include "screen/terminal.hpp"
#include "showcase/accounts.hpp"
#include "showcase/faults.hpp"
#include "showcase/input.hpp"
#include "showcase/messages.hpp"
#include "showcase/metrics_file.hpp"
#include "showcase/options.hpp"
#include "showcase/picture.hpp"
#include "showcase/plant.hpp"
#include "showcase/report.hpp"
#include "showcase/threads.hpp"
#include "showcase/watching.hpp"

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
using showcase::findings;
using showcase::output_form;

/// Drops the log: the journal records the same events.
void nowhere(const tactor::log_record&) noexcept {}

double in_seconds(std::chrono::nanoseconds length) {
  return std::chrono::duration<double>{length}.count();
}

/// Prints the lines of the journal since the last call whose number of repeats is final; with
/// `all`, every line that is left.
void print_new_lines(const showcase::journal_page& page, std::uint64_t& printed, bool all) {
  const std::size_t fresh = std::min<std::size_t>(page.folded - printed, page.newest.size());
  printed = page.folded - fresh;
  for (const showcase::journal_line& line : std::span{page.newest}.last(fresh)) {
    if (!all && line.seconds + showcase::fold_window >= page.seconds) return;
    std::puts(showcase::shown(line).c_str());
    ++printed;
  }
}

/// Causes every fault once.
template <class Plant>
void cause_all(Plant& in) {
  for (const showcase::known_fault& each : showcase::faults)
    in.cause(each.which);
}

/// Returns: the buttons of the console's page.
template <class Plant>
std::vector<showcase::button> buttons_of(Plant& in) {
  std::vector<showcase::button> all;
  for (const showcase::known_fault& each : showcase::faults)
    all.push_back({each.name, each.what, [&in, which = each.which] { in.cause(which); }});
  all.push_back({"load-double", "every device sends twice as many readings",
                 [&in] { in.change({.up = true}); }});
  all.push_back({"load-halve", "every device sends half as many readings",
                 [&in] { in.change({.up = false}); }});
  return all;
}

/// Runs everything at once, in virtual time.
findings simulate(const showcase::options& wanted, std::chrono::nanoseconds length) {
  const showcase::conditions given{.pace = 20ms,
                                   .writing = 0us,
                                   .noise = 70,
                                   .service = 9s,
                                   .heart = 5s,
                                   .report = 10s,
                                   .load = wanted.load};
  showcase::ledger book;
  showcase::disk disk{.writing = given.writing};
  const tactor::testkit::seed from{wanted.seed};
  tactor::testkit::simulation world{from, {.dispatchers = {.all_on_pool = true}}};
  showcase::plant everything{world, book, disk, world.clock(), given, wanted.beacons.value_or(200),
                             from};
  world.run_for(length / 3);
  if (wanted.faults) cause_all(everything);
  world.run_for(length - length / 3);
  everything.close();
  const auto closed = [&] { return everything.closed(); };
  do {  // a message under way may make a parser fail, which is restarted after a delay
    world.run_to_idle();
  } while (!closed() && world.run_until(closed));
  findings end = everything.collect();
  end.seconds = in_seconds(length);
  return end;
}

/// Shows a run while it goes on.
class live_view {
public:
  live_view(output_form form, double length)
      : form_(form),
        length_(length),
        screen_(form == output_form::picture ? std::make_unique<showcase::second_screen>()
                                             : nullptr) {}

  void show(const findings& now) {
    if (screen_) screen_->show(frame_of(now));
    if (form_ == output_form::lines) print_new_lines(now.heard, printed_, false);
  }
  /// Restores the terminal, and prints the last frame.
  void finish(const findings& last) {
    if (form_ == output_form::lines) print_new_lines(last.heard, printed_, true);
    if (!screen_) return;
    screen_.reset();
    for (const std::string& line : frame_of(last))
      std::puts(line.c_str());
    std::puts("");
  }

private:
  [[nodiscard]] std::vector<std::string> frame_of(const findings& now) const {
    return draw(now, length_, showcase::size_of_terminal()).lines(showcase::wanted_colours());
  }

  output_form form_;
  double length_;
  std::unique_ptr<showcase::second_screen> screen_;
  std::uint64_t printed_ = 0;
};

/// Figures that are computed between two frames.
class progress {
public:
  void note(findings& now) {
    now.seconds = in_seconds(std::chrono::steady_clock::now() - start_);
    const double since = now.seconds - last_seconds_;
    if (since < 0.5) {
      now.per_second = per_second_;
      now.threads = threads_;
      return;
    }
    now.per_second = per_second_ = static_cast<double>(now.sums.handled - last_handled_) / since;
    now.threads = threads_ = watch_.sample();
    last_seconds_ = now.seconds;
    last_handled_ = now.sums.handled;
  }

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  showcase::thread_watch watch_;
  std::vector<showcase::thread_load> threads_ = watch_.sample();
  double per_second_ = 0;
  double last_seconds_ = 0;
  std::uint64_t last_handled_ = 0;
};

/// Runs on threads, in real time, and shows frames at a steady pace. Then the devices stop, the
/// messages under way are handled, and the system is shut down.
findings run_on_threads(const showcase::options& wanted, std::chrono::nanoseconds length,
                        output_form form) {
  const showcase::conditions given{.pace = 1ms,
                                   .writing = 100us,
                                   .noise = 400,
                                   .service = 500ms,
                                   .heart = 1s,
                                   .report = 5s,
                                   .load = wanted.load};
  constexpr auto frame = 50ms;
  constexpr auto grace = 10s;
  const tactor::host::steady_clock clock;
  showcase::ledger book;
  showcase::disk disk{.writing = given.writing};
  showcase::tcp_input input;  // outlives the system
  tactor::actor_system system{{.name = "gateway",
                               .workers = wanted.workers,
                               .scheduler = {.timing = {.resolution = 1ms}},
                               .dispatchers = {.blocking_threads = 2},
                               .metrics = {.level = tactor::metrics_level::actor},
                               .log = {.sink = nowhere}}};
  showcase::plant everything{system,
                             book,
                             disk,
                             clock,
                             given,
                             wanted.beacons.value_or(20'000),
                             tactor::testkit::seed{wanted.seed}};
  input.open(system, book, everything.input(), wanted.input);
  const showcase::watching console{system, wanted.console, buttons_of(everything)};
  const showcase::metrics_file metrics{system, wanted.metrics};
  if (form == output_form::lines) {
    if (!console.address().empty()) std::printf("console: %s\n", console.address().c_str());
    std::printf("tcp: %s\n", input.address().c_str());
  }
  live_view view{form, in_seconds(length)};
  progress so_far;
  findings now;
  const auto update = [&] {
    now = everything.collect();
    now.console = console.address();
    now.input = input.address();
    so_far.note(now);
    view.show(now);
  };
  bool to_come = wanted.faults;
  const auto start = std::chrono::steady_clock::now();
  for (auto next = start; next < start + length && !showcase::interrupted();) {
    next = std::max(next + frame, std::chrono::steady_clock::now());  // a frame may take long
    std::this_thread::sleep_until(next);
    if (to_come && next >= start + length / 3) {
      cause_all(everything);
      to_come = false;
    }
    update();
  }
  input.close(book);
  everything.close();
  // Waits while the number of live actors and of messages under way decreases.
  auto give_up = std::chrono::steady_clock::now() + grace;
  std::uint64_t least = UINT64_MAX;
  do {
    std::this_thread::sleep_for(1ms);
    update();
    const std::uint64_t left = system.live() + now.sums.under_way();
    if (left < least) give_up = std::chrono::steady_clock::now() + grace;
    least = std::min(least, left);
  } while (!(everything.closed() && now.sound()) && std::chrono::steady_clock::now() < give_up);
  now.shutdown = system.shutdown();
  const findings& last = everything.count();  // all actors have ended
  now.sums = last.sums;
  now.runtime = last.runtime;
  view.finish(now);
  return now;
}

void print_simulated(const findings& end, std::uint64_t seed) {
  std::printf("seed %llu, %.0f s of virtual time; the end of the journal:\n",
              static_cast<unsigned long long>(seed), end.seconds);
  constexpr std::size_t shown = 60;
  std::uint64_t printed = end.heard.folded - std::min<std::uint64_t>(end.heard.folded, shown);
  print_new_lines(end.heard, printed, true);
}

int show(const showcase::options& wanted) {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // a reader behind a pipe sees each line at once
  showcase::catch_interrupts();
  const output_form form =
      wanted.form.value_or(showcase::has_terminal() ? output_form::picture : output_form::lines);
  const std::chrono::nanoseconds length = wanted.length.value_or(60s);
  const findings end =
      wanted.simulated ? simulate(wanted, length) : run_on_threads(wanted, length, form);
  if (form == output_form::json) {
    std::puts(in_json(end, wanted).c_str());
  } else {
    if (wanted.simulated) print_simulated(end, wanted.seed);
    std::fputs(in_words(end).c_str(), stdout);
  }
  if (!end.sound()) return 1;
  return showcase::interrupted() ? 130 : 0;
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
  if (!wanted->scenario) return show(*wanted);
  const int status = scenarios::run(*wanted->scenario);
  if (status == 2) std::fprintf(stderr, "showcase: there is no such scenario\n%s", showcase::usage);
  return status;
}
