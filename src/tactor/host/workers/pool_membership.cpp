// SPDX-License-Identifier: BSL-1.0
// Opens and closes a coordinator; its workers attach, drain and detach.
#include "tactor/base/assert.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/host/workers/pool_settings.hpp"
#include "tactor/host/workers/pool_worker.hpp"
#include "tactor/host/workers/work_stealing_coordinator.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstdint>
#include <new>  // IWYU pragma: keep (placement new)

namespace tactor::inline v0::internal {
namespace {

constinit TACTOR_THREAD_LOCAL pool_worker* worker_here = nullptr;

}  // namespace

// Opening and closing.

bool work_stealing_coordinator::open(const pool_settings& settings) noexcept {
  TACTOR_ASSERT(settings.workers >= 1 && settings.workers <= most_workers, panics::pool_size);
  const pool_lock guard{mutex_};
  TACTOR_ASSERT(workers() == 0, panics::pool_in_use);
  if (!make_workers(settings.workers, *settings.pages)) return false;
  expected_.set(settings.workers);
  for (std::uint32_t number = 0; number < settings.workers; ++number)
    workers_[number]->left.set(false);
  kind_ = settings.kind;
  pages_ = settings.pages;
  waiting_ = settings.waiting;
  shutting_down_.set(false);
  share_.set(1);
  return true;
}

// Publishes the number of workers only if there is memory for all.
bool work_stealing_coordinator::make_workers(std::uint32_t count, page_source& pages) noexcept {
  for (std::uint32_t number = workers(); number < count; ++number) {
    if (workers_[number] != nullptr) continue;
    void* const storage = pages.allocate(sizeof(pool_worker), alignof(pool_worker));
    if (storage == nullptr) return false;
    workers_[number] = ::new (storage) pool_worker{*this, number};
  }
  // no mutant: as in `workers`
  if (count > workers()) count_.store(count, release);  // pairs: pool.count
  return true;
}

// Workers that come and go.

bool work_stealing_coordinator::grow(std::uint32_t workers) noexcept {
  TACTOR_ASSERT(workers <= most_workers, panics::pool_size);
  const pool_lock guard{mutex_};
  return make_workers(workers, *pages_);
}

void work_stealing_coordinator::expect_attach(std::uint32_t number) noexcept {
  const pool_lock guard{mutex_};
  pool_worker& whom = *workers_[number];
  TACTOR_ASSERT(number < workers() && !whom.attached.get(), panics::pool_size);
  whom.left.set(false);
  whom.draining.store(false, relaxed);  // relaxed: a hint
  expected_.set(expected_.get() + 1);
}

void work_stealing_coordinator::cancel_attach(std::uint32_t number) noexcept {
  const pool_lock guard{mutex_};
  workers_[number]->left.set(true);  // there is no thread whose drain could be cancelled
  expected_.set(expected_.get() - 1);
}

void work_stealing_coordinator::drain_worker(std::uint32_t number) noexcept {
  deferred_wakes calls;
  const pool_lock guard{mutex_};
  pool_worker& whom = *workers_[number];
  whom.draining.store(true, relaxed);  // relaxed: checked under the lock
  if (asleep_.contains(number)) wake(whom, calls);
}

bool work_stealing_coordinator::cancel_drain(std::uint32_t number) noexcept {
  const pool_lock guard{mutex_};
  pool_worker& whom = *workers_[number];
  if (whom.left.get()) return false;
  whom.draining.store(false, relaxed);  // relaxed: checked under the lock
  return true;
}

void work_stealing_coordinator::shut_down() noexcept {
  std::array<port::atomic<std::uint32_t>*, most_workers> wake_words{};
  std::uint32_t count = 0;
  void (*wake_thread)(port::atomic<std::uint32_t>&) noexcept = nullptr;
  {
    const pool_lock guard{mutex_};
    shutting_down_.set(true);
    wake_thread = waiting_.wake;
    while (pool_worker* const each = sleeper()) {
      note_asleep(*each, false);
      // no mutant: the worker takes the lock before it looks; it is released as in `wake`
      each->wake_word.store(wake_word_awake, release);  // pairs: pool.wake_word
      wake_words[count++] = &each->wake_word;
    }
  }
  for (std::uint32_t i = 0; i < count; ++i)
    wake_thread(*wake_words[i]);
}

void work_stealing_coordinator::close() noexcept {
  const pool_lock guard{mutex_};
  TACTOR_ASSERT(attached_.get() == 0 && !anything_injected(), panics::pool_in_use);
  count_.store(0, relaxed);  // relaxed: the lock orders it
}

pool_worker& work_stealing_coordinator::attach(std::uint32_t number) noexcept {
  deferred_wakes calls;
  const pool_lock guard{mutex_};
  TACTOR_ASSERT(number < workers() && !workers_[number]->attached.get(), panics::pool_size);
  pool_worker& here = *workers_[number];
  here.attached.set(true);
  attached_.set(attached_.get() + 1);
  attached_hint_.store(attached_.get(), relaxed);  // relaxed: a hint
  here.blocking = kind_ == pool_kind::blocking;
  here.slot_limit = here.progress.value() + slot_budget;
  here.budget_kept = 0;
  unpark(here, calls);
  worker_here = &here;
  this_thread().may_block = here.blocking;
  return here;
}

void work_stealing_coordinator::detach(pool_worker& here) noexcept {
  deferred_wakes calls;
  const pool_lock guard{mutex_};
  while (ready_cell* const each = here.inbox.pop())
    injected_.push(*each);
  here.inbox_filled.store(false, relaxed);  // relaxed: a hint
  if (ready_cell* const each = here.take_next()) injected_.push(*each);
  while (ready_cell* const each = here.ring.pop())
    injected_.push(*each);
  if (!injected_.empty()) share_out();
  here.attached.set(false);
  here.draining.store(false, relaxed);  // relaxed: a hint
  attached_.set(attached_.get() - 1);
  expected_.set(expected_.get() - 1);
  attached_hint_.store(attached_.get(), relaxed);  // relaxed: a hint
  worker_here = nullptr;
  this_thread().next = {};
  this_thread().may_block = false;
  if (anything_injected()) wake_for_injected(calls);
}

pool_worker* work_stealing_coordinator::here() const noexcept {
  pool_worker* const worker = worker_here;
  return worker != nullptr && worker->pool == this ? worker : nullptr;
}

}  // namespace tactor::inline v0::internal
