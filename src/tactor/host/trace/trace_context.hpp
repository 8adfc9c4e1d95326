// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/message/message_trailer.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tactor::inline v0 {

/// A place in a trace that reaches over several programs, as W3C Trace Context has it: which trace,
/// and which span in it is the cause of what follows. A value. Its `tracestate` is not kept.
///
///     if (const auto from = tactor::trace_context::parse(request.header("traceparent"))) {
///       const tactor::trace_scope scope{*from};
///       desk.tell(order{7});  // a part of the caller's trace
///     }
struct trace_context {
  std::uint64_t trace_high = 0;  // the first 8 bytes of the trace's id
  std::uint64_t trace_low = 0;   // the others
  std::uint64_t span = 0;        // the cause
  bool sampled = true;           // false: the program that began the trace does not record it

  /// Reads the header `traceparent`, strictly. Returns: nothing if it is not one.
  [[nodiscard]] static std::optional<trace_context> parse(std::string_view traceparent) noexcept;
  /// Returns the place of the message that is handled on this thread, or of a scope in its handler:
  /// a handler gives it to another program that it asks. Returns: nothing outside of handlers,
  /// without a trace, or if the message is no part of one.
  [[nodiscard]] static std::optional<trace_context> current() noexcept;

  /// Returns the header `traceparent`, of version 00. Throws: std::bad_alloc.
  [[nodiscard]] std::string traceparent() const;

  friend bool operator==(const trace_context&, const trace_context&) noexcept = default;
};

/// While it lives, what this thread sends and schedules belongs to the trace of a context, whatever
/// `path`, `message` and `every` of a running trace say; with `sampled` false it is not recorded,
/// nor is what it causes.
/// Without a running trace it has no effect. Inside of a handler it replaces the trace of the
/// message. Scopes may be nested.
///
/// Requires: destroyed on its thread, in reverse order; in a coroutine, before the next `co_await`.
class [[nodiscard]] trace_scope {
public:
  explicit trace_scope(const trace_context& of) noexcept;
  trace_scope(const trace_scope&) = delete;
  trace_scope& operator=(const trace_scope&) = delete;
  ~trace_scope();

private:
  internal::trace_place before_;
};

}  // namespace tactor::inline v0
