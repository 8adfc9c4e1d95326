// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <signal.h>  // IWYU pragma: keep (sigset_t)

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace tactor::inline v0::internal {

/// Names the calling thread `tactor-ROLE`; the system keeps 15 characters. Its signal mask stays
/// that of the thread that created it.
void set_up_thread(std::string_view role) noexcept;
/// Names the calling thread as one of several: `tactor-ROLE-3`.
void set_up_thread(std::string_view role, std::uint32_t number) noexcept;

/// Lets the timeouts of the calling thread's sleeps end when they are due. Without it the system
/// may end them some 50 µs later, together with others.
void sleep_exactly() noexcept;

/// Calls `call` when the calling thread ends, after the destructors of its `thread_local` objects;
/// once more if `call` leads to another call of this function. Without effect if the system has no
/// room for it. Requires: all calls in the program name the same function. Context: any thread, any
/// number of times.
void at_thread_end(void (*call)() noexcept) noexcept;

/// Returns a value that differs between threads that run at the same time.
[[nodiscard]] std::uintptr_t this_thread_mark() noexcept;

/// A set of signals, as the operating system has it.
using signal_set = sigset_t;  // NOLINT(misc-include-cleaner): <signal.h>, by way of another header

/// Returns the signal mask of the calling thread.
[[nodiscard]] signal_set signal_mask() noexcept;
/// Gives the calling thread this signal mask, which programs that it starts inherit.
void set_signal_mask(const signal_set& mask) noexcept;

/// Returns the number of processors that the calling thread may use; at least 1.
/// (`std::thread::hardware_concurrency` reads a file, and counts those that are denied to the
/// process, too.)
[[nodiscard]] std::uint32_t usable_processors() noexcept;
/// Returns the numbers of these processors; empty: they are unknown. Throws: std::bad_alloc.
[[nodiscard]] std::vector<std::uint32_t> usable_processor_numbers();

/// Binds the calling thread to one processor. Returns: false if that fails.
bool stay_on_processor(std::uint32_t processor) noexcept;

/// Returns the number of the processor on which the calling thread runs. A hint: the system may
/// move the thread at any time.
[[nodiscard]] std::uint32_t processor_here() noexcept;
/// Moves the calling thread to another processor if it runs on this one and may use another.
/// Afterwards it may use the processors that it might use before, and not those that the process
/// gets later.
void leave_processor(std::uint32_t processor) noexcept;

/// Marks the calling thread as working for `owner` until destroyed, so that the owner detects a
/// call that would wait for itself. Context: any thread; destroyed on the thread that created it,
/// after the marks that were created later.
class thread_mark {
public:
  explicit thread_mark(const void* owner) noexcept
      : owner_(owner), before_(std::exchange(newest, this)) {}
  ~thread_mark() { newest = before_; }
  thread_mark(const thread_mark&) = delete;
  thread_mark& operator=(const thread_mark&) = delete;

  /// Returns true if the calling thread works for `owner`, among others.
  [[nodiscard]] static bool stands_for(const void* owner) noexcept {
    const thread_mark* each = newest;
    while (each != nullptr && each->owner_ != owner)
      each = each->before_;
    return each != nullptr;
  }

private:
  static inline thread_local const thread_mark* newest = nullptr;

  const void* owner_;
  const thread_mark* before_;
};

}  // namespace tactor::inline v0::internal
