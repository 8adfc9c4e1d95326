// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/timers/realtime_scheduler.hpp"

#include "tactor/base/duration.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/scheduler/scheduler_config.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/core/timing/timing_config.hpp"
#include "tactor/host/os/process_threads.hpp"
#include "tactor/host/os/steady_clock.hpp"
#include "tactor/host/os/thread_setup.hpp"
#include "tactor/host/timers/callable_pool.hpp"
#include "tactor/host/timers/close_runner.hpp"
#include "tactor/host/timers/closing_deadline.hpp"
#include "tactor/host/timers/scheduler_memory.hpp"
#include "tactor/host/timers/timer_driver.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <expected>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

namespace tactor::inline v0::host {

using namespace internal;

namespace {

using time_point = std::chrono::steady_clock::time_point;

// Without a destructor: a callable that never returns may read it after main has ended.
constinit const steady_clock system_clock;

constexpr std::size_t most_threads = 1000;  // their names have three digits

std::unexpected<config_error> refuse_threads(std::size_t wanted, const char* allowed) {
  return std::unexpected{config_error{.setting = "callable_threads",
                                      .value = static_cast<std::int64_t>(wanted),
                                      .allowed = allowed}};
}

}  // namespace

/// The parts of a running scheduler, and its shutdown.
class realtime_scheduler::running : public std::enable_shared_from_this<running> {
public:
  running(const realtime_config& config, scheduler_memory memory)
      : memory_(std::move(memory)),
        clock_(config.clock != nullptr ? *config.clock : system_clock),
        pool_(config.callable_threads, this),
        timers_(config.timers, memory_.parts(clock_, pool_, &driver_)) {
    driver_.attach(timers_);
    if (clock_.kind() == clock_kind::realtime) driver_.start(this);
  }

  running(const running&) = delete;
  running& operator=(const running&) = delete;
  /// Waits for what is late, which may use all parts.
  ~running() {
    driver_.stop();  // it may have shut the scheduler down by itself
    closing_.wait_for_late_tasks();
    pool_.wait_for_late_callables();
  }

  close_summary shutdown(time_point until) {
    if (!threads_.exist()) return {};
    const bool from_inside = thread_mark::stands_for(this);
    if (begin(until)) {
      close();
      if (!from_inside || !finish_elsewhere()) finish();
    } else if (!from_inside) {
      end_sooner(until);
    }
    std::unique_lock lock{mutex_};
    if (!from_inside) ended_.wait(lock, [this] { return phase_ == phase::over; });
    return summary_;
  }

  /// False: the process was forked after the scheduler was started.
  [[nodiscard]] bool has_threads() const noexcept { return threads_.exist(); }
  scheduler& timers() noexcept { return timers_; }
  timer_driver& driver() noexcept { return driver_; }

private:
  enum class phase : std::uint8_t { open, closing, over };

  /// Returns: whether the caller performs the shutdown.
  bool begin(time_point until) {
    const std::scoped_lock lock{mutex_};
    if (phase_ != phase::open) return false;
    phase_ = phase::closing;
    until_ = until;
    return true;
  }
  /// The earliest deadline of all calls that wait counts.
  void end_sooner(time_point until) {
    {
      const std::scoped_lock lock{mutex_};
      until_ = std::min(until_, until);
    }
    closing_.end_sooner(until);
    pool_.end_sooner(until);
  }
  [[nodiscard]] time_point deadline() {
    const std::scoped_lock lock{mutex_};
    return until_;
  }

  void close() {
    const thread_mark mark{this};  // destructors of cancelled callables may shut down
    const std::size_t cancelled = driver_.close();
    const std::scoped_lock lock{mutex_};
    summary_.cancelled = cancelled;
  }

  /// Returns: false if no thread can be started.
  bool finish_elsewhere() {
    try {
      std::thread{[self = shared_from_this()] {
        set_up_thread("end");
        self->finish();
      }}.detach();
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  void finish() noexcept {
    const thread_mark mark{this};  // hooks and tasks that no other thread runs may shut down
    const close_counts counts = closing_.run(timers_, deadline(), this);
    driver_.stop();
    const time_point now = std::chrono::steady_clock::now();
    const std::size_t late = pool_.stop(std::max(deadline(), now + time_to_leave));
    driver_.poll_now();  // removes the jobs that ended last
    const std::scoped_lock lock{mutex_};
    summary_.run = counts.run;
    summary_.failed = counts.failed;
    summary_.late = counts.late + late;
    phase_ = phase::over;
    ended_.notify_all();
  }

  // In the order of dependence: a member uses the ones before it.
  scheduler_memory memory_;
  const monotonic_clock& clock_;
  callable_pool pool_;
  timer_driver driver_;
  scheduler timers_;
  close_runner closing_;

  std::mutex mutex_;
  std::condition_variable ended_;
  // protected by mutex_
  phase phase_ = phase::open;
  time_point until_;  // the deadline, once it closes
  close_summary summary_;

  process_threads threads_;
};

std::expected<realtime_scheduler, config_error>
realtime_scheduler::start(const realtime_config& config) {
  if (config.use > clock_use::test) {
    return std::unexpected{config_error{.setting = "use",
                                        .value = static_cast<std::int64_t>(config.use),
                                        .allowed = "an enumerator of clock_use"}};
  }
  constexpr scheduler_sections called{.own = "timers.", .timing = "timers.timing."};
  if (auto sound = check(config.timers, called); !sound) return std::unexpected{sound.error()};
  const monotonic_clock& clock = config.clock != nullptr ? *config.clock : system_clock;
  if (auto sound = check(config.timers.timing, clock, config.use, called.timing); !sound) {
    return std::unexpected{sound.error()};
  }
  if (config.callable_threads == 0 || config.callable_threads > most_threads) {
    return refuse_threads(config.callable_threads, "from 1 to 1000");
  }
  if (process_threads::lost_by_fork()) {
    return std::unexpected{config_error{.setting = "forked",
                                        .value = 1,
                                        .allowed = "0: a process that was forked from one with "
                                                   "running timers has none of its threads; fork "
                                                   "before the start"}};
  }
  try {
    auto memory = scheduler_memory::acquire(config.timers, called.own);
    if (!memory) return std::unexpected{memory.error()};
    return realtime_scheduler{std::make_shared<running>(config, std::move(*memory))};
  } catch (const std::bad_alloc&) {
    return refuse_threads(config.callable_threads, "as many as the system has memory for");
  } catch (const std::exception&) {
    return refuse_threads(config.callable_threads, "as many as the system can start");
  }
}

realtime_scheduler::realtime_scheduler(std::shared_ptr<running> parts) noexcept
    : running_(std::move(parts)) {}

realtime_scheduler& realtime_scheduler::operator=(realtime_scheduler&& other) noexcept {
  const realtime_scheduler before{std::exchange(running_, std::exchange(other.running_, nullptr))};
  return *this;
}

realtime_scheduler::~realtime_scheduler() {
  if (running_ == nullptr) return;
  (void)shutdown(default_deadline);
  // In a forked process its threads cannot be joined: it stays as it is.
  if (!running_->has_threads()) (void)new std::shared_ptr<running>{std::move(running_)};
}

scheduler& realtime_scheduler::timers() const noexcept {
  return running_->timers();
}

timer_driver& realtime_scheduler::driver() const noexcept {
  return running_->driver();
}

close_summary realtime_scheduler::shutdown(duration deadline) const {
  return running_->shutdown(moment_after(deadline));
}

}  // namespace tactor::inline v0::host
