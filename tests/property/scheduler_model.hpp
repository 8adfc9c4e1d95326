// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/tick.hpp"
#include "tactor/core/scheduler/cancellable.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/testkit/scheduler_harness.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/// The whole scheduler on a manual clock next to a naive model of it; shared by the property tests
/// and the fuzz target.
///
/// Time is counted in quarters of a tick, so that delays and steps also fall between ticks.
namespace tactor::property {

using namespace tactor::internal;

inline constexpr std::uint64_t quarter_ns = 2'500'000;
inline constexpr std::uint64_t quarters_per_tick = 4;
inline constexpr std::size_t wheel_slots = 8;
inline constexpr std::size_t most_jobs = 24;

/// The sizes and limits of a scheduler.
struct scheduler_shape {
  std::size_t quota = 12;
  std::size_t overflow = 4;
  std::uint32_t burst_threshold = 10;
  std::size_t batch_limit = 100;
};

/// One step of a history.
struct scheduler_step {
  enum class action : std::uint8_t {
    schedule,
    cancel,
    drop,
    advance,
    jump,
    poll,
    run_one,
    run_all,
    close
  };
  action what = action::poll;
  // of schedule
  job_mode mode = job_mode::once;
  missed policy = missed::fold;
  timer_priority priority = timer_priority::normal;
  std::uint32_t backlog_limit = 0xFFFF'FFFF;
  bool fails = false;        // the callable reports failure
  bool runs_at_end = false;  // a one-shot with `on_shutdown::run`
  bool has_hook = false;
  std::uint64_t period = 0;  // in quarters
  // of schedule (the delay), advance and jump, in quarters
  std::uint64_t amount = 0;
  std::size_t job = 0;  // of cancel and drop: which of the jobs scheduled so far
};

/// True if the driver is asked for its next deadline after a step, and so applies pending commands.
enum class asking : bool { no, yes };

/// The work of the driver after a step: nothing, apply pending schedules and cancels, or poll.
enum class follow_up : std::uint8_t { nothing, take_in, poll };

/// The outcome of one job, in terms that both sides have.
enum class job_end : std::uint8_t { none, completed, cancelled };

/// The observable state of a scheduler.
struct scheduler_view {
  std::vector<std::string> log;         // executions, hooks and answers, in order
  std::map<std::size_t, job_end> jobs;  // whose handle is kept
  std::uint64_t scheduled = 0;
  std::uint64_t completed = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t evicted = 0;
  std::uint64_t active = 0;
  std::uint64_t periodic = 0;
  std::uint64_t fired = 0;
  std::uint64_t executed = 0;
  std::uint64_t dropped = 0;
  std::uint64_t refused = 0;
  std::uint64_t failures = 0;
  std::size_t queued = 0;  // in the dispatcher
  std::optional<std::uint64_t> next_deadline;

  friend bool operator==(const scheduler_view&, const scheduler_view&) = default;
};

inline std::string execution_text(std::size_t job, std::uint64_t runs, std::uint64_t now) {
  return "job " + std::to_string(job) + " runs " + std::to_string(runs) + " at " +
         std::to_string(now);
}
inline std::string hook_text(std::size_t job) {
  return "hook of " + std::to_string(job);
}

/// The specification of a scheduler in its simplest form: a list of jobs, scanned completely at
/// every step.
class scheduler_model {
public:
  explicit scheduler_model(const scheduler_shape& shape) : shape_(shape) {}

  /// Returns: what the driver must do before the two are compared.
  follow_up perform(const scheduler_step& step, asking next_deadline) {
    perform(step);
    // A call polls only if it finds the overflow full, and whether it does depends on when entries
    // were moved: so there is a poll whenever something is to be evicted.
    if (!closed_ && far_ones(timer_priority::low) > shape_.overflow) {
      poll();
      return follow_up::poll;
    }
    // A run may re-arm a job; that counts against the overflow when its command is applied.
    const bool runs = step.what == scheduler_step::action::run_one ||
                      step.what == scheduler_step::action::run_all;
    return runs || next_deadline == asking::yes ? follow_up::take_in : follow_up::nothing;
  }

  [[nodiscard]] scheduler_view view() const {
    scheduler_view now = view_;
    now.active = static_cast<std::uint64_t>(
        std::ranges::count_if(jobs_, [](const job& each) { return each.live(); }));
    now.periodic = static_cast<std::uint64_t>(std::ranges::count_if(
        jobs_, [](const job& each) { return each.live() && each.wants.mode != job_mode::once; }));
    now.queued = queue_.size();
    for (auto& [number, end] : now.jobs)
      end = jobs_[number].end;
    for (const job& each : jobs_) {
      if (each.waits() && (!now.next_deadline || each.deadline < *now.next_deadline))
        now.next_deadline = each.deadline;
    }
    return now;
  }
  /// Counts the jobs that have been scheduled so far.
  [[nodiscard]] std::size_t jobs() const { return jobs_.size(); }
  /// Returns: true if `step` fits into the memory of the subject: kept handles and queued jobs hold
  /// records.
  [[nodiscard]] bool allows(const scheduler_step& step) const {
    if (step.what != scheduler_step::action::schedule) return true;
    return view_.jobs.size() < most_jobs && queue_.size() < most_jobs;
  }

private:
  struct job {
    scheduler_step wants;
    std::uint64_t deadline = 0;  // in ticks
    std::uint64_t grid = 0;      // of the next run at a fixed rate, in quarters
    std::uint64_t order = 0;     // when it began to wait for this deadline
    std::uint64_t arrival = 0;   // when it came into the overflow
    std::uint64_t due = 0;       // due runs that were not executed
    bool armed = true;           // waits for its deadline
    bool posted = false;         // waits in the dispatcher
    bool hook_pending = false;
    job_end end = job_end::none;

    [[nodiscard]] bool live() const { return end == job_end::none; }
    [[nodiscard]] bool waits() const { return live() && armed; }
  };

  void perform(const scheduler_step& step) {
    view_.log.clear();
    switch (step.what) {
    case scheduler_step::action::schedule:
      schedule(step);
      break;
    case scheduler_step::action::cancel:
      cancel(step.job);
      break;
    case scheduler_step::action::drop:
      view_.jobs.erase(step.job);
      break;
    case scheduler_step::action::advance:
      advance(step.amount);
      break;
    case scheduler_step::action::jump:
      now_ += step.amount;
      poll();
      break;
    case scheduler_step::action::poll:
      poll();
      break;
    case scheduler_step::action::run_one:
      run_one();
      break;
    case scheduler_step::action::run_all:
      while (run_one()) {
      }
      break;
    case scheduler_step::action::close:
      close();
      break;
    }
  }
  [[nodiscard]] std::uint64_t tick_now() const { return now_ / quarters_per_tick; }
  static std::uint64_t rounded_up(std::uint64_t quarters) {
    return (quarters + quarters_per_tick - 1) / quarters_per_tick;
  }
  [[nodiscard]] std::size_t live() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(jobs_, [](const job& each) { return each.live(); }));
  }
  [[nodiscard]] bool in_range(const job& each) const {
    return each.deadline <= tick_now() + wheel_slots;
  }
  /// Counts the jobs of this priority and above that are out of range.
  [[nodiscard]] std::size_t far_ones(timer_priority from) const {
    return static_cast<std::size_t>(std::ranges::count_if(jobs_, [&](const job& each) {
      return each.waits() && !in_range(each) && each.wants.priority >= from;
    }));
  }

  void answer(const std::string& what) { view_.log.push_back(what); }

  void schedule(const scheduler_step& step) {
    const bool periodic = step.mode != job_mode::once;
    if (closed_) return refuse("shutdown");
    if ((step.amount == 0 && !periodic) || (periodic && step.period == 0))
      return refuse("invalid_delay");
    if (step.mode == job_mode::fixed_delay && step.backlog_limit != scheduler_step{}.backlog_limit)
      return refuse("no_backlog");
    if (live() >= shape_.quota) return refuse("quota_exceeded");
    job fresh{.wants = step};
    fresh.deadline = std::max(rounded_up(now_ + step.amount), tick_now() + 1);
    fresh.grid = fresh.deadline * quarters_per_tick;
    fresh.order = ++clock_of_orders_;
    fresh.arrival = fresh.order;
    if (!in_range(fresh) && far_ones(step.priority) >= shape_.overflow) {
      poll();
      if (far_ones(step.priority) >= shape_.overflow) return refuse("capacity_exceeded");
    }
    view_.jobs[jobs_.size()] = job_end::none;
    jobs_.push_back(fresh);
    ++view_.scheduled;
    answer("scheduled");
  }
  void refuse(const char* why) {
    ++view_.refused;
    answer(why);
  }

  // Keeps the overflow within its capacity: low before normal, the newest first. A job that fell
  // due in the same poll, which had `queued` before, comes to its dispatcher only for its hook.
  void evict(std::size_t queued) {
    for (const timer_priority lowest : {timer_priority::low, timer_priority::normal}) {
      while (far_ones(timer_priority::low) > shape_.overflow) {
        job* newest = nullptr;
        for (job& each : jobs_) {
          if (!each.waits() || in_range(each) || each.wants.priority != lowest) continue;
          if (newest == nullptr || each.arrival > newest->arrival) newest = &each;
        }
        if (newest == nullptr) break;
        end(*newest, view_.evicted);
        const auto here = std::find(queue_.begin() + static_cast<std::ptrdiff_t>(queued),
                                    queue_.end(), static_cast<std::size_t>(newest - jobs_.data()));
        if (here == queue_.end() || newest->wants.has_hook) continue;
        newest->posted = false;
        queue_.erase(here);
      }
    }
  }

  void cancel(std::size_t number) {
    if (!view_.jobs.contains(number)) return;
    job& wanted = jobs_[number];
    const bool can = wanted.live();
    answer(can ? "true" : "false");
    if (can) end(wanted, view_.cancelled);
  }

  // Cancelled before its own end.
  void end(job& ended, std::uint64_t& how) {
    if (ended.posted) ++queued_when_cancelled_;
    ended.end = job_end::cancelled;
    ended.due = 0;
    ++how;
    view_.dropped = view_.evicted + queued_when_cancelled_;
    if (ended.wants.has_hook) {
      ended.hook_pending = true;
      if (!ended.posted) post(ended);
    }
  }
  void post(job& posted) {
    posted.posted = true;
    queue_.push_back(static_cast<std::size_t>(&posted - jobs_.data()));
  }

  void advance(std::uint64_t amount) {
    const std::uint64_t target = now_ + amount;
    for (auto next = view().next_deadline; next && *next * quarters_per_tick <= target;
         next = view().next_deadline) {
      now_ = std::max(now_, *next * quarters_per_tick);
      poll();
    }
    now_ = target;
  }

  void poll() {
    const std::size_t queued = queue_.size();
    while (job* const due = first_due()) {
      switch (due->wants.mode) {
      case job_mode::once:
      case job_mode::fixed_delay:
        fire_once(*due);
        break;
      case job_mode::fixed_rate:
        fire_at_rate(*due);
        break;
      }
    }
    evict(queued);
  }
  job* first_due() {
    job* first = nullptr;
    for (job& each : jobs_) {
      if (!each.waits() || each.deadline > tick_now()) continue;
      const bool earlier = first == nullptr || each.deadline < first->deadline ||
                           (each.deadline == first->deadline && each.order < first->order);
      if (earlier) first = &each;
    }
    return first;
  }
  void fire_once(job& due) {
    ++view_.fired;
    due.armed = false;
    due.due = 1;
    post(due);
  }
  void fire_at_rate(job& due) {
    std::uint64_t runs = 0;
    for (; due.grid <= now_ / quarters_per_tick * quarters_per_tick; due.grid += due.wants.period)
      ++runs;
    view_.fired += runs;
    const bool skips = due.wants.policy == missed::skip;
    if (!skips && over_backlog(due, runs)) return;
    if (!skips) due.due += runs;
    if (skips && !due.posted) due.due = 1;
    due.deadline = rounded_up(due.grid);
    due.order = ++clock_of_orders_;
    due.arrival = due.order;
    if (!due.posted) post(due);
  }
  bool over_backlog(job& due, std::uint64_t runs) {
    if (due.due + runs <= due.wants.backlog_limit) return false;
    end(due, view_.cancelled);
    return true;
  }

  bool run_one() {
    if (queue_.empty()) return false;
    job& next = jobs_[queue_.front()];
    const std::size_t number = queue_.front();
    queue_.pop_front();
    next.posted = false;
    if (!next.live()) {
      run_hook(number);
      return true;
    }
    const bool one_by_one =
        next.wants.mode == job_mode::fixed_rate && next.wants.policy == missed::burst;
    const std::uint64_t runs = one_by_one ? 1 : next.due;
    next.due -= runs;
    execute(next, number, runs);
    return true;
  }
  void execute(job& next, std::size_t number, std::uint64_t runs) {
    ++view_.executed;
    answer(execution_text(number, runs, now_));
    if (next.wants.fails) {
      ++view_.failures;
      next.end = job_end::cancelled;
      ++view_.cancelled;
      next.hook_pending = next.wants.has_hook;
      run_hook(number);
    } else if (next.wants.mode == job_mode::once) {
      next.end = job_end::completed;
      ++view_.completed;
    } else if (next.wants.mode == job_mode::fixed_delay) {
      next.deadline = std::max(rounded_up(now_ + next.wants.period), tick_now() + 1);
      next.order = ++clock_of_orders_;
      next.arrival = next.order;
      next.armed = true;
    } else if (next.due > 0) {
      post(next);
    }
  }
  void run_hook(std::size_t number) {
    if (std::exchange(jobs_[number].hook_pending, false)) answer(hook_text(number));
  }

  void close() {
    if (std::exchange(closed_, true)) return;
    std::vector<std::size_t> at_end;
    for (std::size_t number = 0; number < jobs_.size(); ++number) {
      job& each = jobs_[number];
      if (!each.live()) continue;
      if (!each.wants.runs_at_end) {
        end(each, view_.cancelled);
      } else if (!each.posted) {
        each.armed = false;
        at_end.push_back(number);
      }
    }
    for (const std::size_t number : at_end)
      execute(jobs_[number], number, 1);
    while (run_one()) {
    }
    std::ranges::sort(view_.log);  // the order in which they end is not specified
  }

  scheduler_shape shape_;
  std::uint64_t now_ = 0;
  std::uint64_t clock_of_orders_ = 0;
  std::uint64_t queued_when_cancelled_ = 0;
  bool closed_ = false;
  std::vector<job> jobs_;
  std::deque<std::size_t> queue_;
  scheduler_view view_;
};

/// The real scheduler with its harness, with the interface of the model.
class scheduler_subject {
public:
  explicit scheduler_subject(const scheduler_shape& shape)
      : harness_(std::make_unique<harness>(config_of(shape))) {
    harness_->hold_jobs();
  }

  void perform(const scheduler_step& step) {
    log_.clear();
    switch (step.what) {
    case scheduler_step::action::schedule:
      schedule(step);
      break;
    case scheduler_step::action::cancel:
      if (const auto found = handles_.find(step.job); found != handles_.end())
        log_.emplace_back(found->second.cancel() ? "true" : "false");
      break;
    case scheduler_step::action::drop:
      handles_.erase(step.job);
      break;
    case scheduler_step::action::advance:
      harness_->clock().advance(in_time(step.amount));
      break;
    case scheduler_step::action::jump:
      harness_->clock().jump(in_time(step.amount));
      break;
    case scheduler_step::action::poll:
      (void)timers().poll();
      break;
    case scheduler_step::action::run_one:
      harness_->dispatcher().run_one();
      break;
    case scheduler_step::action::run_all:
      harness_->dispatcher().run_all();
      break;
    case scheduler_step::action::close:
      close();
      break;
    }
  }
  void perform(follow_up next) {
    if (next == follow_up::take_in) (void)timers().next_deadline();
    if (next == follow_up::poll) (void)timers().poll();
  }

  [[nodiscard]] scheduler_view view() {
    const scheduler_metrics said = timers().metrics();
    scheduler_view now{.log = log_,
                       .jobs = {},
                       .scheduled = said.scheduled_total,
                       .completed = said.completed_total,
                       .cancelled = said.cancelled_total,
                       .evicted = said.evicted_total,
                       .active = said.active_total,
                       .periodic = said.periodic_total,
                       .fired = said.fired_total,
                       .executed = said.executed_total,
                       .dropped = said.dropped_total,
                       .refused = said.refused_total,
                       .failures = said.handler_failures_total,
                       .queued = harness_->dispatcher().size(),
                       .next_deadline = {}};
    for (const auto& [number, handle] : handles_) {
      now.jobs[number] = handle.is_cancelled()   ? job_end::cancelled
                         : handle.is_completed() ? job_end::completed
                                                 : job_end::none;
    }
    return now;
  }
  [[nodiscard]] std::optional<std::uint64_t> next_deadline() {
    const auto next = timers().next_deadline();
    return next ? std::optional{next->count} : std::nullopt;
  }
  /// The complaints of the harness; empty if there are none.
  [[nodiscard]] std::string complaint() {
    std::string all;
    for (const testkit::verdict each : {harness_->check_invariants(), harness_->assert_monotonic()})
      if (!each) all += std::string{each.complaint} + "; ";
    return all;
  }
  /// Closes the scheduler, drops all handles, and returns what is left.
  [[nodiscard]] std::string complaint_at_the_end() {
    close();
    handles_.clear();
    const testkit::verdict left = harness_->check_nothing_left();
    return left ? std::string{} : left.complaint;
  }

private:
  using harness = testkit::scheduler_harness<wheel_slots, 64>;

  static scheduler_config config_of(const scheduler_shape& shape) {
    scheduler_config config;
    config.timing.overflow_capacity = shape.overflow;
    config.timing.batch_limit = shape.batch_limit;
    config.system_quota = shape.quota;
    return config;
  }
  static std::chrono::nanoseconds in_time(std::uint64_t quarters) {
    return std::chrono::nanoseconds{static_cast<std::int64_t>(quarters * quarter_ns)};
  }
  scheduler& timers() { return harness_->timers(); }

  auto callable(std::size_t number) {
    return [this, number](execution_batch batch) -> std::expected<void, int> {
      const std::uint64_t now = harness_->clock().now().ticks / quarter_ns;
      log_.push_back(execution_text(number, batch.runs, now));
      if (fails_[number]) return std::unexpected{1};
      return {};
    };
  }
  auto hook(std::size_t number) {
    return [this, number] { log_.push_back(hook_text(number)); };
  }
  void schedule(const scheduler_step& step) {
    const std::size_t number = fails_.size();
    fails_.push_back(step.fails);
    auto handle = step.mode == job_mode::once ? once(step, number) : periodic(step, number);
    if (handle) {
      log_.emplace_back("scheduled");
      handles_.emplace(number, *std::move(handle));
    } else {
      constexpr std::array names{"shutdown", "invalid_delay", "no_backlog", "quota_exceeded",
                                 "capacity_exceeded"};
      log_.emplace_back(names[static_cast<std::size_t>(handle.error())]);
      fails_.pop_back();
    }
  }
  std::expected<cancellable, scheduler_error> once(const scheduler_step& step, std::size_t number) {
    once_options options{.priority = step.priority};
    if (step.runs_at_end) options.at_shutdown = on_shutdown::run;
    if (step.has_hook) options.on_cancelled = hook(number);
    return timers().schedule_once(in_time(step.amount), callable(number), std::move(options));
  }
  std::expected<cancellable, scheduler_error> periodic(const scheduler_step& step,
                                                       std::size_t number) {
    periodic_options options{
        .priority = step.priority, .missed_runs = step.policy, .backlog_limit = step.backlog_limit};
    if (step.has_hook) options.on_cancelled = hook(number);
    const duration first = in_time(step.amount);
    const duration period = in_time(step.period);
    return step.mode == job_mode::fixed_rate
               ? timers().schedule_at_fixed_rate(first, period, callable(number),
                                                 std::move(options))
               : timers().schedule_with_fixed_delay(first, period, callable(number),
                                                    std::move(options));
  }
  void close() {
    timers().close();
    while (auto task = timers().next_close_task())
      (void)task->run();
    harness_->dispatcher().run_all();
    std::ranges::sort(log_);
  }

  std::vector<bool> fails_;
  std::vector<std::string> log_;
  std::unique_ptr<harness> harness_;  // it cannot be moved
  std::map<std::size_t, cancellable> handles_;
};

inline std::ostream& operator<<(std::ostream& out, const scheduler_shape& shape) {
  return out << "quota " << shape.quota << ", overflow " << shape.overflow << ", batch limit "
             << shape.batch_limit;
}

inline std::ostream& operator<<(std::ostream& out, const scheduler_step& step) {
  constexpr std::array names{"schedule", "cancel",  "drop",    "advance", "jump",
                             "poll",     "run_one", "run_all", "close"};
  constexpr std::array modes{"once", "at fixed rate", "with fixed delay"};
  constexpr std::array policies{"fold", "burst", "skip"};
  out << names[static_cast<std::size_t>(step.what)];
  switch (step.what) {
  case scheduler_step::action::schedule:
    out << ' ' << modes[static_cast<std::size_t>(step.mode)] << " in " << step.amount;
    if (step.mode != job_mode::once) {
      out << " every " << step.period << ' ' << policies[static_cast<std::size_t>(step.policy)]
          << " limit " << step.backlog_limit;
    }
    out << " rank " << static_cast<int>(step.priority) << (step.fails ? " fails" : "")
        << (step.runs_at_end ? " at end" : "") << (step.has_hook ? " hook" : "");
    break;
  case scheduler_step::action::cancel:
  case scheduler_step::action::drop:
    out << " job " << step.job;
    break;
  case scheduler_step::action::advance:
  case scheduler_step::action::jump:
    out << " by " << step.amount;
    break;
  default:
    break;
  }
  return out;
}

/// The differences; empty if there are none.
inline std::string difference(const scheduler_view& expected, const scheduler_view& found) {
  std::ostringstream out;
  const auto compare = [&out](const char* what, auto wanted, auto got) {
    if (wanted != got) out << what << " is " << got << ", not " << wanted << "; ";
  };
  compare("scheduled", expected.scheduled, found.scheduled);
  compare("completed", expected.completed, found.completed);
  compare("cancelled", expected.cancelled, found.cancelled);
  compare("evicted", expected.evicted, found.evicted);
  compare("active", expected.active, found.active);
  compare("periodic", expected.periodic, found.periodic);
  compare("fired", expected.fired, found.fired);
  compare("executed", expected.executed, found.executed);
  compare("dropped", expected.dropped, found.dropped);
  compare("refused", expected.refused, found.refused);
  compare("failures", expected.failures, found.failures);
  compare("queued", expected.queued, found.queued);
  compare("next deadline", expected.next_deadline.value_or(0), found.next_deadline.value_or(0));
  for (const auto& [number, end] : expected.jobs) {
    const auto other = found.jobs.find(number);
    if (other == found.jobs.end() || other->second != end) out << "job " << number << " differs; ";
  }
  if (expected.log != found.log) {
    out << "the log is";
    for (const auto& each : found.log)
      out << " [" << each << ']';
    out << ", not";
    for (const auto& each : expected.log)
      out << " [" << each << ']';
  }
  return out.str();
}

/// Applies `step` to both. Returns: the differences, if any.
inline std::string perform_on_both(const scheduler_step& step, asking next_deadline,
                                   scheduler_model& model, scheduler_subject& subject) {
  const follow_up next = model.perform(step, next_deadline);
  subject.perform(step);
  subject.perform(next);
  scheduler_view expected = model.view();
  scheduler_view found = subject.view();
  if (next != follow_up::nothing) {
    found.next_deadline = subject.next_deadline();
  } else {
    expected.next_deadline = std::nullopt;
  }
  return difference(expected, found) + subject.complaint();
}

}  // namespace tactor::property
