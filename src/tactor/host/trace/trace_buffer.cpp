// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/trace/trace_buffer.hpp"

#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/runtime/runtime_memory.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/host/trace/trace_context.hpp"
#include "tactor/host/trace/trace_session.hpp"

#include <cstring>
#include <exception>
#include <new>
#include <tuple>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

constexpr std::uint64_t place_of(std::uint32_t buffer, std::size_t index) noexcept {
  return (std::uint64_t{buffer} + 1) << 40U | (index + 1);
}

span_kind kind_of_span(const envelope& e) noexcept {
  switch (e.kind) {
  case envelope_kind::timer:
    return span_kind::timer;
  case envelope_kind::answer:
    return span_kind::answer;
  case envelope_kind::system:
    return span_kind::signal;
  case envelope_kind::message:
  case envelope_kind::timed:
  case envelope_kind::traced:
    break;
  }
  return span_kind::message;
}

/// Whether the sender has recorded it.
bool is_marked(const envelope& e) noexcept {
  const bool is_signal = e.kind == envelope_kind::system || e.kind == envelope_kind::answer;
  return e.kind == envelope_kind::traced || (is_signal && (e.detail & traced_bit) != 0);
}
void unmark(envelope& e) noexcept {
  if (e.kind == envelope_kind::traced) {
    e.kind = envelope_kind::message;
  } else {
    e.detail = static_cast<std::uint8_t>(e.detail & ~traced_bit);
  }
}

/// The key of a signal.
std::optional<signal_key> key_in(envelope& e) noexcept {
  if (e.kind != envelope_kind::system || kind_of(e) != system_message_kind::suspension_command)
    return {};
  const auto& command = *static_cast<const suspension_command*>(payload_of(e));
  if (command.what != suspension_command::kind::signal) return {};
  return command.key;
}

mailbox_index actor_of(origin who) noexcept {
  if (who.what() != origin::kind::actor) return {};
  return {.slot = who.index(), .generation = who.generation};
}

/// What the span causes belongs there.
trace_cause cause_by(const span_facts& span) noexcept {
  return {.trace_high = span.cause.trace_high,
          .trace_low = span.cause.trace_low,
          .span = span.id,
          .is_remote = false};
}

/// The key under which the cause of `e` was kept. Requires: `e` is not marked.
trace_key kept_as(const envelope& e) noexcept {
  if (e.kind == envelope_kind::timer) return trace_key::of(&e);
  const bool answers =
      e.kind == envelope_kind::answer ||
      (e.kind == envelope_kind::system && kind_of(e) == system_message_kind::answer);
  return answers ? trace_key::of_ask(e.from) : trace_key{};
}

/// Whether the program that began the trace does not want it to be recorded.
bool is_unwanted() noexcept {
  const trace_context* const scope = scope_of_thread();
  return scope != nullptr && !scope->sampled;
}

bool has_name(std::string_view full, std::string_view wanted) noexcept {
  if (!full.ends_with(wanted)) return false;
  full.remove_suffix(wanted.size());
  return full.empty() || full.ends_with("::");
}

}  // namespace

trace_buffer::trace_buffer(trace_session& session, std::uint32_t number, std::string thread_name)
    : session_(session),
      number_(number),
      thread_name_(std::move(thread_name)),
      most_chunks_(session.most_ / std::tuple_size_v<decltype(log::chunk::spans)> + 1),
      chunks_(std::make_unique<port::cell<log::chunk*>[]>(most_chunks_)),
      spans_({chunks_.get(), most_chunks_}) {}

trace_buffer::~trace_buffer() {
  for (std::size_t i = 0; i < most_chunks_; ++i)
    delete chunks_[i].get();
}

void trace_buffer::sent(const cell& to, origin sender, envelope& e, std::uint64_t now_ns) noexcept {
  const bool is_message = e.kind == envelope_kind::message;
  const bool is_signal = e.kind == envelope_kind::system || e.kind == envelope_kind::answer;
  if (!(is_message || is_signal) || session_.is_over(now_ns)) return;
  if (is_unwanted()) return;
  const trace_cause why = cause();
  if (why.span == 0 && !begins(to, e)) return;
  log::span* const span =
      add(e, why, actor_of(sender), {.slot = to.slot, .generation = e.generation}, now_ns);
  if (span == nullptr) return;
  span->facts.was_sent = true;
  const std::uint64_t word = session_.word_for(number_, spans_.size());
  if (std::byte* const space = free_space_in(e)) {
    std::memcpy(space, &word, sizeof word);
  } else if (!session_.keep(e, word)) {
    return lost_.add(1);
  }
  if (is_message) {
    e.kind = envelope_kind::traced;
  } else {
    e.detail |= traced_bit;
  }
  note_name(span->facts.from);
  spans_.publish();
  if (e.from.what() == origin::kind::reply_slot)
    session_.kept_causes_.set(trace_key::of_ask(e.from), cause_by(span->facts));
}

void trace_buffer::begin(const cell& c, envelope& e, std::uint64_t now_ns) noexcept {
  current_ = nullptr;
  if (is_marked(e)) {
    std::uint64_t word = 0;
    if (const std::byte* const space = free_space_in(e)) {
      std::memcpy(&word, space, sizeof word);
    } else {
      word = session_.take_kept(e);
    }
    unmark(e);
    current_ = session_.find(word);
  } else if (!is_user_message(e.kind) && !session_.is_over(now_ns)) {
    const trace_cause why = session_.kept_causes_.of(kept_as(e));
    const bool is_first = why.span == 0;
    if (is_first && (e.kind == envelope_kind::answer || !begins(c, e))) return;
    current_ = add(e, why, actor_of(e.from), {}, now_ns);
    if (current_ != nullptr) spans_.publish();
  }
  if (current_ == nullptr) return;
  current_->facts.key = key_in(e);
  begin_here(c, now_ns);
}

void trace_buffer::resumed(const cell& c, trace_key what, const envelope& message,
                           std::uint64_t now_ns) noexcept {
  current_ = nullptr;
  const trace_cause why = session_.kept_causes_.of(what);
  const bool is_first = why.span == 0;
  if (session_.is_over(now_ns) || (is_first && !begins(c, message))) return;
  current_ = add(message, why, actor_of(message.from), {}, now_ns);
  if (current_ == nullptr) return;
  if (is_first) session_.kept_causes_.set(what, cause_by(current_->facts));  // its next parts
  current_->facts.kind = span_kind::resumed;
  spans_.publish();
  begin_here(c, now_ns);
}

/// The actor in `c` does here what the span is about.
void trace_buffer::begin_here(const cell& c, std::uint64_t now_ns) noexcept {
  const mailbox_index here{.slot = c.slot, .generation = c.tenant};
  note_name(here);
  current_->facts.to = here;
  current_->facts.begun_ns = now_ns;
  current_->facts.handled_by = number_;
}

void trace_buffer::end(bool failed, std::uint64_t now_ns) noexcept {
  if (current_ == nullptr) return;
  current_->facts.ended_ns = now_ns;
  current_->facts.failed = failed;
  log::finish(*current_);
  current_ = nullptr;
}

void trace_buffer::kept(trace_key what) noexcept {
  session_.kept_causes_.set(what, is_unwanted() ? trace_cause{} : cause());
}

void trace_buffer::joined(trace_key what) noexcept {
  if (session_.kept_causes_.of(what).span == 0) kept(what);
}

trace_cause trace_buffer::current() const noexcept {
  const trace_cause kept = session_.kept_causes_.of(this_thread().trace.going_on);
  if (kept.span != 0) return kept;
  if (current_ == nullptr) return {};
  return cause_by(current_->facts);
}

/// Where what is sent now belongs.
trace_cause trace_buffer::cause() const noexcept {
  return scope_of_thread() == nullptr ? current() : session_.cause_of_thread();
}

/// Returns: false if there are enough.
bool trace_buffer::grow() noexcept {
  if (!spans_.needs_chunk()) return true;
  const std::size_t more =
      spans_.takes_chunk() ? session_.allow(std::tuple_size_v<decltype(log::chunk::spans)>) : 0;
  auto* const fresh = more != 0 ? new (std::nothrow) log::chunk : nullptr;
  if (fresh == nullptr) return false;
  spans_.add_chunk(*fresh, more);
  return true;
}

/// Fills the next span; the caller publishes it. Returns: null if there are enough.
trace_buffer::log::span* trace_buffer::add(const envelope& e, const trace_cause& why,
                                           mailbox_index from, mailbox_index to,
                                           std::uint64_t now_ns) noexcept {
  if (!grow()) {
    lost_.add(1);
    return nullptr;
  }
  log::span& span = spans_.next();
  const std::uint64_t place = place_of(number_, spans_.size());
  const std::uint64_t id = session_.id_at(place);
  const bool is_first = why.span == 0;
  span.facts = {.id = id,
                .place = place,
                .cause =
                    is_first ? trace_cause{.trace_high = session_.seed_, .trace_low = id} : why,
                .type = e.operations,
                .from = from,
                .to = to,
                .sent_ns = now_ns,
                .sent_by = number_,
                .kind = kind_of_span(e)};
  return &span;
}

bool trace_buffer::begins(const cell& to, const envelope& e) noexcept {
  if (!session_.message_.empty() && !has_name(e.operations->type.name, session_.message_))
    return false;
  try {
    if (!session_.path_.empty() && !is_below(to)) return false;
  } catch (const std::exception&) {
    return false;
  }
  return seen_++ % session_.every_ == 0;
}

bool trace_buffer::is_below(const cell& to) {
  const mailbox_index who{.slot = to.slot, .generation = to.generation()};
  return below_.contains(key_of(who), [&] {
    event_text path;
    session_.system_.write_path(path, who);
    const std::string_view its = path.view();
    const std::string_view top = session_.path_;
    return its.starts_with(top) && (its.size() == top.size() || its[top.size()] == '/');
  });
}

/// Requires: the actor runs on this thread.
void trace_buffer::note_name(mailbox_index who) noexcept {
  if (who.generation == 0 || names_.contains(key_of(who))) return;
  event_text path;
  const system_services& system = session_.system_;
  system.write_path(path, *program_memory.cells.at(who.slot));
  try {
    std::string text{path.view()};
    const std::scoped_lock lock{mutex_};
    names_.emplace(key_of(who), std::move(text));
  } catch (const std::exception&) {
    return;  // it is shown by its number
  }
}

void trace_buffer::add_to(std::vector<span_facts>& spans, names& to, std::uint64_t& unfinished,
                          std::uint64_t& lost) const {
  unfinished += spans_.visit_finished([&spans](const span_facts& each) { spans.push_back(each); });
  lost += lost_.value();
  const std::scoped_lock lock{mutex_};
  to.insert(names_.begin(), names_.end());
}

}  // namespace tactor::inline v0::internal
