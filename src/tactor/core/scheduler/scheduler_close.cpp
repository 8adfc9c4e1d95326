// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/assert.hpp"
#include "tactor/base/lock_guard.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/timing/deadline.hpp"

#include <span>
#include <utility>

// Closing: no new timers, waiting timers are cancelled, then the close tasks run in order.
namespace tactor::inline v0 {

using namespace internal;

scheduler::~scheduler() {
  close();
  (void)give_up_close_tasks();
  take_commands(wheel_.position());
  hand_out_all();
}

// The task is moved without the lock: that is user code.
std::expected<void, close_task_error> scheduler::on_close(close_priority priority,
                                                          small_task task) noexcept {
  TACTOR_ASSERT(priority <= close_priority::user, panics::timer_options);
  close_task* fresh = nullptr;
  {
    const lock_guard locked{close_mutex_};
    if (store_.closed.load(relaxed)) {  // relaxed: the mutex orders it
      return std::unexpected{close_task_error::shutdown};
    }
    if (close_task_count_ == close_tasks_.size()) return std::unexpected{close_task_error::full};
    fresh = &close_tasks_[close_task_count_++];
  }
  fresh->task_ = std::move(task);
  fresh->priority_ = priority;
  {
    const lock_guard locked{close_mutex_};
    fresh->registered_ = !store_.closed.load(relaxed);  // relaxed: the mutex orders it
    if (fresh->registered_) return {};
  }
  fresh->task_ = {};
  return std::unexpected{close_task_error::shutdown};
}

/// Takes back a job that no other thread knows yet. Returns: false if close() has ended it.
bool scheduler::take_back(timer_record& record) noexcept {
  const auto taken_back = record.update([](timer_word word) -> std::optional<timer_word> {
    if (word.state() != timer_state::pending) return std::nullopt;
    return timer_word::taken_back();
  });
  if (!taken_back.made) return false;
  if (taken_back.before.periodic())
    store_.live_periodic.fetch_sub(1, relaxed);   // relaxed: a number
  store_.totals.scheduled.fetch_sub(1, relaxed);  // relaxed: a number
  record.destroy_payload();
  if (taken_back.before.far())
    store_.far_coming[record.rank()].fetch_sub(1, relaxed);  // relaxed: a number
  store_.release_place(record.owner());
  store_.give_back_fresh(record);
  return true;
}

std::size_t scheduler::close() noexcept {
  const std::size_t cancelled = end_all();
  hand_out_all();
  return cancelled;
}

std::size_t scheduler::end_all() noexcept {
  {
    const lock_guard locked{close_mutex_};
    // seq_cst: ties `closed` to the words of fresh jobs; see publish.
    if (store_.closed.exchange(true, seq_cst)) return 0;  // pairs: timer.closed
  }
  std::size_t cancelled = 0;
  for (timer_record& record : store_.used_records()) {
    // seq_cst: the other half; a job not seen here sees that the scheduler has closed. The word is
    // read first: a count of holds read without it may be stale.
    const timer_word seen{record.word.load(seq_cst)};  // pairs: timer.word
    if (!seen.cancellable() || !record.try_hold()) continue;
    if (record.now().cancellable()) {  // this job, or a later published one
      if (record.runs_at_shutdown()) {
        claim_for_close(record);
      } else if (cancel_for_close(record)) {
        ++cancelled;
      }
    }
    record.let_go();
  }
  take_commands(wheel_.position());
  count_waiting();
  return cancelled;
}

/// Cancels a job without running user code. Returns: whether this call did it.
bool scheduler::cancel_for_close(timer_record& record) noexcept {
  const auto ended = end(record, &timer_totals::cancelled);
  if (!ended.made) return false;
  wheel_.cancel(record);
  store_.report_end(record, ended);
  return true;
}

/// Takes a waiting job away from the driver, to run it as a close task. A posted message arrives
/// anyway; a posted callable may wait behind a callable that never returns: see
/// `take_from_dispatcher`.
void scheduler::claim_for_close(timer_record& record) noexcept {
  record.hold();
  const auto claimed = record.update([](timer_word word) -> std::optional<timer_word> {
    if (!word.cancellable() || word.posted()) return std::nullopt;
    return word.claimed_for_close();
  });
  if (claimed.made) {
    store_.report_end(record, claimed);
    (void)store_.close_timers.push(record);
  } else {
    record.let_go();
  }
}

/// The next callable that runs at shutdown and is due, but has not begun; null: there is none.
/// Requires: the claimed timers have been given out, because they are posted, too.
timer_record* scheduler::take_from_dispatcher() noexcept {
  const auto waits = [](timer_word word) {
    return word.posted() && word.state() == timer_state::scheduled;
  };
  const std::span<timer_record> records = store_.used_records();
  while (close_position_ < records.size()) {
    timer_record& record = records[close_position_++];
    if (!waits(record.now()) || !record.try_hold()) continue;
    const bool mine = waits(record.now()) && record.runs_at_shutdown() &&
                      !record.target().is_message() && record.begin_for_close();
    if (mine) return &record;
    record.let_go();
  }
  return nullptr;
}

/// Finds the next close task: a registered task, or a timer in `timer`. Requires: the mutex is
/// held.
close_task* scheduler::find_close_task(close_task& timer) noexcept {
  const auto registered = [&](close_priority priority) -> close_task* {
    for (close_task& each : close_tasks_.first(close_task_count_))
      if (each.registered_ && each.priority_ == priority) return &each;
    return nullptr;
  };
  if (close_task* const next = registered(close_priority::critical)) return next;
  if (close_task* const next = registered(close_priority::system)) return next;
  if (close_timers_.empty()) close_timers_ = store_.close_timers.take_all();
  if (timer_job* const claimed = close_timers_.pop()) {
    timer.timer_ = static_cast<timer_record*>(claimed);
    return &timer;
  }
  if (timer_record* const posted = take_from_dispatcher()) {
    timer.timer_ = posted;
    timer.begun_ = true;
    return &timer;
  }
  return registered(close_priority::user);
}

std::optional<close_task> scheduler::next_close_task() noexcept {
  std::optional<close_task> next{std::in_place};
  close_task* found = nullptr;
  {
    const lock_guard locked{close_mutex_};
    found = find_close_task(*next);
    if (found == nullptr) return std::nullopt;
    found->registered_ = false;
    next->number_ = ++close_tasks_given_out_;
  }
  if (found == &*next) return next;
  next->task_ = std::move(found->task_);  // without the lock: user code
  next->priority_ = found->priority_;
  return next;
}

void scheduler::give_up(const close_task& task) noexcept {
  report_failed(task);
  task.give_up();
}

std::size_t scheduler::give_up_close_tasks() noexcept {
  std::size_t given_up = 0;
  for (; const auto left = next_close_task(); ++given_up)
    give_up(*left);
  return given_up;
}

void scheduler::report_failed(const close_task& task) noexcept {
  store_.warn(
      {.kind = scheduler_event_kind::task_run_failed, .at = store_.now(), .value = task.number_});
}

/// Cancels a timer that will not run any more; its hook is dispatched as usual.
void close_task::give_up() const noexcept {
  if (timer_ == nullptr) return;
  if (begun_) {
    timer_->end_begun();
    return;
  }
  timer_->cancel();
  (void)timer_->begin();
}

run_result close_task::run() noexcept {
  if (timer_ == nullptr) return task_();
  if (begun_) return timer_->run_for_close();
  if (!timer_->target().is_message()) return timer_->run();
  timer_->hand_out();
  return {};
}

}  // namespace tactor::inline v0
