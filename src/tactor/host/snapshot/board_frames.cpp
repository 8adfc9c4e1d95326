// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/snapshot/board_frames.hpp"

#include "tactor/base/json_writer.hpp"
#include "tactor/core/dispatch/suspend_reason.hpp"
#include "tactor/core/observe/dump_writer.hpp"
#include "tactor/core/scheduler/dump.hpp"
#include "tactor/host/snapshot/seen_system.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
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
    if (sums_taken_ < board_frame::sums) board_frame::sum_at(current_.sums, sums_taken_) = value;
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

bool frame_decoder::take_end(fields& from) {
  const bool all = from.number() == current_.actors.size() && sums_taken_ >= board_frame::sums;
  return std::exchange(within_, false) && all;
}

namespace {

using internal::json_writer;

/// Shows what a board has sent.
class board_view final : public internal::seen_system {
public:
  board_view(const board_snapshot& of, const frame_faults& faults) noexcept
      : of_(of), faults_(faults) {
    none_.forget();
  }

  [[nodiscard]] std::string_view name() override { return "board"; }
  [[nodiscard]] system_phase now_in() override { return of_.phase; }
  [[nodiscard]] std::size_t live() override { return of_.live; }
  [[nodiscard]] std::uint64_t now_ns() override { return of_.time_ns; }
  [[nodiscard]] metrics_report figures() override {
    metrics_report all;
    all.time_ns = of_.time_ns;
    all.level = metrics_level::system;
    all.sums = of_.sums;
    return all;
  }
  [[nodiscard]] std::optional<metrics_report> some_time_ago() override { return std::nullopt; }
  void add_actors(metrics_report& to) override {
    for (const board_actor& each : of_.actors)
      to.actors.push_back(
          {.label = std::string{each.seen.path.view()}, .waiting = each.seen.waiting.value_or(0)});
  }
  [[nodiscard]] worker_counts workers() override {
    worker_counts one;
    one.spawned = one.running = 1;
    return one;
  }
  void visit_actors(internal::actor_visitor& to) override {
    for (const board_actor& each : of_.actors) {
      internal::actor_view seen = each.seen;
      seen.type = each.type;
      if (!to.visit(seen)) return;
    }
  }
  internal::inside_sight visit_inside(mailbox_index /*who*/,
                                      internal::inside_visitor& /*to*/) override {
    return {};
  }
  [[nodiscard]] event_text path_of(mailbox_index /*who*/) override { return {}; }
  [[nodiscard]] std::optional<root_failure> cause() override { return std::nullopt; }
  [[nodiscard]] const internal::recent_incidents& incidents() override { return none_; }
  void write_timers(std::size_t /*limit*/, json_writer& to) override {
    internal::dump_writer out{to, internal::dump_writer::form::object};
    internal::write_metrics(out, of_.sums.timers);
    out.end();
  }
  void write_occupancy(json_writer& to) override { to.nothing(); }
  void write_board(json_writer& to) override {
    to.open('{');
    to.number("snapshot", of_.number);
    to.number("snapshots_lost", of_.lost);
    to.number("frames_damaged", faults_.damaged);
    to.number("frames_unknown", faults_.unknown);
    to.number("frames_missing", faults_.missing);
    const bool known = of_.stack_size > 0;
    to.number("stack_used", known ? std::optional{of_.stack_used} : std::nullopt);
    to.number("stack_size", known ? std::optional{of_.stack_size} : std::nullopt);
    to.key("mailboxes").open('[');
    for (const board_actor& each : of_.actors) {
      to.open('{');
      internal::write_id(to, "id", each.seen.who);
      to.text("path", each.seen.path.view());
      to.number("deepest", each.deepest);
      to.close('}');
    }
    to.close(']');
    to.close('}');
  }

private:
  const board_snapshot& of_;
  const frame_faults& faults_;
  internal::recent_incidents none_;  // a board sends sums
};

}  // namespace

void write_snapshot(const board_snapshot& of, const frame_faults& faults,
                    const snapshot_query& wanted, text_sink& to) {
  board_view seen{of, faults};
  internal::write_snapshot(seen, wanted, to);
}

frame_faults write_snapshots(std::span<const std::byte> bytes, text_sink& to) {
  using enum snapshot_part;
  frame_decoder decoder;
  while (const board_snapshot* const next = decoder.take(bytes))
    for (const snapshot_part each :
         {system, actors, tree, workers, timers, dead_letters, failures, warnings, shutdown, board})
      write_snapshot(*next, decoder.faults(), {.part = each, .limit = snapshot_query::most}, to);
  return decoder.faults();
}

}  // namespace tactor::inline v0
