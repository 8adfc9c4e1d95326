// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/timers/memory_ahead.hpp"

#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/host/os/futex.hpp"
#include "tactor/host/os/thread_setup.hpp"
#include "tactor/port/port.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <thread>

namespace tactor::inline v0::internal {
namespace {

constexpr int populate_write = 23;  // MADV_POPULATE_WRITE, since Linux 5.14: old headers lack it

std::uintptr_t address_of(const timer_record* record) {
  return reinterpret_cast<std::uintptr_t>(record);
}

/// Makes pages of zeros: a large one if there is one. Returns: false if the system cannot.
bool make_pages(std::uintptr_t start) {
  void* const page = reinterpret_cast<void*>(start);  // NOLINT(performance-no-int-to-ptr): aligned
  (void)::madvise(page, memory_ahead::large_page, MADV_HUGEPAGE);  // refused: small pages
  if (::madvise(page, memory_ahead::large_page, populate_write) == 0) return true;
  (void)::madvise(page, memory_ahead::large_page, MADV_NOHUGEPAGE);  // a call would wait for it
  return false;
}

}  // namespace

void memory_ahead::look(timer_store& store) noexcept {
  if (store_ != nullptr || !store.growth.has_request()) return;
  try {
    thread_ = std::thread{[this, &store] {
      set_up_thread("memory");
      run(store);
    }};
  } catch (const std::exception&) {
    (void)store.growth.take_request();  // never again
    return;
  }
  store_ = &store;
  store.growth.is_served.store(true, relaxed);  // relaxed: a hint
}

void memory_ahead::stop() noexcept {
  if (store_ == nullptr) return;
  growth_watch<>& growth = store_->growth;
  growth.is_served.store(false, relaxed);  // relaxed: a hint
  stopping_.store(true, relaxed);          // relaxed: the bell orders it
  // no mutant: as for the wake word of the driver, whose model shows it
  growth.bell.fetch_add(1, release);  // pairs: growth.bell
  futex_wake(growth.bell);
  thread_.join();
  store_ = nullptr;
}

void memory_ahead::run(timer_store& store) noexcept {
  growth_watch<>& growth = store.growth;
  while (true) {
    // no mutant: see `stop`
    const std::uint32_t seen = growth.bell.load(acquire);  // pairs: growth.bell
    if (stopping_.load(relaxed)) return;                   // relaxed: the bell orders it
    if (growth.take_request() && !prepare(store)) return;
    if (futex_wait(growth.bell, seen, std::nullopt) == futex_result::failed) return;
  }
}

/// Prepares the first large page that no job will reach meanwhile, and makes the store ask for the next
/// one in time. Returns: false if there is none.
bool memory_ahead::prepare(timer_store& store) noexcept {
  const std::span<timer_record> all = store.all_records();
  const std::uintptr_t first = address_of(all.data());
  const std::uintptr_t end = address_of(all.data() + all.size());
  const std::size_t used = store.used_records().size_bytes();
  const std::uintptr_t whole = (first + used + large_page - 1) / large_page * large_page;
  const std::uintptr_t start = std::max(ready_to_, whole + pages_in_between_ * large_page);
  if (end < start + large_page || !make_pages(start)) return false;
  ready_to_ = start + large_page;
  const std::size_t used_meanwhile = store.used_records().size_bytes() - used;
  pages_in_between_ = (used_meanwhile + large_page / 2) / large_page;
  const std::uintptr_t middle = (start + large_page / 2 - first) / sizeof(timer_record);
  store.growth.watch(static_cast<std::uint32_t>(middle));
  return true;
}

}  // namespace tactor::inline v0::internal
