// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/observe/board_frame.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/system/actor_view.hpp"
#include "tactor/core/system/system_core.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tactor::inline v0 {

/// An actor of a board.
struct board_actor {
  internal::actor_view seen = {};
  std::string type = {};      // of `seen`
  std::uint64_t deepest = 0;  // the most messages that waited between two turns
};

/// One snapshot of a board.
struct board_snapshot {
  std::uint64_t number = 0;
  std::uint64_t time_ns = 0;  // of the board's clock
  system_phase phase = system_phase::running;
  std::uint64_t live = 0;
  std::uint64_t lost = 0;  // snapshots that the board could not write
  std::uint64_t stack_used = 0;
  std::uint64_t stack_size = 0;  // 0: unknown
  metrics_snapshot sums = {};
  std::vector<board_actor> actors = {};
};

/// Counts what was wrong with the bytes so far.
struct frame_faults {
  std::uint64_t damaged = 0;  // cut, garbage, or with a wrong checksum
  std::uint64_t unknown = 0;  // of another version, or of an unknown kind
  std::uint64_t missing = 0;  // between frames that arrived, at least

  friend constexpr bool operator==(const frame_faults&, const frame_faults&) noexcept = default;
};

/// Reads the frames that a `bare::frame_reporter` writes, from any bytes: what is not a frame is
/// skipped and counted, and a snapshot with a missing frame is left out. It keeps one snapshot.
/// Context: owner only.
class frame_decoder {
public:
  /// A snapshot with more actors is left out.
  static constexpr std::size_t most_actors = 10'000;

  /// Takes bytes from the front of `bytes` until a snapshot is complete, or none is left. Returns:
  /// the snapshot, valid until the next call; or null. Throws: std::bad_alloc.
  [[nodiscard]] const board_snapshot* take(std::span<const std::byte>& bytes);

  /// Returns what was wrong so far.
  [[nodiscard]] const frame_faults& faults() const noexcept { return faults_; }

private:
  class fields;

  [[nodiscard]] bool end_frame();
  [[nodiscard]] bool take_frame(std::span<const std::byte> frame);
  void take_begin(fields& from);
  void take_sums(fields& from);
  void take_actor(fields& from);
  [[nodiscard]] bool take_end(fields& from);

  std::array<std::byte, internal::board_frame::longest + 1> buffer_{};  // encoded
  std::size_t size_ = 0;  // more than fits: it is garbage up to the next zero
  std::size_t sums_taken_ = 0;
  int last_number_ = -1;  // of the last frame; -1: none
  bool within_ = false;   // all frames of `current_` so far have arrived
  board_snapshot current_;
  frame_faults faults_;
};

}  // namespace tactor::inline v0
