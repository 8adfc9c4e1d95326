// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/send/traced_messages.hpp"

#include "tactor/core/cell/system_gate.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/message/message_trailer.hpp"

#include <cstdint>
#include <utility>

namespace tactor::inline v0::internal {

envelope* new_traced_envelope(thread_record& here, const message_operations& what) noexcept {
  program_memory.note(here);
  const unsigned size_class =
      envelope_pool::size_class_for(what.size + sizeof(message_trailer), what.alignment);
  envelope* const e = size_class == large_size_class
                          ? program_memory.envelopes.allocate_large(what.size, what.alignment)
                          : program_memory.envelopes.allocate(here.envelopes, size_class);
  if (e == nullptr) return nullptr;
  e->operations = &what;
  e->kind = envelope_kind::message;
  e->detail = 0;
  if (here.trace.place.span != 0) {
    const std::uint64_t now_ns =
        here.services == nullptr ? message_trailer::not_known : here.services->now_ns();
    set_trailer(*e, {.made_in = here.trace.place, .made_ns = now_ns});
  }
  return e;
}

namespace {

void record_send(trace_recorder& by, const system_services& services, origin sender, const cell& to,
                 envelope& e) noexcept {
  const std::uint64_t now_ns = services.now_ns();
  if (message_trailer* const known = trailer_of(e)) {
    // Outside, the clock of the system is not known before.
    if (known->made_ns == message_trailer::not_known) known->made_ns = now_ns;
  } else {
    by.sent(to, sender, e, now_ns);
  }
}

}  // namespace

void trace_send(thread_record& here, cell& to, envelope& e) noexcept {
  if (trace_recorder* const by = here.trace.recorder)
    return record_send(*by, *here.services, here.sender, to, e);
  if (here.services != nullptr) return;
  tell_services(here, &to, [&](const system_services& services) noexcept {
    // no mutant: the recorder was there before the system's threads, and has a lock
    if (trace_recorder* const by = services.outside_trace.load(acquire))  // pairs: trace.outside
      record_send(*by, services, here.sender, to, e);
  });
}

void call_span::begin(const cell& c, envelope& e, traced_call how) noexcept {
  before_ = std::exchange(here_.trace.place, {});
  by_->begin(c, e, how, here_.services->now_ns());
}

void call_span::end() noexcept {
  here_.trace.place = *before_;
  by_->end(failed_, here_.services->now_ns());
}

}  // namespace tactor::inline v0::internal
