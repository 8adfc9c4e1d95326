// SPDX-License-Identifier: BSL-1.0
// A scheduler at work on real time: timers of every kind, and what goes wrong with them.
#include "tactor/timers.hpp"

#include "scheduler_showcase/incidents.hpp"
#include "scheduler_showcase/options.hpp"
#include "scheduler_showcase/picture.hpp"
#include "scheduler_showcase/report.hpp"
#include "scheduler_showcase/snapshot.hpp"
#include "scheduler_showcase/warnings.hpp"
#include "scheduler_showcase/workload.hpp"
#include "screen/terminal.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>

namespace {

using namespace std::chrono_literals;
using showcase::output_form;
using std::chrono::steady_clock;

/// Shows what happens while it happens: frames, lines, or nothing.
class reporter {
public:
  explicit reporter(output_form form)
      : form_(form),
        screen_(form == output_form::picture ? std::make_unique<showcase::second_screen>()
                                             : nullptr) {}

  void say(const std::string& incident) {
    incident_ = "now: " + incident;
    if (form_ == output_form::lines) std::printf("          %s\n", incident_.c_str());
  }

  void report(const showcase::snapshot& now, showcase::warnings& heard) {
    const std::size_t fresh = heard.read();
    if (screen_) {
      const auto frame = draw(now, heard, incident_, showcase::size_of_terminal());
      screen_->show(frame.lines(showcase::wanted_colours()));
    }
    if (form_ == output_form::lines) print_lines(now, heard, fresh);
  }

  /// Puts the terminal right; the last picture stays on it.
  void finish(const showcase::snapshot& last, const showcase::warnings& heard) {
    if (!screen_) return;
    screen_.reset();
    const auto frame = draw(last, heard, "", showcase::size_of_terminal());
    for (const std::string& line : frame.lines(showcase::wanted_colours()))
      std::puts(line.c_str());
    std::puts("");
  }

private:
  void print_lines(const showcase::snapshot& now, const showcase::warnings& heard,
                   std::size_t fresh) {
    const auto& lines = heard.lines();
    for (std::size_t i = lines.size() - fresh; i < lines.size(); ++i)
      std::puts(lines[i].c_str());
    if (now.run.elapsed < next_line_) return;
    next_line_ = now.run.elapsed + 500ms;
    std::puts(showcase::one_line(now).c_str());
  }

  output_form form_;
  std::unique_ptr<showcase::second_screen> screen_;
  std::string incident_ = "now: nothing in particular";
  std::chrono::duration<double> next_line_{0};
};

/// One run: frames at a steady pace, and from time to time an incident.
class stage {
public:
  stage(const tactor::host::realtime_scheduler& timers, steady_clock::duration length,
        output_form form)
      : timers_(timers),
        length_(length),
        form_(form),
        heard_(timers->events(), timers->config().timing.resolution,
               tactor::host::steady_clock{}.now()),
        work_(timers),
        incidents_(timers, work_) {}

  /// Returns: what it came to; the scheduler is shut down.
  showcase::outcome run() {
    reporter out{form_};
    while (steady_clock::now() < start_ + length_ && !showcase::interrupted()) {
      work_.tend();
      out.report(snapshot_now(), heard_);
      const bool time_left = next_incident_ < start_ + length_ - pace();
      if (time_left && steady_clock::now() >= next_incident_) cause_incident(out);
      std::this_thread::sleep_for(frame);
    }
    const showcase::snapshot last = snapshot_now();
    std::string dump =
        showcase::dump_of(timers_, form_ == output_form::json ? tactor::dump_format::json
                                                              : tactor::dump_format::text);
    const auto closed = timers_.shutdown();
    work_.clear();
    out.report(last, heard_);
    out.finish(last, heard_);
    return {.dump = std::move(dump), .last = snapshot_now(), .heard = heard_, .closed = closed};
  }

private:
  static constexpr auto frame = 40ms;

  [[nodiscard]] showcase::snapshot snapshot_now() {
    return take_snapshot(timers_, work_,
                         {.elapsed = steady_clock::now() - start_, .length = length_});
  }

  /// The picture says what comes before it comes.
  void cause_incident(reporter& out) {
    out.say(incidents_.next());
    out.report(snapshot_now(), heard_);
    incidents_.cause();
    next_incident_ += pace();
  }

  /// All of them fit into a short run; in a long one each is shown for longer.
  [[nodiscard]] steady_clock::duration pace() const {
    const steady_clock::duration share = length_ / (showcase::incidents::count + 1);
    return std::clamp<steady_clock::duration>(share, 250ms, 1s);
  }

  const tactor::host::realtime_scheduler& timers_;
  steady_clock::duration length_;
  output_form form_;
  steady_clock::time_point start_ = steady_clock::now();
  steady_clock::time_point next_incident_ = start_ + pace() / 2;
  showcase::warnings heard_;
  showcase::workload work_;
  showcase::incidents incidents_;
};

constexpr tactor::host::realtime_config config{
    .timers = {.timing = {.resolution = 5ms, .wheel_slots = 128, .overflow_capacity = 256},
               .system_quota = 600,
               .stall_limit = 100ms},
    .callable_threads = 2};

int show(const showcase::options& wanted) {
  const auto timers = tactor::host::realtime_scheduler::start(config);
  if (!timers) {
    std::fprintf(stderr, "scheduler_showcase: %s must be %s\n", timers.error().setting,
                 timers.error().allowed);
    return 1;
  }
  const output_form form =
      wanted.form.value_or(showcase::has_terminal() ? output_form::picture : output_form::lines);
  const steady_clock::duration length =
      wanted.length.value_or(form == output_form::picture ? 8s : 2500ms);
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // a reader behind a pipe sees each line at once
  showcase::catch_interrupts();
  stage here{*timers, length, form};
  const showcase::outcome end = here.run();

  if (form == output_form::json) {
    std::puts(in_json(end).c_str());
  } else {
    const std::size_t width =
        form == output_form::picture ? showcase::size_of_terminal().columns : std::string::npos;
    std::printf("dump, from just before the shutdown:\n%s\n%s\n",
                showcase::abridged(end.dump, width).c_str(), in_words(end).c_str());
  }
  if (showcase::interrupted()) return 130;
  return end.sound() ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  const auto wanted = showcase::parse(
      std::span{arguments, static_cast<std::size_t>(count)}.subspan(count > 0 ? 1 : 0));
  if (!wanted) {
    std::fprintf(stderr, "scheduler_showcase: %s\n%s", wanted.error().c_str(), showcase::usage);
    return 2;
  }
  if (wanted->help) {
    std::fputs(showcase::usage, stdout);
    return 0;
  }
  return show(*wanted);
}
