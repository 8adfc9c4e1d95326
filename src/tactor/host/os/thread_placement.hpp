// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sched.h>

#include <cstdint>

namespace tactor::inline v0::internal {

/// The processor on which the calling thread runs. A hint: the system may move the thread at any time.
[[nodiscard]] std::uint32_t processor_here() noexcept;

/// Keeps a thread off one of the processors that it may use, for a while. What others say about the processors
/// of the thread, before or meanwhile, stays as they said it. Context: the thread.
class processor_ban {
public:
  /// From now on the thread does not run on `processor`; if it does so now, it moves before this returns. Replaces
  /// an earlier ban. Without effect if the thread may not use `processor` anyway, or no other one, or if the
  /// system refuses.
  void begin(std::uint32_t processor) noexcept;
  /// The thread may run there again. Without effect if there is no ban.
  void end() noexcept;

private:
  bool find_usual() noexcept;

  bool is_active_ = false;
  bool is_free_ = false;  // `usual_` is all that the process may use: nobody restricted the thread
  cpu_set_t usual_{};     // without the ban
  cpu_set_t reduced_{};   // with it
};

}  // namespace tactor::inline v0::internal
