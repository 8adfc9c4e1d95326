// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/envelope_pool.hpp"

#include <cstddef>
#include <cstdint>
#include <new>

namespace tactor::inline v0::internal {

/// A place in a trace, of the size that W3C Trace Context has: what is made there belongs to the
/// trace, and `span` is its cause. A value.
struct trace_place {
  std::uint64_t trace_high = 0;
  std::uint64_t trace_low = 0;
  std::uint64_t span = 0;     // 0: the message begins the trace
  std::uint32_t session = 0;  // the number of the recording; 0: the place is of another program
  std::uint16_t thread = 0;   // the track of the recording
  bool sampled = true;        // false: the program that began the trace does not want it recorded
};

/// Stands at the end of the block of a message with `envelope::has_trace`. A message with
/// `envelope::has_time` has only its last member.
struct message_trailer {
  static constexpr std::uint64_t not_known = ~std::uint64_t{0};

  trace_place made_in;
  std::uint64_t made_ns = not_known;  // when the message was made
};
static_assert(sizeof(message_trailer) == 40);

/// Returns: the place of the trailer of `e`; `time_place` that of its time. Requires: `operations`
/// are those that the block was made for, if it is no block of the pool.
[[nodiscard]] inline std::byte* trailer_place(envelope& e) noexcept {
  std::byte* const block = reinterpret_cast<std::byte*>(&e);
  if (e.size_class < envelope_size_classes)
    return block + envelope_pool::block_size(e.size_class) - sizeof(message_trailer);
  return block + envelope_pool::large_trailer_offset(e.operations->size, e.operations->alignment);
}
[[nodiscard]] inline std::byte* time_place(envelope& e) noexcept {
  return trailer_place(e) + offsetof(message_trailer, made_ns);
}
/// Tells whether the payload of `e` leaves the memory from `place` to the end of the block free.
[[nodiscard]] inline bool is_free(const envelope& e, const std::byte* place) noexcept {
  const std::size_t used = payload_offset(e.operations->alignment) + e.operations->size;
  return e.size_class == large_size_class || reinterpret_cast<const std::byte*>(&e) + used <= place;
}

/// The trailer of `e`; null: it belongs to no trace.
[[nodiscard]] inline message_trailer* trailer_of(envelope& e) noexcept {
  if (!e.has(envelope::has_trace)) return nullptr;
  return std::launder(reinterpret_cast<message_trailer*>(trailer_place(e)));
}
/// Gives `e` a trailer. Requires: its place is free.
inline void set_trailer(envelope& e, const message_trailer& to) noexcept {
  ::new (static_cast<void*>(trailer_place(e))) message_trailer{to};
  e.detail |= envelope::has_trace;
}

}  // namespace tactor::inline v0::internal
