// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0::internal {

class cell;
struct envelope;
struct origin;

/// Records messages of one thread while a trace runs. Only `host/trace` has one.
class trace_recorder {
public:
  /// `e` is about to be sent to `to`, by `sender`. May mark it, so that its receiver knows it again.
  virtual void sent(const cell& to, origin sender, envelope& e, std::uint64_t now_ns) noexcept = 0;
  /// The actor in `c` begins to handle `e`, whose mark is removed. Context: the worker that runs it.
  virtual void begin(const cell& c, envelope& e, std::uint64_t now_ns) noexcept = 0;
  /// It has handled it. Context: as above.
  virtual void end(bool failed, std::uint64_t now_ns) noexcept = 0;

protected:
  ~trace_recorder() = default;
};

/// The recorder of a thread. A small board has none: then this is empty, and code for it is left out.
template <bool = sizeof(void*) == 8>
struct trace_of_thread {
  trace_recorder* recorder = nullptr;  // null: no trace runs here
  void record_with(trace_recorder* by) noexcept { recorder = by; }
};
template <>
struct trace_of_thread<false> {
  static constexpr trace_recorder* recorder = nullptr;
  static void record_with(trace_recorder*) noexcept {}
};

}  // namespace tactor::inline v0::internal
