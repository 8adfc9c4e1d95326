// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/lock_guard.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/cell/thread_waiting.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace tactor::inline v0::internal {

class system_services;

/// Access to a system for threads that may outlive it. Type-stable: cells point to it for ever.
///
/// No lock is held inside: the call may lead to user code, which may send.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): there is one for a system
class system_gate {
public:
  constexpr system_gate() noexcept = default;

  /// `how`: how the thread that closes the gate sleeps; null: no other thread is ever inside then.
  /// Requires: the gate is closed; `how` stays for ever.
  void open(system_services& services, const thread_waiting* how) noexcept {
    const lock_guard guard{mutex_};
    for (share& each : sent_)
      each.count.store(0, relaxed);       // relaxed: a number
    services_.store(&services, relaxed);  // relaxed: the lock orders it
    how_.store(how, relaxed);             // relaxed: the lock orders it
  }
  /// Sleeps until the threads inside have left.
  void close() noexcept {
    {
      const lock_guard guard{mutex_};
      services_.store(nullptr, relaxed);  // relaxed: the lock orders it
    }
    sleep_until_empty();
  }
  /// Sleeps until the threads that are inside have left; the gate stays open. What the caller did
  /// before is seen by threads that step inside later. Requires: no other thread closes it, or
  /// calls this.
  void let_leave() noexcept {
    {
      const lock_guard guard{mutex_};
    }
    sleep_until_empty();
  }
  /// Calls `tell(system_services&)` from a thread outside of the system. Meanwhile the thread
  /// counts as a thread of the system, so nested calls do not enter again. Returns: false, and
  /// nothing was done, if the system no longer exists.
  template <class Tell>
  bool enter(thread_record& here, Tell tell) noexcept {
    system_services* const services = step_inside();
    if (services == nullptr) return false;
    system_services* const own = std::exchange(here.services, services);
    worker_counters* const counters = std::exchange(here.counters, nullptr);
    tell(*services);
    here.services = own;
    here.counters = counters;
    leave();
    return true;
  }
  /// Tells whether the gate belongs to `services`. Context: a thread of that system.
  [[nodiscard]] bool leads_to(const system_services* services) const noexcept {
    return services_.load(relaxed) ==
           services;  // relaxed: as long as the system has threads, the gate is its own
  }

  /// Counts a message that `here`, a thread without counters, sent to an actor of the system.
  void count_send(const thread_record* here) noexcept {
    sent_[share_of(here)].count.fetch_add(1, relaxed);  // relaxed: a number
  }
  /// Counts the messages since the gate was opened.
  [[nodiscard]] std::uint64_t sent() const noexcept {
    std::uint64_t sum = 0;
    for (const share& each : sent_)
      sum += each.count.load(relaxed);  // relaxed: a number
    return sum;
  }

  port::plain<system_gate*> next;  // in the list of unused gates

private:
  /// Threads that send at the same time mostly count in different shares.
  static constexpr std::size_t shares = port::sizes::send_counters;
  struct alignas(port::cache_line) share {
    // Written by: threads without counters; open. Read by: any. Publishes: nothing.
    port::atomic<std::uintptr_t> count;
  };
  static std::size_t share_of(const thread_record* here) noexcept {
    const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(here));
    return static_cast<std::size_t>((address * 0x9E37'79B9'7F4A'7C15U) >> 61U) % shares;
  }

  system_services* step_inside() noexcept {
    const lock_guard guard{mutex_};
    system_services* const services = services_.load(relaxed);  // relaxed: the lock orders it
    if (services != nullptr) inside_.fetch_add(1, relaxed);     // relaxed: the lock orders it
    return services;
  }
  /// Wakes a thread that closes the gate, if this one is the last.
  void leave() noexcept {
    if (inside_.fetch_sub(1, release) == (closing | 1U)) wake_closer();  // pairs: gate.inside
  }
  /// The closing thread may be gone by now, and the gate another system's: that one only looks
  /// again.
  void wake_closer() noexcept {
    const thread_waiting* const how = how_.load(relaxed);  // relaxed: as new as the system entered
    if (how != nullptr) how->wake(inside_);
  }
  /// Requires: no other thread calls it.
  void sleep_until_empty() noexcept {
    inside_.fetch_or(closing, relaxed);  // relaxed: the load below acquires
    std::uint32_t now = 0;
    while ((now = inside_.load(acquire)) != closing)  // pairs: gate.inside
      sleep_while(now);
    inside_.fetch_and(~closing, relaxed);  // relaxed: others only count in it
  }
  void sleep_while(std::uint32_t seen) noexcept {
    constexpr std::uint64_t never_ns = std::numeric_limits<std::int64_t>::max();
    const thread_waiting* const how = how_.load(relaxed);  // relaxed: of this thread's `open`
    if (how == nullptr) return port::cpu_relax();
    (void)how->sleep(inside_, seen, never_ns);
  }

  static constexpr std::uint32_t closing = 0x8000'0000;  // in `inside_`: a thread may sleep on it

  [[no_unique_address]] port::mutex mutex_;
  // Written by: open, close, under the lock. Read by: the lock's holder, threads of a system.
  // Publishes: nothing; the lock does.
  port::atomic<system_services*> services_;
  // Written by: open, under the lock. Read by: close, the last to leave. Publishes: nothing; it
  // points to a constant.
  port::atomic<const thread_waiting*> how_;
  // Counts the threads inside; interrupts never are. Written by: enter, under the lock and on
  // leaving, close. Read by: close. Publishes: work done inside.
  port::atomic<std::uint32_t> inside_;
  share sent_[shares];
};

/// Calls `tell` with the system that `gate` leads to, or with this thread's system if `gate` is
/// null. Returns: false, and nothing was done, if there is no such system.
template <class Tell>
bool tell_services(thread_record& here, system_gate* gate, Tell tell) noexcept {
  if (here.services == nullptr || (gate != nullptr && !gate->leads_to(here.services)))
    return gate != nullptr && gate->enter(here, tell);
  tell(*here.services);
  return true;
}
/// Does the same with the system of `to`, or with this thread's system if `to` is null.
template <class Tell>
bool tell_services(thread_record& here, cell* to, Tell tell) noexcept {
  // relaxed: see system_gate
  return tell_services(here, to == nullptr ? nullptr : to->gate.load(relaxed), std::move(tell));
}

}  // namespace tactor::inline v0::internal
