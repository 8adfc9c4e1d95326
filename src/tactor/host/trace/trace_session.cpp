// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/trace/trace_session.hpp"

#include "tactor/core/actor/cell/runtime_memory.hpp"
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/system/system_core.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

constexpr std::uint64_t span_id(std::uint32_t buffer, std::size_t index) noexcept {
  return (std::uint64_t{buffer} + 1) << 40U | (index + 1);
}

std::uint16_t next_number() noexcept {
  static port::atomic<std::uint32_t> last;  // Written by: traces that start. Publishes: nothing.
  const std::uint32_t number = last.fetch_add(1, relaxed);  // relaxed: a number
  return static_cast<std::uint16_t>(number % 0xFFFF + 1);
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

/// A number that looks random.
constexpr std::uint64_t mixed(std::uint64_t value) noexcept {
  value += 0x9E37'79B9'7F4A'7C15U;
  value = (value ^ value >> 30U) * 0xBF58'476D'1CE4'E5B9U;
  value = (value ^ value >> 27U) * 0x94D0'49BB'1331'11EBU;
  return value ^ value >> 31U;
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
      chunks_(std::make_unique<std::unique_ptr<chunk>[]>(session.most_ / in_chunk + 1)) {}

void trace_buffer::sent(const cell& to, origin sender, envelope& e, std::uint64_t now_ns) noexcept {
  const bool is_message = e.kind == envelope_kind::message;
  const bool is_signal = e.kind == envelope_kind::system || e.kind == envelope_kind::answer;
  if (!(is_message || is_signal) || session_.is_over(now_ns)) return;
  if (current_ == nullptr && !begins(to, e)) return;
  trace_span* const span =
      add(e, actor_of(sender), {.slot = to.slot, .generation = e.generation}, now_ns);
  if (span == nullptr) return;
  span->facts.was_sent = true;
  const std::size_t index = size_.load(relaxed);  // relaxed: of this thread
  const std::uint64_t word = session_.word_for(number_, index);
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
  // no mutant: the scenarios have no traces; TSan sees it in host.trace
  size_.store(index + 1, release);  // pairs: trace.size
}

void trace_buffer::begin(const cell& c, envelope& e, std::uint64_t now_ns) noexcept {
  current_ = nullptr;
  const mailbox_index here{.slot = c.slot, .generation = c.tenant};
  if (is_marked(e)) {
    std::uint64_t word = 0;
    if (const std::byte* const space = free_space_in(e)) {
      std::memcpy(&word, space, sizeof word);
    } else {
      word = session_.take_kept(e);
    }
    unmark(e);
    current_ = session_.find(word);
  } else if ((e.kind == envelope_kind::timer || e.kind == envelope_kind::system) &&
             !session_.is_over(now_ns) && begins(c, e)) {
    current_ = add(e, actor_of(e.from), here, now_ns);
    const std::size_t size = size_.load(relaxed);  // relaxed: of this thread
    // no mutant: as above
    if (current_ != nullptr) size_.store(size + 1, release);  // pairs: trace.size
  }
  if (current_ == nullptr) return;
  note_name(here);
  current_->facts.to = here;
  current_->facts.key = key_in(e);
  current_->facts.begun_ns = now_ns;
  current_->facts.handled_by = number_;
}

void trace_buffer::end(bool failed, std::uint64_t now_ns) noexcept {
  if (current_ == nullptr) return;
  current_->facts.ended_ns = now_ns;
  current_->facts.failed = failed;
  // no mutant: the scenarios have no traces; TSan sees it in host.trace
  current_->is_done.store(true, release);  // pairs: trace.done
  current_ = nullptr;
}

/// Fills the next span; the caller publishes it. Returns: null if there are enough.
trace_span* trace_buffer::add(const envelope& e, mailbox_index from, mailbox_index to,
                              std::uint64_t now_ns) noexcept {
  const std::size_t index = size_.load(relaxed);  // relaxed: of this thread
  if (index == end_of_chunks_) {
    const std::size_t more = index % in_chunk == 0 ? session_.allow(in_chunk) : 0;
    auto* const fresh = more != 0 ? new (std::nothrow) chunk : nullptr;
    if (fresh == nullptr) {
      lost_.add(1);
      return nullptr;
    }
    chunks_[index / in_chunk].reset(fresh);
    end_of_chunks_ += more;
  }
  trace_span& span = at(index);
  const std::uint64_t id = span_id(number_, index);
  span.facts = {.id = id,
                .trace = current_ == nullptr ? id : current_->facts.trace,
                .parent = current_ == nullptr ? 0 : current_->facts.id,
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
  const auto [found, is_new] = below_.try_emplace(key_of(who), false);
  if (is_new) {
    event_text path;
    session_.system_.write_path(path, who);
    const std::string_view its = path.view();
    const std::string_view top = session_.path_;
    found->second = its.starts_with(top) && (its.size() == top.size() || its[top.size()] == '/');
  }
  return found->second;
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
  // no mutant: the scenarios have no traces; TSan sees it in host.trace
  const std::size_t size = size_.load(acquire);  // pairs: trace.size
  for (std::size_t i = 0; i < size; ++i) {
    const trace_span& each = chunks_[i / in_chunk]->spans[i % in_chunk];
    // no mutant: as above
    if (each.is_done.load(acquire)) {  // pairs: trace.done
      spans.push_back(each.facts);
    } else {
      ++unfinished;
    }
  }
  lost += lost_.value();
  const std::scoped_lock lock{mutex_};
  to.insert(names_.begin(), names_.end());
}

trace_session::trace_session(system_core& system, const trace_options& options,
                             std::uint64_t now_ns, std::int64_t to_unix_ns)
    : system_(system),
      most_(options.most),
      every_(std::max(options.every, 1U)),
      path_(options.path),
      message_(options.message),
      start_ns_(now_ns),
      end_ns_(now_ns + static_cast<std::uint64_t>(
                           std::chrono::nanoseconds{std::max(options.longest, {})}.count())),
      to_unix_ns_(to_unix_ns),
      number_(next_number()),
      left_(options.most) {}

bool trace_session::is_over() const noexcept {
  return is_over(system_.now_ns());
}

trace_buffer* trace_session::join(std::string_view thread_name) noexcept {
  try {
    const std::scoped_lock lock{mutex_};
    const std::size_t number = buffers_.size();
    if (number == most_threads) return nullptr;
    buffers_.push_back(std::make_unique<trace_buffer>(*this, static_cast<std::uint32_t>(number),
                                                      std::string{thread_name}));
    trace_buffer* const fresh = buffers_.back().get();
    // no mutant: the scenarios have no traces; TSan sees it in host.trace
    by_number_[number].store(fresh, release);  // pairs: trace.buffers
    return fresh;
  } catch (const std::exception&) {
    return nullptr;
  }
}

trace_span* trace_session::find(std::uint64_t word) noexcept {
  if (word >> 48U != number_) return nullptr;  // of an earlier trace
  // no mutant: the scenarios have no traces; TSan sees it in host.trace
  trace_buffer* const from =
      by_number_[word >> 36U & 0xFFFU].load(acquire);  // pairs: trace.buffers
  return &from->at(word & 0xF'FFFF'FFFFU);
}

std::size_t trace_session::allow(std::size_t wanted) noexcept {
  std::size_t left = left_.load(relaxed);  // relaxed: a number
  std::size_t granted = 0;
  do {
    granted = std::min(left, wanted);
  } while (!left_.compare_exchange(left, left - granted, relaxed));  // relaxed: a number
  return granted;
}

bool trace_session::keep(const envelope& e, std::uint64_t word) noexcept {
  try {
    const std::scoped_lock lock{mutex_};
    kept_[&e] = word;
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

std::uint64_t trace_session::take_kept(const envelope& e) noexcept {
  const std::scoped_lock lock{mutex_};
  const auto found = kept_.find(&e);
  if (found == kept_.end()) return 0;  // of an earlier trace
  const std::uint64_t word = found->second;
  kept_.erase(found);
  return word;
}

trace_session::contents trace_session::read() const {
  contents all;
  all.start_ns = start_ns_;
  all.to_unix_ns = to_unix_ns_;
  all.first_half = mixed(start_ns_ ^ static_cast<std::uint64_t>(to_unix_ns_));
  {
    const std::scoped_lock lock{mutex_};
    for (const auto& each : buffers_) {
      each->add_to(all.spans, all.names, all.unfinished, all.lost);
      all.threads.push_back(each->thread_name());
    }
  }
  std::sort(all.spans.begin(), all.spans.end(), [](const span_facts& a, const span_facts& b) {
    return a.begun_ns != b.begun_ns ? a.begun_ns < b.begun_ns : a.id < b.id;
  });
  return all;
}

}  // namespace tactor::inline v0::internal
