// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/mpsc_queue.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <mutex>

namespace tactor::inline v0::internal {

/// Jobs on their way from any thread to a few threads that sleep while there is none, in order.
/// `Mutex` and `Condition` are those of the standard library, or of the model checker.
///
/// Thread safety: everything from any thread; `push` and, if no thread sleeps, `wake_one` take no
/// lock.
///
/// inv 1  A thread that sleeps has counted itself in `sleeping_`, and has found the inbox empty
/// after
///        that; from the count until it sleeps it holds the mutex.
template <class Job, class Mutex, class Condition>
class shared_job_queue {
public:
  /// Returns: whether the queue was empty; then call `wake_one`.
  [[nodiscard]] bool push(Job& job) noexcept {
    return inbox_.push(job) == after_push::wake_consumer;
  }
  /// Wakes a thread that sleeps. That thread wakes the next if there is another job.
  void wake_one() noexcept {
    // seq_cst: the other half, see `wait`.
    if (sleeping_.load(seq_cst) == 0) return;  // pairs: pool.sleeping
    {
      const std::scoped_lock lock{mutex_};  // until the thread that counted itself sleeps
    }
    work_.notify_one();
  }

  /// Waits for the next job. Returns: null when the queue is draining and empty, or shut.
  [[nodiscard]] Job* wait() {
    std::unique_lock lock{mutex_};
    while (true) {
      if (shut_) return nullptr;
      if (Job* const job = pop()) {
        const bool more = !ready_.empty() || !inbox_.empty();
        if (more && idle_ > 0) work_.notify_one();  // each thread wakes the next
        return job;
      }
      if (draining_) return nullptr;
      // seq_cst: orders the count and the queue. This thread counts itself, then checks the queue;
      // a thread that pushes does it in reverse order, so one of the two sees the other.
      sleeping_.store(++idle_, seq_cst);  // pairs: pool.sleeping
      if (inbox_.empty()) work_.wait(lock);
      sleeping_.store(--idle_, relaxed);  // relaxed: with an old count a push only wakes in vain
    }
  }
  /// Returns the next job, or null.
  [[nodiscard]] Job* try_pop() {
    const std::scoped_lock lock{mutex_};
    return pop();
  }

  /// From now on a thread that finds no job does not wait.
  void drain() {
    const std::scoped_lock lock{mutex_};
    draining_ = true;
    work_.notify_all();
  }
  /// From now on `wait` returns no job.
  void shut() {
    const std::scoped_lock lock{mutex_};
    shut_ = true;
  }
  /// From now on no thread takes jobs by itself. A thread that pushes a job calls `is_over`
  /// afterwards, and ends what is left, as the caller does after this.
  void end() noexcept {
    // seq_cst: orders this and the queue: either the caller finds the job, or the thread that
    // pushed it sees this.
    over_.store(true, seq_cst);  // pairs: pool.over
  }
  [[nodiscard]] bool is_over() const noexcept {
    // seq_cst: the other half, see `end`.
    return over_.load(seq_cst);  // pairs: pool.over
  }
  /// Returns how many threads wait.
  [[nodiscard]] std::uint32_t sleeping() const noexcept {
    return sleeping_.load(relaxed);  // relaxed: a number
  }

private:
  Job* pop() {
    if (ready_.empty()) ready_ = inbox_.take_all();
    return ready_.pop();
  }

  mpsc_queue<Job> inbox_;
  // Written by: threads that wait. Read by: threads that push. Publishes: nothing; seq_cst against
  // the inbox.
  port::atomic<std::uint32_t> sleeping_;
  // Written by: end. Read by: threads that have pushed. Publishes: nothing; seq_cst against the
  // inbox.
  port::atomic<bool> over_;

  Mutex mutex_;
  Condition work_;  // a job has arrived, or the queue drains
  // protected by mutex_
  mpsc_chain<Job> ready_;
  std::uint32_t idle_ = 0;
  bool draining_ = false;
  bool shut_ = false;
};

}  // namespace tactor::inline v0::internal
