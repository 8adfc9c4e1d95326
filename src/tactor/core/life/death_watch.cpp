// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/life/death_watch.hpp"

#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/failure.hpp"
#include "tactor/core/life/start_stop.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/full.hpp"
#include "tactor/core/send/post.hpp"

#include <new>

namespace tactor::inline v0::internal {
namespace {

watch_request& request_in(envelope& e) noexcept {
  return *static_cast<watch_request*>(payload_of(e));
}
watch_entry& entry_in(envelope& e) noexcept {
  return *static_cast<watch_entry*>(payload_of(e));
}

watch_entry* find_watch(const cell& watcher, std::uint64_t key) noexcept {
  const actor_parts* const parts = parts_or_null(watcher);
  return parts == nullptr ? nullptr : static_cast<watch_entry*>(parts->watching.find(key));
}

void set_message(thread_record& here, watch_entry& entry, envelope* told) noexcept {
  if (entry.told != nullptr) discard_envelope(here, *entry.told);
  entry.told = told;
}

template <class T>
envelope* new_system_message(thread_record& here) noexcept {
  envelope* const e = new_envelope<T>(here);
  if (e != nullptr) ::new (payload_of(*e)) T{};
  return e;
}

/// Tells the watched actor, which may have ended.
void send_unwatch(thread_record& here, watch_entry& entry) noexcept {
  set_message(here, entry, nullptr);
  const auto generation = static_cast<std::uint32_t>(entry.key);
  envelope& own = *entry.own;
  if (post_system_message(*entry.target, generation, own, system_message_kind::unwatch)) return;
  release_system_permit(*entry.target, own);
  discard_envelope(here, own);
}

/// Counts one more system message of others at the actor. Returns: false if too many wait there.
bool try_acquire_command_permit(cell& at) noexcept {
  if (at.commands_waiting.fetch_add(1, relaxed) < most_commands) return true;  // relaxed: a number
  at.commands_waiting.fetch_sub(1, relaxed);                                   // relaxed: a number
  return false;
}

/// Tells whether it is an ancestor, which outlives the actor. A guardian takes no messages.
bool is_above(const actor_ref<>& who, const cell& c) noexcept {
  const cell* above = c.parent;
  while (above != nullptr && above != who.slot())
    above = above->parent;
  return above != nullptr && above->generation() == who.generation();
}

envelope*& previous_of(envelope& e) noexcept {
  return is_own_watch(e) ? entry_in(e).previous : request_in(e).previous;
}
void link(actor_parts& parts, envelope& e) noexcept {
  previous_of(e) = nullptr;
  e.next.set(parts.watches);
  if (parts.watches != nullptr) previous_of(*parts.watches) = &e;
  parts.watches = &e;
}
void unlink(actor_parts& parts, envelope& e) noexcept {
  envelope* const before = previous_of(e);
  envelope* const after = e.next.get();
  if (before == nullptr) {
    parts.watches = after;
  } else {
    before->next.set(after);
  }
  if (after != nullptr) previous_of(*after) = before;
}
/// Removes what the watcher keeps.
void forget(actor_parts& parts, watch_entry& entry) noexcept {
  parts.watching.erase(entry);
  unlink(parts, *entry.own);
}

/// Makes both envelopes of a watch. Returns: null if there is no memory.
watch_entry* new_entry(thread_record& here, cell& watcher) noexcept {
  const actor_parts* const parts = parts_of(here, watcher);
  envelope* const request = parts == nullptr ? nullptr : new_system_message<watch_request>(here);
  envelope* const own = request == nullptr ? nullptr : new_system_message<watch_entry>(here);
  if (own == nullptr) {
    if (request != nullptr) discard_envelope(here, *request);
    return nullptr;
  }
  watch_entry& entry = entry_in(*own);
  entry.own = own;
  entry.request = request;
  return &entry;
}

void send_request(thread_record& here, cell& watcher, envelope& request,
                  const actor_ref<>& target) noexcept {
  request_in(request) = {.watcher = &watcher,
                         .watcher_generation = watcher.tenant,
                         .why = termination::stopped,
                         .previous = nullptr};
  request.from = origin::of_actor(target.slot()->slot, target.generation());
  if (post_system_message(*target.slot(), target.generation(), request, system_message_kind::watch))
    return;
  if (is_above(target, watcher)) {
    discard_envelope(here, request);
  } else {
    return_to_watcher(here, request, termination::stopped);
  }
}

}  // namespace

// Not in the header: code with exceptions has its own `operations_of`.
bool is_own_watch(const envelope& e) noexcept {
  return e.operations == &operations_of<watch_entry>;
}

std::expected<void, watch_error> watch(thread_record& here, cell& watcher, const actor_ref<>& whom,
                                       envelope* told) noexcept {
  const auto refused = [&](watch_error why) {
    if (told != nullptr) discard_envelope(here, *told);
    return std::unexpected{why};
  };
  if (whom == actor_ref<>{&watcher, watcher.tenant}) return refused(watch_error::oneself);
  if (program_features().watches == nullptr) return refused(watch_error::no_memory);
  // An empty reference counts as a stale one: to this actor's slot, before its first tenant.
  const actor_ref<> target = whom ? whom : actor_ref<>{&watcher, 0};
  const std::uint64_t key = target.index().key();
  if (watch_entry* const known = find_watch(watcher, key)) {
    known->ended = false;
    set_message(here, *known, told);
    return {};
  }
  watch_entry* const entry = new_entry(here, watcher);
  if (entry == nullptr) return refused(watch_error::no_memory);
  entry->key = key;
  entry->target = target.slot();
  entry->told = told;
  watcher.parts->watching.insert(*entry);
  link(*watcher.parts, *entry->own);
  send_request(here, watcher, *entry->request, target);
  return {};
}

bool unwatch(thread_record& here, cell& watcher, const actor_ref<>& whom) noexcept {
  watch_entry* const entry =
      find_watch(watcher, (whom ? whom : actor_ref<>{&watcher, 0}).index().key());
  if (entry == nullptr || entry->ended) return false;
  entry->holds_permit = try_acquire_command_permit(*entry->target);
  if (!entry->holds_permit) {  // so that watching and unwatching without end needs no more memory
    entry->ended = true;
    set_message(here, *entry, nullptr);
    return true;
  }
  forget(*watcher.parts, *entry);
  send_unwatch(here, *entry);
  return true;
}

void unwatch_children(thread_record& here, cell& watcher) noexcept {
  for (cell* child = watcher.first_child; child != nullptr; child = child->next_sibling)
    (void)unwatch(here, watcher, actor_ref<>{child, child->generation()});
}

void take_watch(thread_record& here, cell& c, envelope& e) noexcept {
  actor_parts* const parts = parts_of(here, c);
  if (parts == nullptr) {  // without memory it cannot tell later: it tells now
    c.wanted.stop = true;
    c.failed = true;
    report_failure(*here.services, c, nullptr, failure{"no memory for a watcher"}, {});
    return return_to_watcher(here, e, termination::failed);
  }
  link(*parts, e);
}

void take_unwatch(thread_record& here, cell& c, envelope& e) noexcept {
  // Both messages took one path: the request is in the list, unless `take_watch` had no memory and
  // stops the actor.
  if (c.stage != lifecycle_stage::stopping && !c.wanted.stop) {
    envelope& request = *entry_in(e).request;
    unlink(*c.parts, request);
    discard_envelope(here, request);
  }
  discard_envelope(here, e);
}

void return_to_watcher(thread_record& here, envelope& e, termination why) noexcept {
  watch_request& request = request_in(e);
  request.why = why;
  if (!post_system_message(*request.watcher, request.watcher_generation, e,
                           system_message_kind::terminated))
    discard_envelope(here, e);
}

terminated_notice take_terminated(thread_record& here, cell& c, envelope& e) noexcept {
  terminated_notice notice;
  if (watch_entry* const entry =
          find_watch(c, mailbox_index{e.from.index(), e.from.generation}.key())) {
    forget(*c.parts, *entry);
    const auto generation = static_cast<std::uint32_t>(entry->key);
    notice = {.wanted = !entry->ended,
              .told = entry->told,
              .who = generation == 0 ? actor_ref<>{} : actor_ref<>{entry->target, generation},
              .why = request_in(e).why};
    discard_envelope(here, *entry->own);
  }
  discard_envelope(here, e);
  return notice;
}

void end_watches(thread_record& here, cell& c) noexcept {
  actor_parts* const parts = parts_or_null(c);
  if (parts == nullptr) return;
  parts->watching = {};
  while (envelope* const e = parts->watches) {
    parts->watches = e->next.get();
    if (is_own_watch(*e)) {
      send_unwatch(here, entry_in(*e));
    } else {
      return_to_watcher(here, *e, end_of(c));
    }
  }
  while (envelope* const e = parts->deferred.pop())
    discard_envelope(here, *e);
}

}  // namespace tactor::inline v0::internal
