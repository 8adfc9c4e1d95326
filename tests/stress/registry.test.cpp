// SPDX-License-Identifier: BSL-1.0
// Slots change hands while senders with references of the past go on sending: what was meant for
// one tenant never reaches another, and the sums are exact.
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/mailbox_limits.hpp"
#include "tactor/core/cell/mailbox_registry.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/life/start_stop.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/full.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/send.hpp"
#include "tactor/host/os/mapped_pages.hpp"

#include "time_box.hpp"
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace tactor::stress {

using namespace tactor::internal;

namespace {

constexpr std::size_t threads_in_all = 4;
constexpr std::uint64_t tenancies_at_least = 1'000'000;
constexpr std::size_t names_in_all = 16;

constinit internal::mapped_pages pages;

struct letter {
  std::uint32_t slot;
  std::uint32_t meant_for;
};

// A ready queue of the plainest kind, with which cells change hands.
class shared_queue final : public ready_queue_coordinator {
public:
  void register_ready(ready_cell& cell) noexcept override {
    const std::lock_guard guard{mutex_};
    cells_.push_back(&cell);
  }
  void unregister(ready_cell& /*cell*/) noexcept override {}
  [[nodiscard]] std::size_t drain_ready_cycle(std::span<ready_cell*> out) noexcept override {
    const std::lock_guard guard{mutex_};
    if (cells_.empty()) return 0;
    out[0] = cells_.front();
    cells_.pop_front();
    return 1;
  }
  [[nodiscard]] wait_signal poll_wait_signal() noexcept override { return wait_signal::pending; }
  void handle_invoke_result(ready_cell& /*cell*/,
                            const invoke_result& /*result*/) noexcept override {}
  [[nodiscard]] ready_queue_usage usage() noexcept override { return {}; }

private:
  std::mutex mutex_;
  std::deque<ready_cell*> cells_;
};

// References by which senders know tenants, most of them of the past.
class phone_book {
public:
  void note(std::size_t place, const cell& tenant) {
    const std::uint64_t both = std::uint64_t{tenant.slot} << 32 | tenant.tenant;
    entries_[place % names_in_all].store(both, std::memory_order_release);
  }
  mailbox_index look_up(std::size_t place) const {
    const std::uint64_t both = entries_[place % names_in_all].load(std::memory_order_acquire);
    return {.slot = static_cast<std::uint32_t>(both >> 32),
            .generation = static_cast<std::uint32_t>(both)};
  }

private:
  std::array<std::atomic<std::uint64_t>, names_in_all> entries_{};
};

// Counts what became of everything; each thread has its own, and they are added up.
struct tally {
  std::uint64_t sent = 0;       // accepted by a mailbox
  std::uint64_t refused = 0;    // by a stale reference, or for want of room
  std::uint64_t handled = 0;    // by whom it was meant for
  std::uint64_t stale = 0;      // found in another tenant's mailbox and passed over
  std::uint64_t left_over = 0;  // queued when the tenant ended
  std::uint64_t wrong = 0;  // stops that hit the wrong tenant, cells run by two, found in the past
  std::uint64_t tenancies = 0;
  std::uint64_t stops = 0;  // requests that were accepted

  void add(const tally& other) {
    sent += other.sent;
    refused += other.refused;
    handled += other.handled;
    stale += other.stale;
    left_over += other.left_over;
    wrong += other.wrong;
    tenancies += other.tenancies;
    stops += other.stops;
  }
};

// Does what a worker does, without actors: tenants come, handle mail and go.
class town {
public:
  explicit town(bool with_limits) : with_limits_(with_limits) {
    program_memory.pages.provide(pages);
  }

  void run() {
    std::vector<std::thread> threads;
    threads.reserve(threads_in_all);
    for (std::size_t self = 0; self < threads_in_all; ++self)
      threads.emplace_back([this, self] { live(self); });
    for (std::thread& each : threads)
      each.join();
    settle();
  }

  void expect_all_well() const {
    EXPECT_EQ(sum.wrong, 0u);
    EXPECT_EQ(sum.handled + sum.stale + sum.left_over, sum.sent)
        << "each was handled or lost, once";
    EXPECT_GE(sum.tenancies, tenancies_at_least);
    EXPECT_GT(sum.handled, 0u);
    EXPECT_GT(sum.refused, 0u);
    EXPECT_GT(sum.stops, 0u);
    // relaxed: the threads are over
    for (std::uint32_t slot = 0; slot < program_memory.cells.made(); ++slot)
      EXPECT_EQ(program_memory.cells.at(slot)->permits_taken.load(relaxed), 0u) << "slot " << slot;
  }

  tally sum;

private:
  void live(std::size_t self) {
    const time_box time;
    tally mine;
    std::minstd_rand chance{static_cast<std::uint32_t>(self + 1)};
    thread_record& here = this_thread();
    while (time.open() || begun_.load(std::memory_order_relaxed) < tenancies_at_least) {
      for (int i = 0; i < 100; ++i) {
        move_in(here, mine, chance());
        for (int letters = 0; letters < 3; ++letters)
          send_one(here, mine, chance());
        ask_one(mine, chance());
        while (run_one(here, mine)) {
        }
      }
    }
    program_memory.cells.give_back_all(here.cells);
    program_memory.envelopes.give_back_all(here.envelopes);
    const std::lock_guard guard{summing_};
    sum.add(mine);
  }
  // After the threads: the remaining tenants leave.
  void settle() {
    thread_record& here = this_thread();
    for (std::uint32_t slot = 0; slot < program_memory.cells.made(); ++slot) {
      cell& c = *program_memory.cells.at(slot);
      if (lifecycle_word{c.lifecycle.load(relaxed)}.occupied())  // relaxed: one thread
        request_stop(c, c.tenant);
    }
    while (run_one(here, sum)) {
    }
    program_memory.cells.give_back_all(here.cells);
    program_memory.envelopes.give_back_all(here.envelopes);
  }

  // Does what spawn does.
  void move_in(thread_record& here, tally& mine, std::uint64_t chance) {
    cell& c = *program_memory.cells.take(here.cells);
    ++mine.tenancies;
    begun_.fetch_add(1, std::memory_order_relaxed);
    const bool bounded = with_limits_ && chance % 2 == 0;
    mailbox_options options;
    if (bounded) options = {.capacity = 2, .overflow = overflow_strategy::reject};
    c.object = nullptr;
    c.stage = lifecycle_stage::running;
    c.coordinator.store(&ready_, relaxed);                      // relaxed: open publishes it
    c.gate.store(nullptr, relaxed);                             // relaxed: as above
    c.limits.store(mailbox_limits::of(options).bits, relaxed);  // relaxed: as above
    c.box.open();
    book_.note(chance / 2, c);
    ready_.register_ready(c);
  }

  void send_one(thread_record& here, tally& mine, std::uint64_t chance) {
    const mailbox_index whom = book_.look_up(chance);
    if (whom.generation == 0) return;
    cell* const to = program_memory.cells.at(whom.slot);
    envelope* const e =
        internal::enclose<letter>(here, letter{.slot = whom.slot, .meant_for = whom.generation});
    e->from = {};
    // Half of them skip the check of the generation, like a sender interrupted right after it.
    const bool late = chance / names_in_all % 2 == 0;
    bool taken = false;
    if (late) {
      // It may have found limits, and have taken a place by them.
      const bool counted = with_limits_ && chance / names_in_all % 4 == 0;
      e->generation = whom.generation;
      if (counted) e->detail = holds_permit;
      if (counted) to->permits_taken.fetch_add(1, relaxed);  // relaxed: a number
      const push_result said = to->box.push(*e);
      taken = said != push_result::closed;
      if (counted && !taken) to->permits_taken.fetch_sub(1, relaxed);  // relaxed: a number
      if (said == push_result::make_ready) make_ready(*to);
    } else {
      taken = offer(here, to, whom.generation, *e).result == tell_result::ok;
    }
    if (taken) {
      ++mine.sent;
    } else {
      ++mine.refused;
      discard_envelope(here, *e);
    }
  }

  void ask_one(tally& mine, std::uint64_t chance) {
    const mailbox_index whom = book_.look_up(chance);
    if (whom.generation == 0) return;
    cell& c = *program_memory.cells.at(whom.slot);
    if (!c.request(whom.generation, [](lifecycle_word was) { return was.with_stop_request(); }))
      return;
    ++mine.stops;
    give_notice(c);
  }

  // One turn of one cell.
  bool run_one(thread_record& here, tally& mine) {
    ready_cell* next = nullptr;
    if (ready_.drain_ready_cycle({&next, 1}) == 0) return false;
    cell& c = static_cast<cell&>(*next);
    // Plain: two who run one cell would be a data race, and the count would show.
    if (c.object != nullptr) ++mine.wrong;
    c.object = &mine;
    while (true) {
      if (c.box.peek().noticed()) {
        c.reader.take_notice(c.box);
        const lifecycle_word lifecycle{c.lifecycle.load(acquire)};  // pairs: cell.lifecycle
        if (lifecycle.generation() != c.tenant) ++mine.wrong;
        if (lifecycle.stop_requested()) {
          move_out(here, mine, c);
          return true;
        }
      }
      envelope* const e = c.reader.front(c.box);
      c.object = nullptr;  // once idle, it belongs to another thread
      if (e == nullptr) {
        if (c.reader.set_idle(c.box)) return true;
        c.object = &mine;
        continue;
      }
      const auto& l = *static_cast<const letter*>(payload_of(*e));
      if (e->generation == c.tenant) {
        ++mine.handled;
        if (l.meant_for != c.tenant || l.slot != c.slot) ++mine.wrong;
      } else {
        ++mine.stale;
      }
      release_permit(c, *e);
      const auto left = c.reader.advance(c.box, *e);
      discard_envelope(here, *e);
      if (left == mailbox_reader::left::idle) return true;
      c.object = &mine;
    }
  }

  // Does what the end of an actor does.
  void move_out(thread_record& here, tally& mine, cell& c) {
    envelope_chain mail = c.reader.close(c.box, nullptr);
    while (envelope* const e = mail.pop()) {
      ++mine.left_over;
      release_permit(c, *e);
      discard_envelope(here, *e);
    }
    const mailbox_index old{.slot = c.slot, .generation = c.tenant};
    program_memory.cells.end_tenancy(c);
    if (program_memory.cells.find(old) != nullptr) ++mine.wrong;
    end_system_mail(here, c);
    c.object = nullptr;
    c.stage = lifecycle_stage::stopped;
    program_memory.cells.give_back(here.cells, c);
  }

  bool with_limits_;
  shared_queue ready_;
  phone_book book_;
  std::atomic<std::uint64_t> begun_{0};
  std::mutex summing_;
};

// spec: M5
// case: RG-02
TEST(registry_stress, no_message_or_request_reaches_another_tenant_than_it_was_meant_for) {
  town all{false};
  all.run();
  all.expect_all_well();
  EXPECT_GT(all.sum.stale, 0u) << "or the test does not bite";
}

// spec: M2 M5
TEST(registry_stress, no_permit_of_a_bounded_mailbox_is_lost_when_slots_are_reused) {
  town all{true};
  all.run();
  all.expect_all_well();
}

}  // namespace
}  // namespace tactor::stress
