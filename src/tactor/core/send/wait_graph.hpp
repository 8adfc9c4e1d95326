// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/hash_index.hpp"
#include "tactor/base/lock_guard.hpp"
#include "tactor/base/memory_source.hpp"
#include "tactor/core/cell/actor_ref_base.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tactor::inline v0::internal {

/// A mailbox that an actor waits for.
struct wait_edge {
  wait_edge* next = nullptr;  // the actor's next
  wait_edge* previous = nullptr;
  cell* to = nullptr;
  std::uint32_t generation = 0;
  std::uint64_t number = 0;  // of the search that allowed it; no other edge has it
};

/// An actor that waits for capacity in at least one mailbox.
struct wait_node {
  cell* who = nullptr;
  std::uint32_t generation = 0;
  wait_edge* first = nullptr;

  wait_node* next_in_chain = nullptr;  // of the graph's index

  // The last search wrote these.
  wait_node* next_to_visit = nullptr;
  wait_node* reached_from = nullptr;
  std::uint64_t visited_in = 0;  // the number of a search; 0: none has been here
};

/// Actors that wait for each other: each for the mailbox of the next, the last for that of the
/// first.
struct wait_cycle {
  static constexpr std::size_t most = 8;

  std::array<actor_ref<>, most> actors{};
  std::uint32_t size = 0;  // may be more than `most`
};

/// Actors that wait for each other's answers or mailboxes; or the last awaits a signal.
struct stuck_wait : wait_cycle {
  actor_ref<> refused = {};  // whose ask has ended, so that they go on; none: a signal is awaited
  std::uint64_t signal = 0;
};

/// The cycles that were met lately. A cycle is reported when it is met first, and again after a
/// second without it. If there are more than there are places for, the one that was met least
/// recently is forgotten.
class reported_cycles {
public:
  /// Notes that a cycle was met. Returns: whether to report it. `cycle`: a number that is not 0.
  [[nodiscard]] bool is_new(std::uint64_t cycle, std::uint64_t now_ns) noexcept;

private:
  struct entry {
    std::uint64_t cycle = 0;
    std::uint64_t met_ns = 0;  // last
  };
  std::array<entry, port::sizes::reported_cycles> all_{};  // met last first
};

/// Says which actors wait for capacity in which mailboxes. It refuses a wait that would close a
/// cycle, in which no mailbox would ever have capacity. A search visits the actors that the
/// receiver waits for, directly or not. All-zero but for the pages: nothing waits.
///
/// Thread safety: every function from any thread; one lock.
///
/// inv 1  The edges form no cycle.
class wait_graph {
public:
  /// Requires: `pages` outlives it.
  constexpr explicit wait_graph(page_source& pages) noexcept : pages_(&pages) {}
  wait_graph(const wait_graph&) = delete;
  wait_graph& operator=(const wait_graph&) = delete;
  ~wait_graph() = default;

  /// `from` waits for `what`, too. Returns: false, and nothing changed, if that would close a
  /// cycle, which is then in `found`. Requires: both stay until `remove`.
  [[nodiscard]] bool add(wait_node& from, wait_edge& what, wait_cycle& found) noexcept;
  /// `from` waits for `what` no longer.
  void remove(wait_node& from, wait_edge& what) noexcept;
  /// Returns: the node of an actor that waits; null: it waits for nothing.
  [[nodiscard]] wait_node* find(const cell& who, std::uint32_t generation) noexcept {
    const lock_guard guard{mutex_};
    return find_locked(who, generation);
  }
  /// Returns: whether that actor still waits for the edge of this number.
  [[nodiscard]] bool has(const actor_ref<>& from, std::uint64_t number) noexcept;
  /// Notes that a cycle was met. Returns: whether to report it.
  [[nodiscard]] bool is_news(const wait_cycle& found, std::uint64_t now_ns) noexcept;

private:
  struct node_order {
    static wait_node*& next(wait_node& of) noexcept { return of.next_in_chain; }
    static std::uint32_t hash(const wait_node& of) noexcept { return of.who->slot; }
  };

  [[nodiscard]] wait_node* find_locked(const cell& who, std::uint32_t generation) noexcept;
  [[nodiscard]] wait_node* search(const wait_node& from, const wait_edge& what) noexcept;
  static void describe(const wait_node& from, const wait_node* last, wait_cycle& found) noexcept;

  page_source* pages_;  // constant
  port::mutex mutex_;
  // protected by mutex_
  hash_index<wait_node, node_order, 4> nodes_;
  std::uint64_t searches_ = 0;
  reported_cycles reported_;
};

}  // namespace tactor::inline v0::internal
