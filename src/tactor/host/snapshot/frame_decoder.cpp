// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/snapshot/frame_decoder.hpp"

#include "tactor/core/dispatch/suspend_reason.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tactor::inline v0 {

namespace board_frame = internal::board_frame;

namespace {

/// Decodes a frame in place. Returns: its bytes; none if they are no frame.
std::span<const std::byte> decode(std::span<std::byte> encoded) noexcept {
  std::size_t code = 0;
  for (std::size_t at = 0; at < encoded.size(); at += code) {
    code = std::to_integer<std::size_t>(encoded[at]);
    if (code > encoded.size() - at) return {};
    encoded[at] = std::byte{0};
  }
  const std::span<const std::byte> frame = encoded.subspan(1);
  constexpr std::size_t least = board_frame::head_size + board_frame::checksum_size;
  if (frame.size() < least) return {};
  const auto text = frame.first(frame.size() - board_frame::checksum_size);
  const unsigned sum = board_frame::checksum(text);
  const bool right = std::to_integer<unsigned>(frame[text.size()]) == (sum & 0xFFU) &&
                     std::to_integer<unsigned>(frame[text.size() + 1]) == sum >> 8U;
  return right ? text : std::span<const std::byte>{};
}

}  // namespace

/// Takes the fields of a frame one after the other.
class frame_decoder::fields {
public:
  explicit fields(std::span<const std::byte> from) noexcept : rest_(from) {}

  [[nodiscard]] bool empty() const noexcept { return rest_.empty(); }
  /// Returns true if all fields so far were there.
  [[nodiscard]] bool good() const noexcept { return good_; }
  /// The next number; 0 if there is none.
  std::uint64_t number() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto next = std::to_integer<std::uint64_t>(rest_.front());
      rest_ = rest_.subspan(1);
      value |= (next & 0x7FU) << shift;
      if (next < 0x80) return value;
    }
    good_ = false;
    return 0;
  }
  /// A number that fits a smaller type.
  template <class Number>
  Number number_as() noexcept {
    const std::uint64_t value = number();
    if (value > std::numeric_limits<Number>::max()) good_ = false;
    return static_cast<Number>(value);
  }
  std::string_view text() noexcept {
    const std::uint64_t length = number();
    if (length > rest_.size()) {
      good_ = false;
      return {};
    }
    const std::string_view found{reinterpret_cast<const char*>(rest_.data()), length};
    rest_ = rest_.subspan(length);
    return found;
  }

private:
  std::span<const std::byte> rest_;
  bool good_ = true;
};

const board_snapshot* frame_decoder::take(std::span<const std::byte>& bytes) {
  while (!bytes.empty()) {
    const std::byte next = bytes.front();
    bytes = bytes.subspan(1);
    if (next != std::byte{0}) {
      if (size_ < buffer_.size()) buffer_[size_] = next;
      if (size_ <= buffer_.size()) ++size_;
      continue;
    }
    if (size_ > 0 && end_frame()) return &current_;
  }
  return nullptr;
}

/// Returns: whether a snapshot is complete.
bool frame_decoder::end_frame() {
  const std::size_t size = std::exchange(size_, 0);
  std::span<const std::byte> frame;
  if (size <= buffer_.size()) frame = decode(std::span{buffer_}.first(size));
  if (!frame.empty()) return take_frame(frame);
  ++faults_.damaged;
  return false;
}

bool frame_decoder::take_frame(std::span<const std::byte> frame) {
  if (frame[0] != std::byte{board_frame::version}) {
    ++faults_.unknown;
    return false;
  }
  const int number = std::to_integer<int>(frame[2]);
  const int skipped = last_number_ < 0 ? 0 : (number - last_number_ - 1) & 0xFF;
  last_number_ = number;
  faults_.missing += static_cast<unsigned>(skipped);
  if (skipped > 0) within_ = false;
  fields from{frame.subspan(board_frame::head_size)};
  bool complete = false;
  switch (static_cast<board_frame::kind>(frame[1])) {
  case board_frame::kind::begin:
    take_begin(from);
    break;
  case board_frame::kind::sums:
    take_sums(from);
    break;
  case board_frame::kind::actor:
    take_actor(from);
    break;
  case board_frame::kind::end:
    complete = take_end(from);
    break;
  default:
    ++faults_.unknown;
  }
  if (from.good()) return complete;
  ++faults_.damaged;
  within_ = false;
  return false;
}

void frame_decoder::take_begin(fields& from) {
  current_ = {};
  current_.number = from.number();
  current_.time_ns = from.number();
  const std::uint64_t phase = std::min(from.number(), std::uint64_t{3});
  current_.phase = static_cast<system_phase>(phase);
  current_.live = from.number();
  current_.lost = from.number();
  current_.stack_used = from.number();
  current_.stack_size = from.number();
  sums_taken_ = 0;
  within_ = true;
}

void frame_decoder::take_sums(fields& from) {
  const std::uint64_t first = from.number();
  if (first != sums_taken_) within_ = false;
  for (; within_ && !from.empty() && from.good(); ++sums_taken_) {
    const std::uint64_t value = from.number();
    std::uint64_t* const sum = board_frame::sum_at(current_.sums, sums_taken_);
    if (sum != nullptr) *sum = value;
  }
}

void frame_decoder::take_actor(fields& from) {
  constexpr std::array states{"running", "draining", "suspended", "stopping", "stopped"};
  if (!within_) return;
  board_actor next;
  internal::actor_view& seen = next.seen;
  seen.who.slot = from.number_as<std::uint32_t>();
  seen.who.generation = from.number_as<std::uint32_t>();
  seen.parent.slot = from.number_as<std::uint32_t>();
  seen.parent.generation = from.number_as<std::uint32_t>();
  seen.state = states[std::min(from.number(), std::uint64_t{states.size() - 1})];
  const std::uint64_t reasons = from.number();
  for (unsigned bit = 0; bit < 7; ++bit)
    if ((reasons >> bit & 1U) != 0) seen.reasons.add(static_cast<suspend_reason>(bit));
  if (const std::uint64_t since = from.number(); since > 0) seen.suspended_ns = since - 1;
  seen.waiting = from.number_as<std::uint32_t>();
  seen.capacity = from.number_as<std::uint32_t>();
  seen.overloaded = from.number() != 0;
  next.deepest = from.number();
  seen.path = event_text{from.text()};
  next.type = from.text();
  if (seen.path.view().empty()) {  // the board has no names
    seen.path.append("/user/$");
    seen.path.append_number(seen.who.slot);
    seen.path.append(".");
    seen.path.append_number(seen.who.generation);
  }
  within_ = current_.actors.size() < most_actors;
  if (within_) current_.actors.push_back(std::move(next));
}

/// The numbers of its frames say that all of them have arrived. Firmware that is older than this
/// program sends fewer sums, and newer firmware more.
bool frame_decoder::take_end(fields& from) {
  const bool all_actors = from.number() == current_.actors.size();
  return std::exchange(within_, false) && all_actors;
}

}  // namespace tactor::inline v0
