// SPDX-License-Identifier: BSL-1.0
// The code of docs/guide/03-timers.md; check_snippets.py compares the two.
#include "tactor/timers.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <string_view>
#include <thread>

using namespace std::chrono_literals;

namespace {

using tactor::cancellable;
using tactor::execution_batch;
using tactor::scheduler;
using tactor::scheduler_error;

std::atomic<unsigned long long> beats = 0;
std::atomic<unsigned long long> samples = 0;
std::atomic<bool> released = false;

void send_heartbeat() {
  ++beats;
}
void add_samples(unsigned long long count) {
  samples += count;
}
enum class disk_error : std::uint8_t { full = 28 };
std::expected<void, disk_error> flush() {
  return std::unexpected{disk_error::full};
}

void once(scheduler& timers) {
  const auto handle = timers.schedule_once(200ms, [] { std::puts("200 ms are over"); });
  if (!handle) std::puts("not scheduled");
}

void periodic(scheduler& timers) {
  const auto beat = timers.schedule_with_fixed_delay(0ms, 20ms, [] { send_heartbeat(); });
  const auto sampling = timers.schedule_at_fixed_rate(
      20ms, 20ms, [](execution_batch batch) { add_samples(batch.runs); });
  if (!beat || !sampling) std::puts("not scheduled");
}

void policies(scheduler& timers) {
  const auto refresh =
      timers.schedule_at_fixed_rate(20ms, 20ms, [] {}, {.missed_runs = tactor::missed::skip});
  const auto audit = timers.schedule_at_fixed_rate(
      20ms, 20ms, [] {}, {.missed_runs = tactor::missed::burst, .backlog_limit = 100});
  if (!refresh || !audit) std::puts("not scheduled");
}

void cancelling(scheduler& timers) {
  auto timeout = timers.schedule_once(5s, [] { std::puts("no answer"); });
  if (!timeout) return;
  // … the answer came:
  if (timeout->cancel()) {
    std::puts("in time: the callable has been destroyed and will never run");
  } else {
    std::puts("too late: it runs or has run");
  }
}

void hooks(scheduler& timers) {
  auto handle = timers.schedule_once(1h, [] {}, {.on_cancelled = [] { released = true; }});
  if (handle) handle->cancel();
}

class session {
public:
  explicit session(scheduler& timers)
      : idle_(timers.schedule_once(30s, [] { std::puts("idle"); }).value_or(cancellable{})) {}

private:
  tactor::scoped_cancellable idle_;  // cancels when the session is destroyed
};

const char* advice(scheduler_error why) {
  switch (why) {
  case scheduler_error::shutdown:
    return "give up: the program is ending";
  case scheduler_error::invalid_delay:
  case scheduler_error::no_backlog:
    return "correct the call";
  case scheduler_error::quota_exceeded:
    return "raise system_quota, or find what keeps so many timers";
  case scheduler_error::capacity_exceeded:
    return "raise overflow_capacity, or destroy handles";
  }
  return "";
}

void failing(scheduler& timers) {
  const auto job = timers.schedule_with_fixed_delay(20ms, 20ms, [] { return flush(); });
  if (!job) std::puts(advice(job.error()));
}

void polling(scheduler& timers) {
  std::array<tactor::scheduler_deadline_timer::slot, 100> places{};
  tactor::scheduler_deadline_timer deadlines{timers, places};
  const auto lease = deadlines.insert(20ms);
  if (!lease) std::printf("refused: %s\n", advice(lease.error()));
  std::this_thread::sleep_for(50ms);
  if (!lease) return;
  while (const auto reached = deadlines.poll_expired()) {
    if (*reached == *lease) std::puts("the lease has ended");
  }
  deadlines.cancel(*lease);
}

void use(scheduler& timers) {
  once(timers);
  periodic(timers);
  policies(timers);
  cancelling(timers);
  hooks(timers);
  const session user{timers};
  failing(timers);
  polling(timers);
  const auto refused = timers.schedule_once(0ms, [] {});
  if (!refused) std::printf("refused: %s\n", advice(refused.error()));
  std::this_thread::sleep_for(300ms);
}

void listen(const tactor::host::realtime_scheduler* timers) {
  std::array<tactor::scheduler_event, 64> buffer{};
  tactor::diagnostics_subscription warnings{(*timers)->events(), buffer,
                                            tactor::scheduler_event_kinds::warnings()};
  std::array<tactor::scheduler_event, 8> few{};
  tactor::diagnostics_subscription ends{(*timers)->events(), few,
                                        tactor::scheduler_event_kind::fired |
                                            tactor::scheduler_event_kind::cancelled};

  use(timers->timers());

  while (const auto event = warnings.try_next()) {
    if (event->kind == tactor::scheduler_event_kind::handler_failed) {
      std::printf("a callable failed with error %llu\n",
                  static_cast<unsigned long long>(event->value));
    }
  }
  if (const auto first = ends.try_next()) std::printf("first: %s\n", to_text(first->kind));
}

void show(const tactor::host::realtime_scheduler* timers) {
  struct to_stdout final : tactor::text_sink {
    void write(std::string_view piece) noexcept override {
      std::fwrite(piece.data(), 1, piece.size(), stdout);
    }
  } out;
  timers->exclusively([&](scheduler& owned) { dump(owned, tactor::dump_format::text, out); });
}

bool retry(tactor::delay_provider delays, bool (*attempt)()) {
  for (int left = 3; left > 0; --left) {
    if (attempt()) return true;
    const auto pause = delays.after(1ms);
    if (!pause || pause->wait() == tactor::delay_end::cancelled) return false;
  }
  return false;
}

bool close(const tactor::host::realtime_scheduler* timers) {
  const auto registered = (*timers)->on_close(tactor::close_priority::user,
                                              [] { std::puts("close task: the log is flushed"); });
  const auto report =
      (*timers)->schedule_once(1h, [] { std::puts("close task: a timer that runs at shutdown"); },
                               {.at_shutdown = tactor::on_shutdown::run});
  const auto summary = timers->shutdown(2s);
  std::printf("%zu timers cancelled, close tasks: %zu run, %zu failed, %zu late\n",
              summary.cancelled, summary.run, summary.failed, summary.late);
  return registered && report && summary.run == 2 && summary.failed == 0;
}

int run() {
  const tactor::host::realtime_config config{
      .timers = {.timing = {.resolution = 1ms, .wheel_slots = 4096}, .system_quota = 50'000},
      .callable_threads = 4};
  const auto timers = tactor::host::realtime_scheduler::start(config);
  if (!timers) {
    std::printf("%s must be %s\n", timers.error().setting, timers.error().allowed);
    return 1;
  }
  listen(&*timers);
  show(&*timers);
  static int attempts = 0;
  const bool retried =
      retry(tactor::delay_provider{timers->timers()}, [] { return ++attempts == 2; });
  const bool as_told = retried && close(&*timers) && beats > 0 && samples > 0 && released;
  std::puts(as_told ? "as the guide says" : "NOT as the guide says");
  return as_told ? 0 : 1;
}

}  // namespace

int main() {
  return run();
}
