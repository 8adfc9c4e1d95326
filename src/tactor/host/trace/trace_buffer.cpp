// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/trace/trace_buffer.hpp"

#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/host/trace/trace_session.hpp"

#include <exception>
#include <new>
#include <tuple>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

constexpr std::uint64_t place_of(std::uint16_t buffer, std::uint64_t index) noexcept {
  return (std::uint64_t{buffer} + 1) << 40U | (index + 1);
}

span_kind kind_of_span(const envelope& e, traced_call how) noexcept {
  if (how == traced_call::resumed) return span_kind::resumed;
  switch (e.kind) {
  case envelope_kind::timer:
    return span_kind::timer;
  case envelope_kind::answer:
    return span_kind::answer;
  case envelope_kind::system:
    return span_kind::signal;
  case envelope_kind::message:
    break;
  }
  return span_kind::message;
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

bool has_name(std::string_view full, std::string_view wanted) noexcept {
  if (!full.ends_with(wanted)) return false;
  full.remove_suffix(wanted.size());
  return full.empty() || full.ends_with("::");
}

}  // namespace

trace_buffer::trace_buffer(trace_session& session, std::uint16_t number, std::string thread_name)
    : session_(session),
      number_(number),
      thread_name_(std::move(thread_name)),
      most_chunks_(session.most_ / std::tuple_size_v<decltype(log::chunk::spans)> + 1),
      chunks_(std::make_unique<port::plain<log::chunk*>[]>(most_chunks_)),
      spans_({chunks_.get(), most_chunks_}) {}

trace_buffer::~trace_buffer() {
  for (std::size_t i = 0; i < most_chunks_; ++i)
    delete chunks_[i].get();
}

void trace_buffer::sent(const cell& to, origin sender, envelope& e, std::uint64_t now_ns) noexcept {
  if (session_.is_over(now_ns) || !begins(to, e)) return;
  if (!is_free(e, trailer_place(e))) return lost_.add(1);  // it was made before the trace
  set_trailer(e, {.made_in = first_place(), .made_ns = now_ns});
  record_name(actor_of(sender));
}

/// A new trace, which began here.
trace_place trace_buffer::first_place() noexcept {
  constexpr std::uint64_t no_span = std::uint64_t{1} << 63U;
  return {.trace_high = session_.seed_,
          .trace_low = session_.id_at(no_span | place_of(number_, first_++)),
          .session = session_.number_,
          .thread = number_};
}

void trace_buffer::begin(const cell& c, envelope& e, traced_call how,
                         std::uint64_t now_ns) noexcept {
  in_call_ = false;
  if (session_.is_over(now_ns)) return;
  message_trailer* const known = trailer_of(e);
  // A message is asked when it is sent whether it begins a trace.
  const bool may_begin = e.kind == envelope_kind::timer || e.kind == envelope_kind::system;
  if (known == nullptr && (how == traced_call::resumed || !may_begin || !begins(c, e))) return;
  const trace_place made_in = known == nullptr ? first_place() : known->made_in;
  if (made_in.session != 0 && made_in.session != session_.number_) return;  // of an earlier trace
  trace_place& here = this_thread().trace.place;
  here = made_in;
  if (!made_in.sampled) return;
  if (!grow()) return lost_.add(1);
  in_call_ = true;
  const std::uint64_t place = place_of(number_, spans_.size());
  const bool is_first_part = how == traced_call::message && e.kind != envelope_kind::timer;
  const bool was_sent =
      known != nullptr && is_first_part && known->made_ns != message_trailer::not_known;
  const mailbox_index to{.slot = c.slot, .generation = c.tenant};
  span_facts& span = spans_.next();
  span = {.id = session_.id_at(place),
          .place = place,
          .made_in = made_in,
          .type = e.operations,
          .from = actor_of(e.from),
          .to = to,
          .made_ns = was_sent ? known->made_ns : now_ns,
          .begun_ns = now_ns,
          .handled_by = number_,
          .kind = kind_of_span(e, how),
          .was_sent = was_sent,
          .key = key_in(e)};
  record_name(to);
  here.span = span.id;
  here.session = session_.number_;
  here.thread = number_;
  // What a coroutine of this message does later has this span as its cause.
  if (known != nullptr && is_first_part) known->made_in = here;
}

void trace_buffer::end(bool failed, std::uint64_t now_ns) noexcept {
  if (!in_call_) return;
  in_call_ = false;
  spans_.next().ended_ns = now_ns;
  spans_.next().failed = failed;
  spans_.publish();
}

/// Makes room for one span. Returns: false if there are enough.
bool trace_buffer::grow() noexcept {
  if (spans_.needs_chunk()) {
    auto* const fresh = spans_.takes_chunk() ? new (std::nothrow) log::chunk : nullptr;
    if (fresh == nullptr) return false;
    spans_.add_chunk(*fresh);
  }
  return session_.allow_span();
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
  return below_.contains(who.key(), [&] {
    event_text path;
    session_.system_.write_path(path, who);
    const std::string_view its = path.view();
    const std::string_view top = session_.path_;
    return its.starts_with(top) && (its.size() == top.size() || its[top.size()] == '/');
  });
}

/// Requires: the actor runs on this thread.
void trace_buffer::record_name(mailbox_index who) noexcept {
  if (who.generation == 0 || names_.contains(who.key())) return;
  event_text path;
  const system_services& system = session_.system_;
  system.write_path(path, *program_memory.cells.at(who.slot));
  try {
    std::string text{path.view()};
    const std::scoped_lock lock{mutex_};
    names_.emplace(who.key(), std::move(text));
  } catch (const std::exception&) {
    return;  // it is shown by its number
  }
}

void trace_buffer::add_to(std::vector<span_facts>& spans, names& to, std::uint64_t& lost) const {
  spans_.visit([&spans](const span_facts& each) { spans.push_back(each); });
  lost += lost_.value();
  const std::scoped_lock lock{mutex_};
  to.insert(names_.begin(), names_.end());
}

}  // namespace tactor::inline v0::internal
