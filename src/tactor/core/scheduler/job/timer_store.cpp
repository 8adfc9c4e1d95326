// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/job/timer_store.hpp"

#include "tactor/base/assert.hpp"
#include "tactor/core/timing/deadline.hpp"

#include <algorithm>
#include <array>
#include <memory>

namespace tactor::inline v0::internal {

namespace {

/// Returns true if the tick `wanted` comes before the tick `known`; both may have wrapped. A driver
/// that is more than half of a word late polls anyway.
bool comes_before(std::uintptr_t wanted, std::uintptr_t known) {
  return known == timer_store::never || static_cast<std::intptr_t>(wanted - known) < 0;
}

}  // namespace

timer_store::timer_store(storage memory, block_source* blocks, wake_function wake) noexcept
    : trail(memory.trail),
      records_(memory.records),
      plans_(memory.plans),
      reserved_(static_cast<std::uint32_t>(memory.reserved)),
      free_reserved_(memory.records.first(memory.reserved)),
      free_records_(memory.records.subspan(memory.reserved)),
      free_plans_(memory.plans),
      blocks_(blocks),
      wake_(wake),
      rooms_(memory.rooms),
      room_size_(memory.room_size) {}

/// The index of a free record, or `none`. The runtime's jobs use their own first.
std::uint32_t timer_store::take_index(timer_owner owner) noexcept {
  constexpr std::uint32_t none = free_list<timer_record>::none;
  if (owner == timer_owner::runtime) {
    const std::uint32_t reserved = free_reserved_.take();
    if (reserved != none) return reserved;
  }
  const std::uint32_t free = free_records_.take();
  return free == none ? none : reserved_ + free;
}

void timer_store::put_index(std::uint32_t index) noexcept {
  if (index < reserved_) {
    free_reserved_.put(index);
  } else {
    free_records_.put(index - reserved_);
  }
}

timer_record* timer_store::take_record(timer_owner owner, bool with_plan) noexcept {
  const std::uint32_t index = take_index(owner);
  if (index == free_list<timer_record>::none) return nullptr;
  timer_plan* plan = nullptr;
  if (with_plan) {
    const std::uint32_t plan_index = free_plans_.take();
    if (plan_index == free_list<timer_plan>::none) {
      put_index(index);
      return nullptr;
    }
    plan = &plans_[plan_index];
  }
  timer_record& record = records_[index];
  record.belong_to(*this, plan);
  record.tenancy.set(record.tenancy.get() + 1);
  // Publishes that the word is empty, to threads that iterate over the records.
  // no mutant: the mutant of `try_hold` shows the pair
  record.refs.store(2, release);  // pairs: timer.refs
  return &record;
}

/// Empties a record without holds. Returns: the sink that must be released when the record is free.
held_sink* timer_store::clear(timer_record& record) noexcept {
  held_sink* const sink = record.now().is_taken_back() ? nullptr : record.target().held();
  if (timer_plan* const plan = record.plan()) {
    plan->on_cancelled = {};
    free_plans_.put(static_cast<std::uint32_t>(plan - plans_.data()));
  }
  record.leave_target();
  record.word.store(0, relaxed);  // relaxed: the free list publishes it
  return sink;
}

void timer_store::give_back(timer_record& record) noexcept {
  held_sink* const sink = clear(record);
  put_index(index_of(record));
  if (sink != nullptr) sink->let_go();  // last: the callee may take a free record
}

void timer_store::give_back_later(timer_record& record) noexcept {
  const std::uint32_t index = index_of(record);
  if (index < reserved_ || record.target().held() != nullptr) return give_back(record);
  (void)clear(record);
  free_records_.add(given_back_, index - reserved_);
}

void timer_store::give_back_fresh(timer_record& record) noexcept {
  if (record.refs.fetch_sub(2, acq_rel) == 2) give_back(record);  // pairs: timer.refs
}

void timer_store::begin_anew() noexcept {
  std::construct_at(&totals);
  std::construct_at(&far_coming);
  std::construct_at(&far_waiting);
  for (total_count* const each : {&live_periodic, &live_of_users_, &live_of_runtime_})
    each->store(0, relaxed);  // relaxed: no other thread uses the store
}

void timer_store::number_anew() noexcept {
  for (timer_record& each : used_records())
    each.tenancy.set(0);
  std::construct_at(&free_reserved_, records_.first(reserved_));
  std::construct_at(&free_records_, records_.subspan(reserved_));
  std::construct_at(&free_plans_, plans_);
  given_back_ = {};
}

void timer_store::count_end(const timer_record& ended, timer_word before,
                            timer_totals_member how) noexcept {
  if (before.periodic()) live_periodic.fetch_sub(1, relaxed);  // relaxed: a number
  // Publishes that the job was counted as scheduled: a thread that sees the end sees the start.
  (totals.*how).fetch_add(1, release);  // pairs: timer.totals
  release_place(ended.owner());
}

bool timer_store::admit(std::uintptr_t quota) noexcept {
  std::uintptr_t before = live_of_users_.load(relaxed);  // relaxed: a number
  while (before < quota) {
    // Acquires the ends of the jobs whose places were released; see `count_jobs`.
    // no mutant: a thread that counts acquires them with the places, too
    if (live_of_users_.compare_exchange(before, before + 1, acquire))
      return true;  // pairs: timer.places
  }
  return false;
}

// The counters cannot be read at once. The ends are read before and after the starts: their number
// at the moment of the starts is between the two, and the places say how many jobs were live.
job_counts timer_store::count_jobs() const noexcept {
  using ends = std::array<std::uintptr_t, 4>;
  const auto read_ends = [this]() -> ends {
    const auto ended = [](const total_count& count) {
      return count.load(acquire);  // pairs: timer.totals
    };
    return {ended(totals.completed), ended(totals.cancelled), ended(totals.evicted),
            ended(totals.undeliverable)};
  };
  const auto sum = [](const ends& of) { return of[0] + of[1] + of[2] + of[3]; };

  ends ended = read_ends();
  const std::uintptr_t scheduled = totals.scheduled.load(acquire);  // pairs: timer.scheduled
  const std::uintptr_t counted_live = live();
  const ends ended_later = read_ends();
  const std::uintptr_t most = scheduled - sum(ended);
  const std::uintptr_t ended_since = sum(ended_later) - sum(ended);
  const std::uintptr_t least = most - std::min(most, ended_since);
  const std::uintptr_t active = std::clamp(counted_live, least, most);
  std::uintptr_t ended_meanwhile = most - active;
  for (std::size_t each = 0; each < ended.size(); ++each) {
    const std::uintptr_t more = std::min(ended_meanwhile, ended_later[each] - ended[each]);
    ended[each] += more;
    ended_meanwhile -= more;
  }
  return {.scheduled = scheduled,
          .completed = ended[0],
          .cancelled = ended[1],
          .evicted = ended[2],
          .undeliverable = ended[3],
          .active = active};
}

void timer_store::send(timer_record& record) noexcept {
  trail.add(record);
  (void)commands.push(record);
}

void timer_store::report_end(timer_record& ended, const timer_record::change& end) noexcept {
  if (!end.before.driven()) return;
  if (!end.before.commanded()) send(ended);
  ask_for_housekeeping();
}

void timer_store::ask_for_housekeeping() noexcept {
  // seq_cst: ties this to the command queue; a driver that clears the request reads the queue
  // again. Read first: of many cancels in a tick only one has to write.
  if (housekeeping_asked.load(seq_cst)) return;  // pairs: timer.housekeeping
  // seq_cst: see above.
  if (!housekeeping_asked.exchange(true, seq_cst)) wake_driver();  // pairs: timer.housekeeping
}

void timer_store::send_to_driver(timer_record& record, tick deadline) noexcept {
  send(record);
  const auto wanted = static_cast<std::uintptr_t>(deadline.count);
  // seq_cst: ties the queue to this word. The driver writes the word, then reads the queue; this
  // thread does it in the opposite order, so one of the two sees the other.
  if (comes_before(wanted, wake_at.load(seq_cst))) {  // pairs: timer.wake
    expect_poll_at(wanted);
    wake_driver();
  }
}

void timer_store::expect_poll_at(std::uintptr_t wanted) noexcept {
  std::uintptr_t known = poll_expected.load(relaxed);  // relaxed: a hint
  while (comes_before(wanted, known)) {
    if (poll_expected.compare_exchange(known, wanted, relaxed)) return;  // relaxed: a hint
  }
}

void timer_store::wake_driver() noexcept {
  wake_word.fetch_add(1, release);  // pairs: timer.wake_word
  if (wake_ != nullptr) wake_(wake_word);
}

}  // namespace tactor::inline v0::internal
