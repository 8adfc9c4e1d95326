// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/mailbox/locked_queue.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <type_traits>

namespace tactor::inline v0::internal {

struct actor_name;

/// What few mailboxes count. All-zero: nothing.
struct mailbox_counts {
  // Written by: spawn, a sender that reports pressure, the worker that runs the cell (armed again).
  // Read by: them. Publishes: nothing. 0: no pressure is reported. See pressure_word.
  port::atomic<std::uint32_t> pressure;
  // Written by: senders (up), the worker that takes messages out (down), waiting_producers (a bit);
  // never reset. Read by: all of them. Publishes: nothing.
  port::atomic<std::uint32_t> waiting;
};

/// What few actors have. All-zero: nothing.
struct rare_parts {
  void* arguments = nullptr;
  actor_name* name = nullptr;
  // Written by: spawn. Read by: senders to a mailbox with `drop_oldest`, `block_producer` or priorities.
  // Publishes: nothing; the mailbox does. See `own_side_queue` and `push_timeout_ms`.
  port::atomic<locked_queue*> side_queue;
  // Written by: threads that send and take system messages; never reset. Publishes: nothing.
  port::atomic<std::uint32_t> system_waiting;
  // Written by: spawn. Read by: senders of system messages. Publishes: nothing. One more than may
  // wait; 0: no limit.
  port::atomic<std::uint32_t> system_limit;
};

/// Both. Not part of a board's cells: see `slot_layout`.
struct cell_annex {
  mailbox_counts counts;
  rare_parts rare;
};

/// A member of the cells of this port.
template <class T>
struct own_member {
  T value;

  template <class Find>
  [[nodiscard]] T& or_at(Find) noexcept {
    return value;
  }
};
/// Takes the place of a `T` that the cells of this port do not have.
template <class T>
struct no_member {
  /// Where it is instead.
  template <class Find>
  [[nodiscard]] T& or_at(Find find) noexcept {
    return find();
  }
};
template <class T>
using member_of_host = std::conditional_t<port::has_interrupts, no_member<T>, own_member<T>>;
template <class T>
using member_of_board = std::conditional_t<port::has_interrupts, own_member<T>, no_member<T>>;

class system_gate;
/// The gate of a board's only system.
extern constinit system_gate gate_of_board;

/// The gate of an actor's system. A host has one for each system, and each cell leads to it.
template <bool OfBoard = port::has_interrupts>
class gate_of_cell : public port::atomic<system_gate*> {};

template <>
class gate_of_cell<true> {
public:
  [[nodiscard]] static system_gate* load(auto /*order*/) noexcept { return &gate_of_board; }
  static void store(system_gate* /*gate*/, auto /*order*/) noexcept {}
  static bool compare_exchange(system_gate*& /*expected*/, system_gate* /*gate*/,
                               auto /*order*/) noexcept {
    return true;
  }
};

}  // namespace tactor::inline v0::internal
