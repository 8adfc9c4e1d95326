// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/os/wait_on_word.hpp"

#include "tactor/port/port.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <limits>
#include <optional>

namespace tactor::inline v0::internal {
namespace {

static_assert(sizeof(port::atomic<std::uint32_t>) == sizeof(std::uint32_t),
              "the kernel compares the word itself");

timespec as_timespec(std::uint64_t ns) {
  constexpr std::uint64_t second_ns = 1'000'000'000;
  return {.tv_sec = static_cast<std::time_t>(ns / second_ns),
          .tv_nsec = static_cast<long>(ns % second_ns)};
}

void wake(port::atomic<std::uint32_t>& word, int most) noexcept {
  (void)::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, most, nullptr, nullptr, 0);
}

}  // namespace

wait_result wait_on_word(const port::atomic<std::uint32_t>& word, std::uint32_t seen,
                         std::optional<std::uint64_t> until_ns) noexcept {
  timespec until = {};
  if (until_ns) until = as_timespec(*until_ns);
  // FUTEX_WAIT_BITSET takes an absolute timeout, FUTEX_WAIT a relative one.
  const long result = ::syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, seen,
                                until_ns ? &until : nullptr, nullptr, FUTEX_BITSET_MATCH_ANY);
  if (result == 0 || errno == EAGAIN || errno == EINTR) return wait_result::woken;
  return errno == ETIMEDOUT ? wait_result::timed_out : wait_result::failed;
}

void wake_waiter(port::atomic<std::uint32_t>& word) noexcept {
  wake(word, 1);
}

void wake_waiters(port::atomic<std::uint32_t>& word) noexcept {
  wake(word, std::numeric_limits<int>::max());
}

}  // namespace tactor::inline v0::internal
