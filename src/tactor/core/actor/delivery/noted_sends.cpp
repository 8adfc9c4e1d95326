// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/delivery/noted_sends.hpp"

#include "tactor/core/actor/cell/oldest_sends.hpp"
#include "tactor/core/actor/cell/system_services.hpp"
#include "tactor/core/actor/cell/trace_recorder.hpp"
#include "tactor/core/actor/delivery/tell_services.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/observe/turn_times.hpp"
#include "tactor/core/observe/worker_counters.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tactor::inline v0::internal {

namespace {

/// Whether the actor of an entry has ended, or has no messages.
bool waits_no_more(std::uint32_t slot, waiting_send what) noexcept {
  const cell& c = *program_memory.cells.at(slot);
  return !what.is_for({.slot = slot, .generation = c.generation()}) ||
         c.box.peek().waits_for_mail();
}

std::uint64_t send_time_of(envelope& e) noexcept {
  std::uint64_t sent_ns = 0;
  std::memcpy(&sent_ns, free_space_in(e), sizeof sent_ns);
  return sent_ns;
}

/// Notes in one message of many when it is sent: in a turn that is measured, or on a thread outside.
void note_send_time(thread_record& here, cell& to, envelope& e) noexcept {
  constexpr std::uint32_t one_in = 256;  // messages of threads outside
  std::byte* const at = e.kind == envelope_kind::message ? free_space_in(e) : nullptr;
  if (at == nullptr) return;
  if (here.fast_limits == thread_record::measured) {
    turn_times* const times = times_of(here.counters);
    if (times == nullptr || !times->notes_send()) return;
    here.fast_limits = 0;
  } else if (here.sends % one_in != 0) {
    return;
  }
  std::uint64_t now_ns = 0;
  tell_services(here, &to,
                [&](const system_services& services) noexcept { now_ns = services.measured_ns(); });
  if (now_ns == 0) return;
  std::memcpy(at, &now_ns, sizeof now_ns);
  e.kind = envelope_kind::timed;
  program_oldest_sends.note({.slot = to.slot, .generation = e.generation}, now_ns, waits_no_more);
}

void record_send(trace_recorder& by, const thread_record& here, const cell& to,
                 envelope& e) noexcept {
  by.sent(to, here.sender, e, here.services->now_ns());
}

// A board has no recorder, and its compiler knows that: a reference keeps it from a warning.
void record_kept(trace_recorder& by, trace_key what) noexcept {
  by.kept(what);
}
void record_joined(trace_recorder& by, trace_key what) noexcept {
  by.joined(what);
}
void record_put_aside(trace_recorder& by, const system_services& services, const cell& to,
                      envelope& e) noexcept {
  if (by.current().span != 0) by.sent(to, e.from, e, services.now_ns());
}

/// Context: inside of the gate.
trace_recorder* outside_recorder(const system_services& services) noexcept {
  // no mutant: the recorder was there before the system's threads, and has a lock
  return services.outside_trace.load(acquire);  // pairs: trace.outside
}

/// While a trace runs, the message may become part of it. Returns: false if none runs here.
bool note_traced(thread_record& here, cell& to, envelope& e) noexcept {
  if (here.trace.recorder != nullptr) {
    record_send(*here.trace.recorder, here, to, e);
    return true;
  }
  if (here.fast_limits != thread_record::counted_elsewhere || !is_traced()) return false;
  tell_services(here, &to, [&](const system_services& services) noexcept {
    if (trace_recorder* const by = outside_recorder(services))
      by->sent(to, here.sender, e, services.now_ns());
  });
  return e.kind == envelope_kind::traced;
}

}  // namespace

void note_send(thread_record& here, cell& to, envelope& e) noexcept {
  if (!note_traced(here, to, e)) note_send_time(here, to, e);
}

void note_traced_signal(thread_record& here, const cell& to, envelope& e) noexcept {
  if (here.trace.recorder != nullptr) record_send(*here.trace.recorder, here, to, e);
}

void note_traced_command(thread_record& here, cell& to, envelope& e) noexcept {
  if (here.trace.recorder != nullptr) return record_send(*here.trace.recorder, here, to, e);
  if (!is_traced()) return;
  tell_services(here, &to, [&](const system_services& services) noexcept {
    if (trace_recorder* const by = outside_recorder(services))
      by->sent(to, here.sender, e, services.now_ns());
  });
}

void note_kept(thread_record& here, cell* of, trace_key what) noexcept {
  if (here.trace.recorder != nullptr) return record_kept(*here.trace.recorder, what);
  tell_services(here, of, [&](const system_services& services) noexcept {
    if (trace_recorder* const by = outside_recorder(services)) by->kept(what);
  });
}

void note_put_aside(thread_record& here, const cell& to, envelope& e) noexcept {
  if (here.trace.recorder != nullptr) record_put_aside(*here.trace.recorder, *here.services, to, e);
}

void note_joined(thread_record& here, trace_key what) noexcept {
  if (here.trace.recorder != nullptr) record_joined(*here.trace.recorder, what);
}

void note_kept_signal(thread_record& here, const cell& to, envelope& e, trace_key what) noexcept {
  const going_on kept{here, what};
  note_put_aside(here, to, e);
}

void note_kept_send(thread_record& here, cell& to, envelope& e) noexcept {
  const going_on kept{here, trace_key::of(&e)};
  (void)note_traced(here, to, e);
}

std::byte* free_space_in(envelope& e) noexcept {
  if (e.size_class >= envelope_size_classes) return nullptr;
  const std::size_t used = payload_offset(e.operations->alignment) + e.operations->size;
  const std::size_t size = envelope_pool::block_size(e.size_class);
  if (used + sizeof(std::uint64_t) > size) return nullptr;
  return reinterpret_cast<std::byte*>(&e) + size - sizeof(std::uint64_t);
}

std::uint64_t take_send_time(const cell& to, envelope& e) noexcept {
  const std::uint64_t sent_ns = send_time_of(e);
  program_oldest_sends.forget({.slot = to.slot, .generation = e.generation}, sent_ns);
  e.kind = envelope_kind::message;
  return sent_ns;
}

std::optional<std::uint64_t> oldest_wait_ns(const cell& of, std::uint32_t generation,
                                            std::uint64_t now_ns) noexcept {
  if (of.box.peek().waits_for_mail()) return std::nullopt;
  return program_oldest_sends.age_ns({.slot = of.slot, .generation = generation}, now_ns);
}

}  // namespace tactor::inline v0::internal
