// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/workers/host_dispatchers.hpp"

#include "tactor/host/os/thread_setup.hpp"

#include <exception>

namespace tactor::inline v0::internal {

void host_dispatchers::open(system_core& system, worker_hub& hub,
                            const std::shared_ptr<const void>& keep) {
  const std::scoped_lock lock{mutex_};
  system_ = &system;
  hub_ = &hub;
  keep_ = keep;
  mask_ = signal_mask();
}

ready_queue_coordinator* host_dispatchers::choose(dispatcher which) noexcept {
  if (which != dispatcher::pinned && which != dispatcher::blocking) return nullptr;
  const std::scoped_lock lock{mutex_};
  if (system_ == nullptr) return nullptr;
  try {
    if (which == dispatcher::pinned) return &pin().coordinator();
    if (blocking_ == nullptr) blocking_ = start(blocking_threads_, "block", 0);
    return &blocking_->coordinator();
  } catch (const std::exception&) {
    return nullptr;  // there is no memory, or no thread
  }
}

job_dispatcher& host_dispatchers::callables_of(const ready_queue_coordinator& chosen) noexcept {
  const std::scoped_lock lock{mutex_};
  const bool blocks = blocking_ != nullptr && &blocking_->coordinator() == &chosen;
  return blocks ? blocking_callables_ : pinned_callables_;
}

void host_dispatchers::release(ready_queue_coordinator& chosen) noexcept {
  const std::scoped_lock lock{mutex_};
  for (const auto& each : pinned_) {
    if (&each->coordinator() == &chosen) each->shut_down();
  }
}

ready_queue_usage host_dispatchers::usage() noexcept {
  ready_queue_usage all;
  for_each([&](const worker_threads& each) {
    const ready_queue_usage its = each.coordinator().usage();
    all.cells += its.cells;
    all.bytes += its.bytes;
  });
  return all;
}

bool host_dispatchers::close(std::chrono::steady_clock::time_point until) noexcept {
  {
    const std::scoped_lock lock{mutex_};
    system_ = nullptr;
  }
  // From now on no thread changes `blocking_` or `pinned_`.
  if (blocking_ != nullptr) blocking_->shut_down();
  for (const auto& each : pinned_)
    each->shut_down();
  bool all = blocking_ == nullptr || blocking_->join(until);
  for (const auto& each : pinned_)
    all = each->join(until) && all;
  return all;
}

std::unique_ptr<worker_threads> host_dispatchers::start(std::uint32_t threads, const char* role,
                                                        std::uint32_t first_number) {
  auto made = std::make_unique<worker_threads>(threads, pool_kind::blocking, role, first_number);
  try {
    made->start(*system_, *hub_, keep_.lock(), mask_, false);
  } catch (...) {
    made->shut_down();
    (void)made->join(std::chrono::steady_clock::time_point::max());
    throw;
  }
  return made;
}

worker_threads& host_dispatchers::pin() {
  forget_ended();
  std::unique_ptr<worker_threads>& made =
      pinned_.emplace_back();  // before there is a thread to lose
  try {
    made = start(1, "pin", pins_made_++);
  } catch (...) {
    pinned_.pop_back();
    throw;
  }
  return *made;
}

/// Removes the threads of pinned actors that have ended.
void host_dispatchers::forget_ended() noexcept {
  std::erase_if(pinned_, [](const std::unique_ptr<worker_threads>& each) {
    return each->ended() && each->join(std::chrono::steady_clock::now());
  });
}

}  // namespace tactor::inline v0::internal
