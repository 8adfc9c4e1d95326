// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/send/send_times.hpp"

#include "tactor/core/cell/system_gate.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/message/message_trailer.hpp"
#include "tactor/core/observe/turn_times.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/core/send/runtime_memory.hpp"

#include <cstddef>
#include <cstring>

namespace tactor::inline v0::internal {

namespace {

/// Returns true if the time of this send is noted: some are, of turns that are measured and of
/// threads outside.
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
  if (e.generation == to.generation()) to.oldest_mail.note_sent(now_ns);
}

std::uint64_t take_send_time(cell& to, envelope& e) noexcept {
  std::uint64_t sent_ns = 0;
  std::memcpy(&sent_ns, time_place(e), sizeof sent_ns);
  to.oldest_mail.forget(sent_ns);
  e.detail &= static_cast<std::uint8_t>(~envelope::has_time);
  return sent_ns;
}

}  // namespace tactor::inline v0::internal
