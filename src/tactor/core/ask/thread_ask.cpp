// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/ask/thread_ask.hpp"

#include "tactor/core/cell/thread_waiting.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <limits>
#include <utility>

namespace tactor::inline v0::internal {

thread_ask thread_ask::open(system_gate* gate, clock by) noexcept {
  thread_record& here = this_thread();
  program_memory.note(here);
  ask_slot* const taken = program_memory.asks.take(here.asks);
  if (taken == nullptr) return {};
  taken->begin<ask_of_thread>().by = by;
  taken->gate.store(gate, relaxed);  // relaxed: the message that asks publishes it
  (void)taken->open(ask_word::phase::open_to_thread);
  return thread_ask{*taken};
}

std::optional<std::uint32_t> thread_ask::prepare_sleep() noexcept {
  if (slot_ == nullptr) return std::nullopt;
  ask_word now = slot_->peek();
  while (!now.is_settled() && !now.has_sleeper()) {
    const ask_word asleep = now.with_sleeper();
    // relaxed: `answered` acquires the answer
    if (slot_->word.compare_exchange(now.bits, asleep.bits, relaxed)) now = asleep;
  }
  if (now.is_settled()) return std::nullopt;
  return now.bits;
}

bool thread_ask::pass_to_actor() noexcept {
  ask_word now = slot_->peek();
  while (now.is_open_for(now.generation())) {
    if (slot_->word.compare_exchange(now.bits, now.passed_to_continuation().bits,
                                     release)) {  // pairs: ask.word
      slot_ = nullptr;
      return true;
    }
  }
  return false;
}

void thread_ask::await_settled() noexcept {
  constexpr std::uint64_t never_ns = std::numeric_limits<std::int64_t>::max();
  const thread_waiting* const how = program_memory.waiting();
  while (const auto seen = prepare_sleep()) {
    if (how == nullptr) {
      port::cpu_relax();
    } else {
      (void)how->sleep(slot_->word, *seen, never_ns);
    }
  }
}

void thread_ask::close() noexcept {
  if (slot_ == nullptr) return;
  ask_slot& left = *std::exchange(slot_, nullptr);
  thread_record& here = this_thread();
  program_memory.note(here);  // another thread may have opened the ask
  if (!left.leave()) return;
  if (envelope* const untaken = left.as<ask_of_thread>().answer) discard_envelope(here, *untaken);
  program_memory.asks.give_back(here.asks, left);
}

}  // namespace tactor::inline v0::internal
