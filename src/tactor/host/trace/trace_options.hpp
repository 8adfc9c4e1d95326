// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tactor::inline v0 {

/// The formats of a trace.
enum class trace_format : std::uint8_t {
  chrome,  // trace events of Chrome, for Perfetto: one track for each worker, and arrows for
           // messages
  otlp,    // OTLP/HTTP JSON, for collectors of OpenTelemetry
};

/// Says what is traced, and for how long. A trace begins with a message that fits `path` and
/// `message`; everything that is sent while it is handled belongs to it, and so on.
struct trace_options {
  std::size_t most = 100'000;                 // messages that are recorded; the others are counted
  std::chrono::milliseconds longest{10'000};  // then nothing more is recorded
  std::uint32_t every = 1;                    // of the messages that fit, each n-th begins a trace
  std::string_view path = {};     // only messages to this actor and those below it; empty: to all
  std::string_view message = {};  // only of this type, with or without its namespace; empty: of any
};

}  // namespace tactor::inline v0
