// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/system/actor_view.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace tactor::inline v0::internal {

class system_core;

/// Remembers since when observers have seen messages wait for suspended actors: until such an actor is resumed, its
/// oldest message stays the same. So its age is known, at least since the first look, though few messages have a time.
/// Its memory is bounded.
///
/// Thread safety: everything from any thread; no worker waits for it.
class seen_waiting {
public:
  static constexpr std::size_t most = 10'000;  // actors

  /// Shows the actors of a system to `to`, with the ages that it knows.
  void visit(system_core& of, actor_visitor& to) noexcept;
  /// Completes the age in `seen`, an actor that is seen at `now_ns`. Requires: a visit with this number has begun.
  void complete(actor_view& seen, std::uint64_t now_ns, std::uint64_t visit) noexcept;
  /// Begins a visit of all actors. Returns: its number.
  [[nodiscard]] std::uint64_t begin() noexcept;
  /// Ends it: forgets the actors that it has not shown.
  void end(std::uint64_t visit) noexcept;

private:
  struct entry {
    std::uint64_t suspended_ns = 0;  // since when, on the system's clock: names the suspension
    std::uint64_t seen_ns = 0;       // when a message was seen there first
    std::uint64_t visit = 0;         // the newest that has shown it
  };

  std::mutex mutex_;
  // protected by mutex_
  std::uint64_t visits_ = 0;
  std::unordered_map<std::uint64_t, entry> entries_;  // by slot and generation
};

}  // namespace tactor::inline v0::internal
