// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/os/thread_setup.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tactor::inline v0::internal {
namespace {

constexpr std::size_t longest = 16;  // of a thread's name, its end included

void set_name(const char* name) noexcept {
  (void)::pthread_setname_np(::pthread_self(), name);
}

}  // namespace

void set_up_thread(std::string_view role) noexcept {
  char name[longest];
  (void)std::snprintf(name, sizeof name, "tactor-%.*s", static_cast<int>(role.size()), role.data());
  set_name(name);
}

void set_up_thread(std::string_view role, std::uint32_t number) noexcept {
  std::string name = "tactor-";  // short strings: no allocation
  std::string end = "-";         // no operator+: GCC 12 warns of an overlapping copy
  end += std::to_string(number);
  // The number distinguishes the threads: cut the role instead.
  name += role.substr(0, longest - 1 - name.size() - end.size());
  name += end;
  set_name(name.c_str());
}

void sleep_exactly() noexcept {
  (void)::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

void at_thread_end(void (*call)() noexcept) noexcept {
  static const auto key = [] {
    pthread_key_t made{};
    const auto end = [](void* told) { reinterpret_cast<void (*)() noexcept>(told)(); };
    return ::pthread_key_create(&made, end) == 0 ? std::optional{made} : std::nullopt;
  }();
  if (key) (void)::pthread_setspecific(*key, reinterpret_cast<void*>(call));
}

std::uintptr_t this_thread_mark() noexcept {
  thread_local char mark = 0;
  return reinterpret_cast<std::uintptr_t>(&mark);
}

signal_set signal_mask() noexcept {
  signal_set mask;
  (void)::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return mask;
}

void set_signal_mask(const signal_set& mask) noexcept {
  (void)::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

std::uint32_t usable_processors() noexcept {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  // It fails where there are more than 1024.
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    return static_cast<std::uint32_t>(std::max(1, CPU_COUNT(&allowed)));
  return std::max(1U, std::thread::hardware_concurrency());
}

std::vector<std::uint32_t> usable_processor_numbers() {
  std::vector<std::uint32_t> numbers;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return numbers;
  for (std::uint32_t number = 0; number < CPU_SETSIZE; ++number)
    if (CPU_ISSET(number, &allowed)) numbers.push_back(number);
  return numbers;
}

bool stay_on_processor(std::uint32_t processor) noexcept {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(processor, &only);
  return ::pthread_setaffinity_np(::pthread_self(), sizeof only, &only) == 0;
}

std::uint32_t processor_here() noexcept {
  return static_cast<std::uint32_t>(::sched_getcpu());
}

void leave_processor(std::uint32_t processor) noexcept {
  if (processor != processor_here() || processor >= CPU_SETSIZE) return;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  // It fails where there are more than 1024.
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  cpu_set_t others = allowed;
  CPU_CLR(processor, &others);
  if (CPU_COUNT(&others) == 0) return;
  if (::sched_setaffinity(0, sizeof others, &others) == 0)
    (void)::sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace tactor::inline v0::internal
