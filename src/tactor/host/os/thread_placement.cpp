// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/os/thread_placement.hpp"

#include <sched.h>

#include <cstdint>
#include <cstring>

namespace tactor::inline v0::internal {
namespace {

// It fails where there are more than 1024 processors.
bool read_allowed(cpu_set_t& into) noexcept {
  CPU_ZERO(&into);
  return ::sched_getaffinity(0, sizeof into, &into) == 0;
}
bool allow(const cpu_set_t& these) noexcept {
  return ::sched_setaffinity(0, sizeof these, &these) == 0;
}
// The system reduces it to what the process may use.
bool allow_all() noexcept {
  cpu_set_t all;
  std::memset(&all, 0xff, sizeof all);
  return allow(all);
}

}  // namespace

std::uint32_t processor_here() noexcept {
  return static_cast<std::uint32_t>(::sched_getcpu());
}

// Finds out what the thread may use, and whether that is a restriction of its own. If it is not, all processors are
// allowed after a ban, and not those of this moment: the process may get more later.
bool processor_ban::find_usual() noexcept {
  cpu_set_t now;
  if (!read_allowed(now)) return false;
  if (CPU_EQUAL(&now, &usual_)) return true;
  usual_ = now;
  is_free_ = CPU_COUNT(&now) > 1 && allow_all() && read_allowed(now) && CPU_EQUAL(&now, &usual_);
  return is_free_ || allow(usual_);
}

void processor_ban::begin(std::uint32_t processor) noexcept {
  end();
  if (processor >= CPU_SETSIZE || !find_usual()) return;
  reduced_ = usual_;
  CPU_CLR(processor, &reduced_);
  if (CPU_EQUAL(&reduced_, &usual_) || CPU_COUNT(&reduced_) == 0) return;
  is_active_ = allow(reduced_);
}

void processor_ban::end() noexcept {
  if (!is_active_) return;
  is_active_ = false;
  cpu_set_t now;
  if (!read_allowed(now) || !CPU_EQUAL(&now, &reduced_))
    return;  // somebody else has decided meanwhile
  (void)(is_free_ ? allow_all() : allow(usual_));
}

}  // namespace tactor::inline v0::internal
