// SPDX-License-Identifier: BSL-1.0
// Replaces what allocates memory and starts threads. The linker redirects the calls of these
// functions (CMakeLists.txt), also under a sanitizer, which has functions of its own there.
#include "failing_resources.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <limits>
#include <new>
#include <system_error>

namespace tactor::faults {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

std::atomic<std::size_t> asked = 0;
std::atomic<std::size_t> failing = none;
std::atomic<std::size_t> too_large = none;
std::atomic<bool> no_threads = false;

}  // namespace

bool request_fails(resource what) noexcept {
  const bool this_one = asked.fetch_add(1) == failing.load();
  return this_one || (what == resource::thread && no_threads.load());
}

void fail_request(std::size_t number) noexcept {
  asked = 0;
  failing = number;
}
void fail_all_threads() noexcept {
  no_threads = true;
}
void fail_large_requests(std::size_t bytes) noexcept {
  too_large = bytes;
}
bool is_too_large(std::size_t bytes) noexcept {
  return bytes >= too_large.load();
}
void fail_nothing() noexcept {
  failing = none;
  too_large = none;
  no_threads = false;
}
std::size_t requests() noexcept {
  return asked;
}

}  // namespace tactor::faults

using tactor::faults::is_too_large;
using tactor::faults::request_fails;
using tactor::faults::resource;

// The linker's option --wrap=NAME calls __wrap_NAME instead of NAME, which becomes __real_NAME.
#define TACTOR_WRAPPED(result, call, name, parameters)                                             \
  result real_##call parameters asm("__real_" name);                                               \
  result wrap_##call parameters asm("__wrap_" name);                                               \
  result wrap_##call parameters

extern "C" {
TACTOR_WRAPPED(void*, new, "_Znwm", (std::size_t size)) {
  if (request_fails()) throw std::bad_alloc{};
  return real_new(size);
}
TACTOR_WRAPPED(void*, new_aligned, "_ZnwmSt11align_val_t",
               (std::size_t size, std::align_val_t alignment)) {
  if (request_fails()) throw std::bad_alloc{};
  return real_new_aligned(size, alignment);
}
TACTOR_WRAPPED(void*, try_new, "_ZnwmRKSt9nothrow_t",
               (std::size_t size, const std::nothrow_t& nothrow)) {
  return request_fails() ? nullptr : real_try_new(size, nothrow);
}
TACTOR_WRAPPED(void*, try_new_aligned, "_ZnwmSt11align_val_tRKSt9nothrow_t",
               (std::size_t size, std::align_val_t alignment, const std::nothrow_t& nothrow)) {
  return request_fails() ? nullptr : real_try_new_aligned(size, alignment, nothrow);
}
// Asio allocates with it.
TACTOR_WRAPPED(void*, aligned_alloc, "aligned_alloc", (std::size_t alignment, std::size_t size)) {
  return request_fails() ? nullptr : real_aligned_alloc(alignment, size);
}
TACTOR_WRAPPED(void*, mmap, "mmap",
               (void* at, std::size_t size, int access, int flags, int file, ::off_t from)) {
  if (!request_fails() && !is_too_large(size))
    return real_mmap(at, size, access, flags, file, from);
  errno = ENOMEM;
  return MAP_FAILED;
}
// std::thread::_M_start_thread, which the constructor of std::thread calls.
TACTOR_WRAPPED(
    void, start_thread,
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
    (void* thread, void* state, void (*depend)())) {
  if (request_fails(resource::thread))
    throw std::system_error{EAGAIN, std::generic_category(), "no more threads"};
  real_start_thread(thread, state, depend);
}
}
