// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/life/stash.hpp"

#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/start_stop.hpp"
#include "tactor/core/send/answer.hpp"
#include "tactor/core/send/dead_letters.hpp"
#include "tactor/core/send/envelopes.hpp"

#include <algorithm>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

/// The record, made if there is none. Returns: null if there is no memory.
stash_record* make_stash(thread_record& here, cell& c) noexcept {
  actor_parts* const parts = program_features().stash == nullptr ? nullptr : parts_of(here, c);
  if (parts == nullptr) return nullptr;
  if (parts->stash == nullptr) parts->stash = new_record<stash_record>(here);
  return parts->stash;
}

/// Tells whether one of the actor's own handlers or continuations runs on this thread.
bool is_in_handler(const thread_record& here, const cell& c) noexcept {
  const bool alive = c.stage == lifecycle_stage::running || c.stage == lifecycle_stage::draining;
  return alive && here.sender == origin::of_actor(c.slot, c.tenant);
}

/// The message being handled, if it is replayed; null otherwise.
envelope* replayed_now(const cell& c, const stash_record& s) noexcept {
  return s.to_replay != 0 && c.current == s.messages.front() ? c.current : nullptr;
}

envelope* pop(stash_record& s) noexcept {
  --s.size;
  if (s.to_replay != 0) --s.to_replay;
  return s.messages.pop();
}

void begin_replay(cell& c, stash_record& s, std::uint32_t most) noexcept {
  s.to_replay = std::max(s.to_replay, std::min(most, s.size));
  if (s.to_replay == 0) return;
  c.ordinary = false;         // off the fast path, until the replay is over
  (void)c.box.give_notice();  // the cell is running, and does not become idle
}

}  // namespace

stash_record* stash_of(const cell& c) noexcept {
  const actor_parts* const parts = parts_or_null(c);
  return parts == nullptr ? nullptr : parts->stash;
}

std::expected<void, stash_error> check_stash(thread_record& here, cell& c,
                                             const message_operations& what) noexcept {
  if (!is_in_handler(here, c)) return std::unexpected{stash_error::not_running};
  if (c.current == nullptr || !same_type(*c.current->operations, what))
    return std::unexpected{stash_error::not_current};
  if (c.current->state() == is_stashed) return std::unexpected{stash_error::already_stashed};
  const stash_record* const s = make_stash(here, c);
  if (s == nullptr) return std::unexpected{stash_error::no_memory};
  // A message that is stashed again takes its own place.
  const std::uint32_t others = s->size - (replayed_now(c, *s) != nullptr ? 1 : 0);
  if (others >= s->capacity) return std::unexpected{stash_error::full};
  return {};
}

void stash(cell& c, envelope& fresh) noexcept {
  stash_record& s = *stash_of(c);
  envelope& current = *c.current;
  fresh.kind =
      current.kind == envelope_kind::system ? envelope_kind::system : envelope_kind::message;
  fresh.generation = c.tenant;
  fresh.from = current.from;
  s.messages.push(fresh);
  ++s.size;
  current.set_state(is_stashed);
  if (current.kind != envelope_kind::system) ++this_thread().unhandled;
  // What the handler returns now is no answer.
  if (current.from.what() == origin::kind::reply_slot) current.from = {};
}

std::expected<void, stash_error> unstash(thread_record& here, cell& c,
                                         std::uint32_t most) noexcept {
  if (!is_in_handler(here, c)) return std::unexpected{stash_error::not_running};
  stash_record* const s = stash_of(c);
  if (s == nullptr) return {};
  // The message being replayed is not among the `most`.
  const std::uint32_t now = replayed_now(c, *s) != nullptr ? 1 : 0;
  begin_replay(c, *s, most > s->size - now ? s->size : most + now);
  return {};
}

bool is_current_stashed(const thread_record& here, const cell& c) noexcept {
  const bool handles = is_in_handler(here, c) && !here.ending && c.current != nullptr;
  return handles && c.current->state() == is_stashed;
}

bool set_stash_capacity(thread_record& here, cell& c, std::uint32_t capacity) noexcept {
  stash_record* const s = make_stash(here, c);
  if (s == nullptr) return false;
  s->capacity = capacity;
  return true;
}

void clear_stash(thread_record& here, cell& c) noexcept {
  stash_record* const s = stash_of(c);
  if (s == nullptr || s->messages.empty()) return;
  envelope* const kept = replayed_now(c, *s);
  intrusive_fifo<envelope> others = std::exchange(s->messages, {});
  if (kept != nullptr) s->messages.push(*others.pop());
  s->size = s->to_replay = kept != nullptr ? 1 : 0;
  while (envelope* const e = others.pop()) {
    const origin from = e->from;
    if (e->kind != envelope_kind::system) --here.unhandled;  // it counts as handled
    discard_envelope(here, *e);
    refuse_answer(here, from, ask_failure::no_reply);
  }
}

void replay_after_restart(cell& c) noexcept {
  if (stash_record* const s = stash_of(c)) begin_replay(c, *s, s->size);
}

envelope* next_replayed(const cell& c) noexcept {
  const stash_record* const s = stash_of(c);
  return s == nullptr || s->to_replay == 0 ? nullptr : s->messages.front();
}

envelope& take_replayed(cell& c) noexcept {
  stash_record& s = *stash_of(c);
  envelope& taken = *pop(s);
  if (s.to_replay == 0) enter_stage(c, c.stage);  // the fast path again
  return taken;
}

void end_replayed(thread_record& here, cell& c) noexcept {
  discard_envelope(here, take_replayed(c));
}

void drop_replayed(thread_record& here, cell& c, drop_reason why) noexcept {
  end_as_dead_letter(here, &c, take_replayed(c), why);
}

void end_stash(thread_record& here, cell& c) noexcept {
  stash_record* const s = stash_of(c);
  if (s == nullptr) return;
  while (!s->messages.empty())
    end_as_dead_letter(here, &c, *pop(*s), drop_reason::stopped);
}

// The services of the thread that runs the actor are those of the actor's system.
std::expected<void, stash_error> unstash_or_warn(cell& c, std::uint32_t most) noexcept {
  thread_record& here = this_thread();
  auto result = unstash(here, c, most);
  if (!result && here.services != nullptr) here.services->misused(c, to_text(result.error()));
  return result;
}

}  // namespace tactor::inline v0::internal
