// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/timers/scheduler_memory.hpp"

#include "tactor/core/scheduler/close_task.hpp"
#include "tactor/core/scheduler/job/command_trail.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/core/scheduler/job/timer_word.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/scheduler/scheduler_config.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/core/timing/overflow_queue.hpp"
#include "tactor/core/timing/timer_wheel.hpp"
#include "tactor/core/timing/timing_config.hpp"
#include "tactor/host/os/mapped_pages.hpp"
#include "tactor/host/os/wait_on_word.hpp"
#include "tactor/port/port.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>
#include <mutex>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace tactor::inline v0::internal {

/// The head of memory that is never released. The records and the plans follow it.
struct stable_block {
  explicit stable_block(timer_store::storage storage) noexcept
      : store(storage, &heap_blocks::of_program(), wake_waiter),
        capacity(storage.records.size()),
        of_users(storage.plans.size()) {}

  timer_store store;
  std::size_t capacity;
  std::size_t of_users;               // records that users' timers may have
  stable_block* next_idle = nullptr;  // protected by the idle list's mutex
};

namespace {

// For the runtime's own timers, which have no quota: at most one or two for each actor. Fewer where
// the process may not have so much address space.
constexpr std::size_t most_runtime_records = std::size_t{1} << 24;
constexpr std::size_t least_runtime_records = std::size_t{1} << 14;
constexpr std::size_t largest_quota = std::size_t{1} << 26;
// More commands than a poll finds, unless the driver is behind.
constexpr std::size_t trail_length = std::size_t{1} << 15;

/// Cuts arrays from zero pages, or only computes their size.
class page_cutter {
public:
  explicit page_cutter(void* start) noexcept : start_(start) {}

  /// The next array, on cache lines of its own. No constructor runs: ten million would touch every
  /// page. The all-zero state of fresh pages is the valid start of these types, as they document.
  template <class T>
  std::span<T> array(std::size_t count) noexcept {
    const std::size_t offset = used_;
    used_ += (count * sizeof(T) + port::cache_line - 1) / port::cache_line * port::cache_line;
    if (start_ == nullptr) return {};
    return {reinterpret_cast<T*>(static_cast<std::byte*>(start_) + offset), count};
  }
  [[nodiscard]] std::size_t used() const noexcept { return used_; }

private:
  void* start_;
  std::size_t used_ = 0;
};

timer_store::storage cut_stable(page_cutter& cutter, std::size_t records, std::size_t plans) {
  (void)cutter.array<std::byte>(sizeof(stable_block));
  return {.records = cutter.array<timer_record>(records),
          .plans = cutter.array<timer_plan>(plans),
          .trail = cutter.array<command_trail::place>(trail_length)};
}

timer_wheel::storage cut_wheel(page_cutter& cutter, std::size_t slots, std::size_t records) {
  constexpr std::size_t word_bits = std::numeric_limits<std::size_t>::digits;
  return {.slots = cutter.array<timer_slot>(slots),
          .occupied = cutter.array<std::size_t>((slots + word_bits - 1) / word_bits),
          .overflow = cutter.array<overflow_item>(records)};
}

stable_block* make_block(std::size_t records, std::size_t plans) {
  page_cutter measure{nullptr};
  (void)cut_stable(measure, records, plans);
  zero_pages pages{measure.used()};
  if (pages.start() == nullptr) return nullptr;
  page_cutter cutter{pages.start()};
  const timer_store::storage storage = cut_stable(cutter, records, plans);
  return ::new (pages.release()) stable_block{storage};
}

/// Returns true if no thread can still be using the block.
bool quiet(const stable_block& block) {
  const timer_store& store = block.store;
  const bool counted = store.live() == 0;
  if (!counted || store.events.has_listeners()) return false;
  return std::ranges::none_of(store.used_records(), [](const timer_record& record) {
    const timer_word word = record.now();
    return word.posted() || word.driven();
  });
}

/// Blocks that no scheduler uses, in the whole program.
class idle_blocks {
public:
  void put(stable_block& block) {
    const std::scoped_lock lock{mutex_};
    block.next_idle = std::exchange(first_, &block);
  }

  /// The smallest block that is large enough and quiet; null if there is none.
  stable_block* take(std::size_t records, std::size_t of_users) {
    const std::scoped_lock lock{mutex_};
    stable_block** best = nullptr;
    for (stable_block** each = &first_; *each != nullptr; each = &(*each)->next_idle) {
      const bool fits = (*each)->capacity >= records && (*each)->of_users >= of_users;
      const bool better = best == nullptr || (*each)->capacity < (*best)->capacity;
      if (fits && better && quiet(**each)) best = each;
    }
    if (best == nullptr) return nullptr;
    stable_block* const taken = *best;
    *best = taken->next_idle;
    taken->store.begin_anew();
    return taken;
  }

private:
  std::mutex mutex_;
  // protected by mutex_
  stable_block* first_ = nullptr;
};
constinit idle_blocks idle;

}  // namespace

std::size_t scheduler_memory::records_for(std::size_t quota) noexcept {
  constexpr std::size_t least_slack = 4096;
  return quota + std::max(quota, least_slack);
}

std::expected<scheduler_memory, config_error>
scheduler_memory::acquire(const scheduler_config& config, const char* section) {
  const auto refuse = [&config, section](const char* allowed) {
    constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
    const auto value = std::min<std::uint64_t>(config.system_quota, largest);
    return std::unexpected{config_error{.setting = "system_quota",
                                        .value = static_cast<std::int64_t>(value),
                                        .allowed = allowed,
                                        .section = section}};
  };
  if (config.system_quota > largest_quota) return refuse("from 1 to 2^26");
  const std::size_t of_users = records_for(config.system_quota);
  std::vector<close_task> close_tasks(
      config.close_task_limit);  // may throw: before there is a block
  for (std::size_t own = most_runtime_records; own >= least_runtime_records; own /= 2) {
    stable_block* block = idle.take(of_users + own, of_users);
    page_cutter measure{nullptr};
    (void)cut_wheel(measure, config.timing.wheel_slots,
                    block == nullptr ? of_users + own : block->capacity);
    zero_pages pages{measure.used()};
    const bool fits = pages.start() != nullptr;
    if (fits && block == nullptr) block = make_block(of_users + own, of_users);
    if (fits && block != nullptr)
      return scheduler_memory{*block, std::move(pages), std::move(close_tasks), config};
    if (block != nullptr) idle.put(*block);
  }
  return refuse(
      "as many as the process has address space for, some 460 bytes each (see ulimit -v)");
}

scheduler_memory::scheduler_memory(stable_block& block, zero_pages pages,
                                   std::vector<close_task> close_tasks,
                                   const scheduler_config& config) noexcept
    : block_(&block), wheel_pages_(std::move(pages)), close_tasks_(std::move(close_tasks)) {
  page_cutter cutter{wheel_pages_.start()};
  wheel_ = cut_wheel(cutter, config.timing.wheel_slots, block.capacity);
}

scheduler_memory::scheduler_memory(scheduler_memory&& other) noexcept
    : block_(std::exchange(other.block_, nullptr)),
      wheel_pages_(std::move(other.wheel_pages_)),
      wheel_(other.wheel_),
      close_tasks_(std::move(other.close_tasks_)) {}

scheduler_memory::~scheduler_memory() {
  if (block_ != nullptr) idle.put(*block_);
}

scheduler::parts scheduler_memory::parts(const monotonic_clock& clock, job_dispatcher& dispatcher,
                                         timer_poller* driver) noexcept {
  return {.wheel = wheel_,
          .store = block_->store,
          .close_tasks = close_tasks_,
          .clock = clock,
          .dispatcher = dispatcher,
          .driver = driver};
}

timer_store& scheduler_memory::store() const noexcept {
  return block_->store;
}

}  // namespace tactor::inline v0::internal
