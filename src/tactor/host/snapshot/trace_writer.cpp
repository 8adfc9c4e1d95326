// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/snapshot/trace_writer.hpp"

#include "tactor/base/json_writer.hpp"
#include "tactor/base/text_writer.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/metrics/worker_hub.hpp"
#include "tactor/host/running_system.hpp"
#include "tactor/host/trace/trace_hub.hpp"
#include "tactor/host/trace/trace_session.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tactor::inline v0 {
namespace {

using internal::json_writer;
using internal::span_facts;
using internal::span_kind;
using tactor::mailbox_index;
using contents = internal::trace_session::contents;

std::string hex(std::uint64_t value) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = text.size(); i-- > 0; value /= 16)
    text[i] = digits[value % 16];
  return text;
}

std::string trace_id(const span_facts& of) {
  return hex(of.made_in.trace_high) + hex(of.made_in.trace_low);
}

/// Returns true if the cause is a span of another program.
bool is_remote(const contents& all, const span_facts& of) {
  return of.made_in.session == 0 && !all.by_id.contains(of.made_in.span);
}

/// The flags of OTLP for a sampled span whose parent is a span of this program, or of another.
constexpr std::uint32_t local_parent_flags = 0x101;
constexpr std::uint32_t remote_parent_flags = 0x301;

std::string_view text_of(span_kind kind) noexcept {
  constexpr std::array names{"message", "timer", "answer", "signal", "resumed"};
  return names[static_cast<std::size_t>(kind)];
}

std::string name_of(const contents& all, mailbox_index who, std::string_view nobody) {
  if (who.generation == 0) return std::string{nobody};
  const auto found = all.names.find(who.key());
  if (found != all.names.end()) return found->second;
  return std::string{internal::number_text(who).view()};
}
/// The sender, or the actor that ran where the message was made.
std::string sender_of(const contents& all, const span_facts& of) {
  const auto cause = all.by_id.find(of.made_in.span);
  const bool is_known = of.from.generation == 0 && cause != all.by_id.end();
  const mailbox_index who = is_known ? all.spans[cause->second].to : of.from;
  return name_of(all, who, of.kind == span_kind::timer ? "timer" : "outside");
}

/// Begins an event of a track.
json_writer& begin_event(json_writer& to, std::string_view phase, std::uint32_t thread) {
  to.open('{');
  to.text("ph", phase);
  to.number("pid", 1U);
  to.number("tid", thread + 1U);
  return to;
}
void write_thread(json_writer& to, std::uint32_t thread, std::string_view name) {
  begin_event(to, "M", thread).text("name", "thread_name");
  to.key("args").open('{').text("name", name);
  to.close('}').close('}');
}

/// Writes what a handler did, as a slice of its worker.
void write_slice(json_writer& to, const contents& all, const span_facts& of) {
  begin_event(to, "X", of.handled_by).text("name", of.type->type.name);
  to.text("cat", text_of(of.kind));
  to.key("ts").thousandths(of.begun_ns - all.start_ns);
  to.key("dur").thousandths(of.ended_ns - of.begun_ns);
  to.key("args").open('{').text("actor", name_of(all, of.to, "nobody"));
  to.text("sender", sender_of(all, of));
  if (of.was_sent) to.number("waited_ns", of.begun_ns - of.made_ns);
  to.text("trace", trace_id(of));
  to.text("span", hex(of.id));
  if (of.made_in.span != 0) to.text("parent", hex(of.made_in.span));
  if (of.key) to.number("signal_key", of.key->value);
  if (of.failed) to.flag("failed", true);
  to.close('}').close('}');
}

/// An arrow from the send to the handler. It begins in the slice of the handler that sent, or in
/// one of its own.
void write_arrow(json_writer& to, const contents& all, const span_facts& of) {
  if (of.made_in.span == 0 || is_remote(all, of)) {
    begin_event(to, "X", of.made_in.thread).text("name", "send");
    to.text("cat", "send");
    to.key("ts").thousandths(of.made_ns - all.start_ns);
    to.key("dur").thousandths(1);
    to.close('}');
  }
  begin_event(to, "s", of.made_in.thread).text("name", "sent");
  to.text("cat", "flow");
  to.text("id", hex(of.id));
  to.key("ts").thousandths(of.made_ns - all.start_ns);
  to.close('}');
  begin_event(to, "f", of.handled_by).text("name", "sent");
  to.text("cat", "flow");
  to.text("bp", "e");
  to.text("id", hex(of.id));
  to.key("ts").thousandths(of.begun_ns - all.start_ns);
  to.close('}');
}

void write_chrome(const contents& all, text_sink& sink) {
  json_writer to{sink};
  to.open('{').text("displayTimeUnit", "ns");
  to.key("otherData").open('{').number("recorded", std::uint64_t{all.spans.size()});
  to.number("lost", all.lost);
  to.close('}').key("traceEvents").open('[');
  for (std::size_t i = 0; i < all.threads.size(); ++i)
    write_thread(to, static_cast<std::uint32_t>(i), all.threads[i]);
  for (const span_facts& each : all.spans) {
    write_slice(to, all, each);
    if (each.was_sent) write_arrow(to, all, each);
  }
  to.close(']').close('}');
}

void write_attribute(json_writer& to, std::string_view name, std::string_view value) {
  to.open('{').text("key", name);
  to.key("value").open('{').text("stringValue", value);
  to.close('}').close('}');
}

std::string unix_time(const contents& all, std::uint64_t ns) {
  return std::to_string(ns + static_cast<std::uint64_t>(all.to_unix_ns));
}

/// One span from the send to the end of the handler; it holds when the handler began.
void write_otlp_span(json_writer& to, const contents& all, const span_facts& of, bool has_parent) {
  to.open('{').text("traceId", trace_id(of));
  to.text("spanId", hex(of.id));
  if (has_parent) to.text("parentSpanId", hex(of.made_in.span));
  to.number("flags", is_remote(all, of) ? remote_parent_flags : local_parent_flags);
  to.text("name", of.type->type.name);
  to.number("kind", 5U);  // a consumer
  to.text("startTimeUnixNano", unix_time(all, of.made_ns));
  to.text("endTimeUnixNano", unix_time(all, of.ended_ns));
  to.key("attributes").open('[');
  write_attribute(to, "tactor.actor", name_of(all, of.to, "nobody"));
  write_attribute(to, "tactor.sender", sender_of(all, of));
  write_attribute(to, "tactor.kind", text_of(of.kind));
  write_attribute(to, "thread.name", all.threads[of.handled_by]);
  if (of.key) write_attribute(to, "tactor.signal_key", std::to_string(of.key->value));
  to.close(']').key("events").open('[').open('{').text("name", "begin");
  to.text("timeUnixNano", unix_time(all, of.begun_ns));
  to.close('}').close(']').key("status").open('{').number("code", of.failed ? 2U : 0U);
  to.close('}').close('}');
}

void write_otlp(const contents& all, text_sink& sink) {
  json_writer to{sink};
  to.open('{').key("resourceSpans").open('[').open('{').key("resource").open('{');
  to.key("attributes").open('[');
  write_attribute(to, "service.name", "tactor");
  to.close(']').close('}').key("scopeSpans").open('[').open('{').key("scope").open('{');
  to.text("name", "tactor");
  to.close('}').key("spans").open('[');
  for (const span_facts& each : all.spans)
    write_otlp_span(to, all, each, is_remote(all, each) || all.by_id.contains(each.made_in.span));
  to.close(']').close('}').close(']').close('}').close(']').close('}');
}

bool write_last(internal::trace_hub& of, trace_format format, text_sink& to) {
  const auto last = of.last();
  if (last == nullptr) return false;
  const contents all = last->read();
  if (format == trace_format::chrome) {
    write_chrome(all, to);
  } else {
    write_otlp(all, to);
  }
  return true;
}

}  // namespace

bool actor_system::start_trace(const trace_options& options) const noexcept {
  return running_->traces().start(options);
}
void actor_system::stop_trace() const noexcept {
  running_->traces().stop();
}
bool actor_system::is_tracing() const noexcept {
  return running_->traces().is_running();
}
bool actor_system::write_trace(trace_format format, text_sink& to) const {
  return write_last(running_->traces(), format, to);
}

loop_trace::loop_trace(const system_interface& system)
    : hub_(std::make_unique<internal::trace_hub>(system.core(), "loop")) {}
loop_trace::~loop_trace() {
  hub_->leave();
}
bool loop_trace::start(const trace_options& options) noexcept {
  return hub_->start(options);
}
void loop_trace::stop() noexcept {
  hub_->stop();
}
bool loop_trace::write(trace_format format, text_sink& to) const {
  return write_last(*hub_, format, to);
}

}  // namespace tactor::inline v0
