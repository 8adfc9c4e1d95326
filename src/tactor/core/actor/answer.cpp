// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/answer.hpp"

namespace tactor::inline v0::internal {

void send_answer(thread_record& here, origin question, envelope& answer) noexcept {
  answer.from = here.sender;
  cell* const asked = program_memory.cells.at(question.index());
  if (offer(here, asked, question.generation, answer).result == tell_result::ok) return;
  answer.generation = question.generation;
  end_as_dead_letter(here, asked, answer, drop_reason::no_question);
}

void refuse_answer(thread_record& here, origin from, ask_failure why) noexcept {
  if (from.what() != origin::kind::question) return;
  cell* const asked = program_memory.cells.at(from.index());
  envelope* const e = enclose<not_answered>(here, not_answered{.why = why});
  if (e == nullptr) return;  // it will time out
  e->from = {};
  if (offer(here, asked, from.generation, *e).result != tell_result::ok) discard_envelope(here, *e);
}

}  // namespace tactor::inline v0::internal
