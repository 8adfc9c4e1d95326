// SPDX-License-Identifier: BSL-1.0
// The slow path of asks of actors. A board without any does not link it.
#include "tactor/core/actor/lifecycle/pending_asks.hpp"
#include "tactor/core/actor/turn/slow_path.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

void link_asks() noexcept {}

/// Calls the continuation of the ask that `answer` belongs to. There is no current message: the
/// message that asked has been handled. Returns: false if no such ask is pending.
bool slow_path::continue_ask(envelope& answer) noexcept {
  if (internal::is_overdue_note(cell_, answer)) {
    internal::take_overdue_note(cell_);
    expire_asks(services_.now_ns());
    return true;
  }
  cell_.current = nullptr;
  here_.handling.store(answer.operations, relaxed);  // relaxed: a hint
  failure why;
  const bool traced = here_.trace.recorder != nullptr;
  const call_result said = traced ? take_traced_answer(*here_.trace.recorder, answer, why)
                                  : internal::take_answer(here_, services_, cell_, answer, why);
  if (said != call_result::unhandled) {
    ++result_.handled;
    if (said == call_result::failed) {
      fail(answer.operations, {}, why);
    } else {
      cell_.active = true;
    }
  }
  if (traced) end_traced(*here_.trace.recorder, said);
  return said != call_result::unhandled;
}

call_result slow_path::take_traced_answer(trace_recorder& by, envelope& answer,
                                          failure& why) noexcept {
  by.begin(cell_, answer, services_.now_ns());
  return internal::take_answer(here_, services_, cell_, answer, why);
}

/// Ends pending asks whose timeout has passed: a few, and the rest after the messages that are queued
/// by now.
void slow_path::expire_asks(std::uint64_t now_ns) noexcept {
  constexpr std::uint32_t most = 64;
  for (std::uint32_t ended = 0; runs() && internal::has_due_ask(cell_, now_ns); ++ended) {
    if (ended >= most && internal::note_overdue_asks(here_, cell_)) return;
    fail_first_ask(ask_failure::timed_out, now_ns);
  }
  if (cell_.wanted.stop || internal::set_next_deadline(services_, cell_, now_ns)) return;
  // There is no timer for the others: end them now rather than never.
  while (runs() && internal::has_due_ask(cell_, ~std::uint64_t{0}))
    fail_first_ask(ask_failure::refused, now_ns);
}

void slow_path::fail_first_ask(ask_failure why_none, std::uint64_t now_ns) noexcept {
  cell_.current = nullptr;
  called_ = true;
  here_.handling.store(nullptr, relaxed);  // relaxed: a hint
  failure why;
  if (internal::fail_first_ask(here_, cell_, why_none, now_ns, why) == call_result::failed)
    fail(nullptr, {}, why);
}

}  // namespace tactor::inline v0::internal
