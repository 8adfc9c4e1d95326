// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <signal.h>  // IWYU pragma: keep (sigset_t)

#include <cstdint>
#include <string_view>
#include <vector>

namespace tactor::inline v0::internal {

/// Names the calling thread `tactor-ROLE`; the system keeps 15 characters. Its signal mask stays that
/// of the thread that created it.
void set_up_thread(std::string_view role) noexcept;
/// Likewise for one thread of several: `tactor-ROLE-3`.
void set_up_thread(std::string_view role, std::uint32_t number) noexcept;

/// A value that differs between threads that run at the same time.
[[nodiscard]] std::uintptr_t this_thread_mark() noexcept;

/// A set of signals, as the operating system has it.
using signal_set = sigset_t;  // NOLINT(misc-include-cleaner): <signal.h>, by way of another header

/// The signal mask of the calling thread.
[[nodiscard]] signal_set signal_mask() noexcept;
/// Gives the calling thread this signal mask, which programs that it starts inherit.
void set_signal_mask(const signal_set& mask) noexcept;

/// How many processors the calling thread may use; at least 1. (`std::thread::hardware_concurrency` reads
/// a file, and counts those that are denied to the process, too.)
[[nodiscard]] std::uint32_t usable_processors() noexcept;
/// The numbers of these processors; empty: they are unknown. Throws: std::bad_alloc.
[[nodiscard]] std::vector<std::uint32_t> usable_processor_numbers();

/// Binds the calling thread to one processor. Returns: false if that fails.
bool stay_on_processor(std::uint32_t processor) noexcept;

}  // namespace tactor::inline v0::internal
