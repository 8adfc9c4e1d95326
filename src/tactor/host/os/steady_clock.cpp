// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/os/steady_clock.hpp"

#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/host/os/counter_stamp.hpp"
#include "tactor/port/port.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tactor::inline v0 {
namespace {

enum class counter_use : std::uint8_t { unknown, not_usable, usable };
// Written by: the first to ask. Read by: all threads. Publishes: nothing.
constinit port::atomic<counter_use> use_of_counter{counter_use::unknown};

std::uint64_t clock_ns() noexcept {
  const auto since_origin = std::chrono::steady_clock::now().time_since_epoch();
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(since_origin).count();
  return static_cast<std::uint64_t>(ns);
}

struct this_machine {
  static std::uint64_t count() noexcept { return port::cycle_count(); }
  static std::uint64_t clock_ns() noexcept { return v0::clock_ns(); }
  static bool counter_drives_clock() noexcept {
    return use_of_counter.load(relaxed) == counter_use::usable;  // relaxed: a hint
  }
};

constinit thread_local internal::counter_stamp stamp_of_thread;

bool counter_drives_clock() noexcept {
  constexpr std::string_view wanted = port::cycle_clock;
  if (wanted.empty()) return false;
  const int file = ::open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                          O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char name[32];
  const ::ssize_t length = ::read(file, name, sizeof name);
  (void)::close(file);
  if (length <= 0) return false;
  std::string_view found{name, static_cast<std::size_t>(length)};
  if (found.ends_with('\n')) found.remove_suffix(1);
  return found == wanted;
}

}  // namespace

namespace host {

timer_instant steady_clock::now() const noexcept {
  return {.ticks = clock_ns(), .resolution_ns = 1};
}

timer_instant steady_clock::stamp() const noexcept {
  return {.ticks = stamp_of_thread.read(this_machine{}), .resolution_ns = 1};
}

}  // namespace host

namespace internal {

void find_clock_counter() noexcept {
  // relaxed: two that ask find the same
  if (use_of_counter.load(relaxed) != counter_use::unknown) return;
  const counter_use found = counter_drives_clock() ? counter_use::usable : counter_use::not_usable;
  use_of_counter.store(found, relaxed);  // relaxed: a hint
}

}  // namespace internal
}  // namespace tactor::inline v0
