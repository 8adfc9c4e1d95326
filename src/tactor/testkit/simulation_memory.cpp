// SPDX-License-Identifier: BSL-1.0
#include "tactor/testkit/simulation_memory.hpp"

#include "tactor/base/memory_source.hpp"
#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/testkit/heap_blocks.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace tactor::inline v0::testkit::panics {
inline constexpr port::panic_code simulation_settings{
    .module = 6,
    .id = 3,
    .advice = "a setting of a simulation is invalid; the line above names it"};
}  // namespace tactor::inline v0::testkit::panics

namespace tactor::inline v0::internal {

void refuse_setting(const config_error& why) noexcept {
  std::fprintf(stderr, "tactor: %s%s is %lld, but must be %s\n", why.section, why.setting,
               static_cast<long long>(why.value), why.allowed);
  port::panic(testkit::panics::simulation_settings);
}

}  // namespace tactor::inline v0::internal

namespace tactor::inline v0::testkit {

using namespace tactor::internal;

namespace {

/// Memory that is never released, because the runtime keeps it for ever. It is mapped: in the heap
/// a leak checker would search for pointers to it, and the runtime packs some of them with other
/// bits.
class mapped_pages final : public page_source {
public:
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept override {
    const std::size_t size = bytes + alignment;
    void* const start = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return nullptr;
    const auto address = reinterpret_cast<std::uintptr_t>(start);
    return static_cast<std::byte*>(start) + (0 - address) % alignment;
  }
};

constinit mapped_pages pages;

}  // namespace

void provide_heap_memory() noexcept {
  program_memory.pages.provide(pages);
  program_memory.blocks.provide(heap_blocks());
}

/// The part that handles point to. It is never freed, since a test may keep a handle for ever.
/// Zeros are the valid start of its arrays, so that a million unused timers cost nothing.
struct timer_storage::stable {
  stable(std::span<timer_record> all, std::span<timer_plan> plans,
         std::span<overflow_item> overflow_items, block_source& blocks) noexcept
      : records(all.size()),
        overflow(overflow_items),
        store({.records = all, .plans = plans}, &blocks) {}

  /// Allocates a part. Returns: null if there is no memory.
  static stable* make(std::size_t records, block_source& blocks) {
    const std::size_t records_at = rounded(sizeof(stable));
    const std::size_t plans_at = records_at + rounded(records * sizeof(timer_record));
    const std::size_t overflow_at = plans_at + rounded(records * sizeof(timer_plan));
    const std::size_t size = overflow_at + rounded(records * sizeof(overflow_item));
    void* start = std::calloc(1, size + port::cache_line);
    if (start == nullptr) return nullptr;
    std::size_t space = size + port::cache_line;
    auto* const memory = static_cast<std::byte*>(std::align(port::cache_line, size, start, space));
    auto* const all = reinterpret_cast<timer_record*>(memory + records_at);
    auto* const plans = reinterpret_cast<timer_plan*>(memory + plans_at);
    auto* const items = reinterpret_cast<overflow_item*>(memory + overflow_at);
    return ::new (memory) stable{{all, records}, {plans, records}, {items, records}, blocks};
  }

  /// Returns: true while a handle, or a mailbox of another system, refers to a record, which then
  /// must not change its scheduler.
  [[nodiscard]] bool is_held() const noexcept {
    return std::ranges::any_of(store.used_records(), [](const timer_record& each) {
      // no mutant: no test destroys the last handle at that moment on another thread
      return each.refs.load(acquire) != 0;  // pairs: timer.refs
    });
  }

  std::size_t records;
  std::span<overflow_item> overflow;
  timer_store store;
  stable* next = nullptr;

private:
  static constexpr std::size_t rounded(std::size_t size) noexcept {
    return (size + port::cache_line - 1) / port::cache_line * port::cache_line;
  }
};

struct timer_storage::wheel_memory {
  explicit wheel_memory(const scheduler_config& config)
      : slots(config.timing.wheel_slots),
        occupied((config.timing.wheel_slots + word_bits - 1) / word_bits),
        close_tasks(config.close_task_limit) {}

  static constexpr std::size_t word_bits = std::numeric_limits<std::size_t>::digits;
  std::vector<timer_slot> slots;
  std::vector<std::size_t> occupied;
  std::vector<close_task> close_tasks;
};

namespace {

std::mutex idle_mutex;

constexpr std::size_t largest_quota = std::size_t{1} << 26;  // as on a host

[[noreturn]] void refuse_quota(std::size_t quota, const char* allowed) noexcept {
  constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
  refuse_setting({.setting = "system_quota",
                  .value = static_cast<std::int64_t>(std::min<std::uint64_t>(quota, largest)),
                  .allowed = allowed,
                  .section = scheduler_in_system.own});
}

}  // namespace

timer_storage::timer_storage(const scheduler_config& config) : stable_(nullptr) {
  if (config.system_quota > largest_quota) refuse_quota(config.system_quota, "from 1 to 2^26");
  constexpr std::size_t for_runtime = 4096;
  const std::size_t records = 2 * config.system_quota + for_runtime;
  {
    const std::scoped_lock lock{idle_mutex};
    for (stable** each = &first_idle; *each != nullptr; each = &(*each)->next) {
      if ((*each)->records != records || (*each)->is_held()) continue;
      stable_ = std::exchange(*each, (*each)->next);
      break;
    }
  }
  if (stable_ == nullptr) stable_ = stable::make(records, heap_blocks());
  if (stable_ == nullptr) refuse_quota(config.system_quota, "as many as the system has memory for");
  stable_->store.begin_anew();
  stable_->store.number_anew();
  wheel_ = std::make_unique<wheel_memory>(config);
}

timer_storage::~timer_storage() {
  const std::scoped_lock lock{idle_mutex};
  stable_->next = std::exchange(first_idle, stable_);
}

scheduler::parts timer_storage::parts(const monotonic_clock& clock, job_dispatcher& dispatcher,
                                      timer_poller& driver) noexcept {
  return {.wheel = {.slots = wheel_->slots,
                    .occupied = wheel_->occupied,
                    .overflow = stable_->overflow},
          .store = stable_->store,
          .close_tasks = wheel_->close_tasks,
          .clock = clock,
          .dispatcher = dispatcher,
          .driver = &driver};
}

}  // namespace tactor::inline v0::testkit
