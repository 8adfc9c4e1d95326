// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/send/send_times.hpp"

#include "tactor/core/cell/oldest_sends.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/message/message_trailer.hpp"
#include "tactor/core/observe/turn_times.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/tell_services.hpp"

#include <cstddef>
#include <cstring>

namespace tactor::inline v0::internal {

namespace {

/// Whether the actor of an entry has ended, or has no messages.
bool waits_no_more(std::uint32_t slot, waiting_send what) noexcept {
  const cell& c = *program_memory.cells.at(slot);
  return !what.is_for({.slot = slot, .generation = c.generation()}) ||
         c.box.peek().waits_for_mail();
}

/// Whether the send is one of those whose time is noted: in a turn that is measured, or on a thread
/// outside.
bool is_sampled(thread_record& here) noexcept {
  constexpr std::uint32_t one_in = 256;  // messages of threads outside
  if (here.fast_limits != thread_record::measured) return here.sends % one_in == 0;
  turn_times* const times = times_of(here.counters);
  if (times == nullptr || !times->notes_send()) return false;
  here.fast_limits = 0;
  return true;
}

}  // namespace

void note_send_time(thread_record& here, cell& to, envelope& e) noexcept {
  const bool takes_time =
      e.kind == envelope_kind::message && !e.has(envelope::has_trace) && is_free(e, time_place(e));
  if (!takes_time || !is_sampled(here)) return;
  std::uint64_t now_ns = 0;
  tell_services(here, &to,
                [&](const system_services& services) noexcept { now_ns = services.measured_ns(); });
  if (now_ns == 0) return;
  std::memcpy(time_place(e), &now_ns, sizeof now_ns);
  e.detail |= envelope::has_time;
  program_oldest_sends.note({.slot = to.slot, .generation = e.generation}, now_ns, waits_no_more);
}

std::uint64_t take_send_time(const cell& to, envelope& e) noexcept {
  std::uint64_t sent_ns = 0;
  std::memcpy(&sent_ns, time_place(e), sizeof sent_ns);
  program_oldest_sends.forget({.slot = to.slot, .generation = e.generation}, sent_ns);
  e.detail &= static_cast<std::uint8_t>(~envelope::has_time);
  return sent_ns;
}

std::optional<std::uint64_t> oldest_wait_ns(const cell& of, std::uint32_t generation,
                                            std::uint64_t now_ns) noexcept {
  if (of.box.peek().waits_for_mail()) return std::nullopt;
  return program_oldest_sends.age_ns({.slot = of.slot, .generation = generation}, now_ns);
}

}  // namespace tactor::inline v0::internal
