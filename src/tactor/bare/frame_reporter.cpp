// SPDX-License-Identifier: BSL-1.0
#include "tactor/bare/frame_reporter.hpp"

#include "tactor/bare/cells_of_board.hpp"
#include "tactor/core/cell/cell_state.hpp"
#include "tactor/core/cell/mailbox_limits.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/observe/board_frame.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/send/runtime_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace tactor::inline v0::bare::internal {
namespace {

constexpr std::size_t longest_number = 10;
constexpr std::size_t longest_path = 40;  // leaves room for a type, whatever the numbers are

void note_waiting(std::span<mailbox_mark> marks) noexcept {
  for (std::uint32_t i = 0; i < program_memory.cells.made(); ++i) {
    const cell& c = *program_memory.cells.at(i);
    if (!has_actor(c)) continue;
    mailbox_mark& mark = marks[i];
    const auto tenant = static_cast<std::uint16_t>(c.tenant);
    if (mark.tenant != tenant) mark = {.tenant = tenant, .deepest = 0};
    const auto now = static_cast<std::uint16_t>(std::min(waiting_in(c), std::uint32_t{0xFFFF}));
    mark.deepest = std::max(mark.deepest, now);
  }
}

board_frame::state state_of(const cell& c) noexcept {
  using enum board_frame::state;
  switch (tactor::internal::state_of(c, c.generation())) {
  case actor_state::running:
    return c.stage == lifecycle_stage::draining ? draining : running;
  case actor_state::suspended:
    return suspended;
  case actor_state::stopping:
    return stopping;
  case actor_state::stopped:
    break;
  }
  return stopped;
}

/// A bit for each reason.
unsigned bits_of(suspend_reasons reasons) noexcept {
  unsigned bits = 0;
  for (; !reasons.empty(); reasons.remove_first())
    bits |= 1U << std::to_underlying(reasons.first());
  return bits;
}

/// 0: it is not known.
std::uint64_t suspended_since(const cell& c) noexcept {
  const suspension* const record = c.extended ? c.parts->suspension : nullptr;
  if (record == nullptr || c.reasons.empty()) return 0;
  const std::optional<std::uint64_t> since = record->times.since();
  return since ? *since + 1 : 0;
}

}  // namespace

bool frame_sender::write_some(system_core& of, std::span<mailbox_mark> marks) noexcept {
  note_waiting(marks);
  if (frame_.rest().empty() && next_ != step::nothing) make_frame(of, marks);
  const std::span<const std::byte> rest = frame_.rest();
  if (rest.empty()) return false;
  const std::size_t taken = to_.write(rest.first(std::min(piece, rest.size())));
  frame_.remove_prefix(taken);
  return taken > 0 && (taken < rest.size() || next_ != step::nothing);
}

void frame_sender::make_frame(system_core& of, std::span<mailbox_mark> marks) noexcept {
  if (next_ == step::begin) {
    make_begin(of);
  } else if (next_ == step::sums) {
    make_sums(of);
  } else {
    make_actor(of, marks);
  }
  frame_.finish();
}

void frame_sender::make_begin(system_core& of) noexcept {
  const stack_use stack = stack_ == nullptr ? stack_use{} : stack_();
  frame_.begin(board_frame::kind::begin, number_++);
  frame_.number(++snapshot_);
  frame_.number(of.now_ns());
  frame_.number(std::to_underlying(of.now_in()));
  frame_.number(of.live());
  frame_.number(lost_);
  frame_.number(stack.most_used);
  frame_.number(stack.size);
  at_ = 0;
  actors_ = 0;
  next_ = step::sums;
}

void frame_sender::make_sums(system_core& of) noexcept {
  const bool timed = program_features().scheduling != nullptr;
  metrics_snapshot figures = timed ? of.metrics() : of.metrics_without_timers();
  frame_.begin(board_frame::kind::sums, number_++);
  frame_.number(at_);
  for (; at_ < board_frame::sums && frame_.room() >= longest_number; ++at_) {
    const std::uint64_t* const sum = board_frame::sum_at(figures, at_);
    frame_.number(sum == nullptr ? 0 : *sum);
  }
  if (at_ < board_frame::sums) return;
  at_ = 0;
  next_ = step::actors;
}

void frame_sender::make_actor(system_core& of, std::span<mailbox_mark> marks) noexcept {
  const mailbox_registry& cells = program_memory.cells;
  while (at_ < cells.made() && !has_actor(*cells.at(at_)))
    ++at_;
  if (at_ == cells.made()) {
    frame_.begin(board_frame::kind::end, number_++);
    frame_.number(actors_);
    next_ = step::nothing;
    return;
  }
  const cell& c = *cells.at(at_);
  const mailbox_limits limits{c.limits.load(relaxed)};  // relaxed: a hint
  const bool counts = limits.bounded() && limits.capacity() != mailbox_options::most;
  const cell* const parent = c.parent == nullptr || c.parent->guardian ? nullptr : c.parent;
  event_text path;
  of.write_path(path, c);
  frame_.begin(board_frame::kind::actor, number_++);
  frame_.number(c.slot);
  frame_.number(c.generation());
  frame_.number(parent == nullptr ? 0 : parent->slot);
  frame_.number(parent == nullptr ? 0 : parent->generation());
  frame_.number(std::to_underlying(state_of(c)));
  frame_.number(bits_of(c.reasons.all()));
  frame_.number(suspended_since(c));
  frame_.number(waiting_in(c));
  frame_.number(counts ? limits.capacity() : 0);
  frame_.number(limits.overloaded() ? 1 : 0);
  frame_.number(marks[at_].deepest);
  frame_.text(path.view(), longest_path);
  frame_.text(running_type(c).instance.type.name, board_frame::longest);
  ++actors_;
  ++at_;
}

}  // namespace tactor::inline v0::bare::internal
