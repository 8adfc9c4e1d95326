// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_trailer.hpp"

#include <cstdint>
#include <utility>

namespace tactor::inline v0::internal {

class cell;

/// Names the code of an actor that a span covers: the handler of a message, or a coroutine that
/// goes on.
enum class traced_call : std::uint8_t { message, resumed };

/// Records the messages of one thread while a trace runs. Only `host/trace` has one.
class trace_recorder {
public:
  /// `e`, which belongs to no trace, is sent to `to` by `sender`. It may begin a trace.
  virtual void sent(const cell& to, origin sender, envelope& e, std::uint64_t now_ns) noexcept = 0;
  /// The actor in `c` begins to handle `e`, or goes on with its coroutine. Sets the thread's
  /// `trace_of_thread::place`. Context: the worker that runs it.
  virtual void begin(const cell& c, envelope& e, traced_call how,
                     std::uint64_t now_ns) noexcept = 0;
  /// The call that began last has returned. Context: as above.
  virtual void end(bool failed, std::uint64_t now_ns) noexcept = 0;

protected:
  ~trace_recorder() = default;
};

/// The part of a thread in a trace. Where `port::observes_messages` is false it stays as it is.
struct trace_of_thread {
  trace_recorder* recorder = nullptr;  // null: no trace runs here
  trace_place place;                   // of what this thread makes; span 0: none
};

}  // namespace tactor::inline v0::internal
