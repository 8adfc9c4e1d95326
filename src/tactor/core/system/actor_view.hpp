// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/suspend_reasons.hpp"
#include "tactor/core/observe/event_text.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tactor::inline v0::internal {

/// What an observer sees of an actor with a name, at about one moment. A copy.
struct actor_view {
  /// So many messages are counted in the mailbox of a suspended actor; beyond it there are at least
  /// so many.
  static constexpr std::size_t most_counted = 10'000;

  event_text path = {};
  std::string_view type = {};
  std::string_view state = {};  // "running", "draining", "suspended", "stopping", "stopped"
  mailbox_index who = {};
  mailbox_index parent = {};     // generation 0: a child of the guardian
  suspend_reasons reasons = {};  // why it is suspended
  std::optional<std::uint32_t> waiting =
      {};  // nothing: a worker has the mailbox, which does not count
  std::optional<std::uint64_t> suspended_ns = {};  // since when, on the system's clock
  std::optional<std::uint64_t> oldest_ns = {};     // its oldest message waits at least so long
  std::uint32_t capacity = 0;                      // of the mailbox; 0: unbounded
  bool drops_oldest = false;                       // a full mailbox does
  bool overloaded = false;                         // it used up a whole turn and had messages left
};

/// Is shown the actors of a system, without a lock.
class actor_visitor {
public:
  /// Returns: whether it wants to see more.
  virtual bool visit(const actor_view& each) noexcept = 0;

protected:
  ~actor_visitor() = default;
};

/// Actors that can be shown.
class actor_source {
public:
  /// Shows them to `to`, until it wants to see no more.
  virtual void show_actors(actor_visitor& to) noexcept = 0;

protected:
  ~actor_source() = default;
};

}  // namespace tactor::inline v0::internal
