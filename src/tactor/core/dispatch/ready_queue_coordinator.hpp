// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tactor::inline v0 {

class ready_queue_coordinator;

/// The part of a cell that a coordinator knows.
struct ready_cell {
  /// Says whether the cell is in a ready queue, if its coordinator keeps track of that.
  enum class mark : std::uint8_t {
    out,
    queued,
    removed,  // still linked, and skipped when it is reached
  };

  /// Tells whether it is marked as queued. Context: a coordinator.
  [[nodiscard]] bool is_queued() const noexcept {
    return ready.load(relaxed) == mark::queued;  // relaxed: the queue orders it
  }
  /// Marks it. Context: a coordinator.
  void note(mark what) noexcept { ready.store(what, relaxed); }  // relaxed: the queue orders it

  port::plain<ready_cell*> next;  // in a ready queue, or among the unused cells
  // Written by: spawn. Read by: senders that make the cell ready. Publishes: nothing; the mailbox
  // does.
  port::atomic<ready_queue_coordinator*> coordinator;
  // Written by: threads that make the cell ready, drain it or unregister it. Read by: these
  // threads. Publishes: nothing; the queue does.
  port::atomic<mark> ready;
  // Written by: spawn. Read by: a `priority_coordinator`. The mailbox publishes it.
  std::uint8_t priority = 0;
  // Written by: the worker whose turn of the cell ended with more to do. Read by: senders that
  // overload it. Publishes: nothing; a hint.
  port::atomic<std::uint16_t> last_worker;
};

/// The result of a worker's last check before it sleeps.
enum class wait_signal : std::uint8_t { ready, pending };

/// Counts the contents of a ready queue.
struct ready_queue_usage {
  std::size_t cells = 0;       // that wait for a worker
  std::size_t bytes = 0;       // of its own memory
  std::uint32_t workers = 0;   // threads that run its cells
  std::uint32_t draining = 0;  // of these, threads that finish their turn and end
};

/// Decides which cell runs next; runs nothing, and knows nothing of suspension. It is the ready
/// queue: a dispatcher has no other.
///
/// A thread that makes a cell ready registers it, so that it is queued at most once; a drained cell
/// belongs to its worker until the worker reports the result.
class ready_queue_coordinator {
public:
  /// Queues a cell that has something to do. A queued cell keeps its position.
  /// Requires: no other thread registers the cell at the same time; its mailbox ensures that.
  virtual void register_ready(ready_cell& cell) noexcept = 0;

  /// Takes a cell out. Does nothing if the cell is not queued.
  virtual void unregister(ready_cell& cell) noexcept = 0;

  /// Takes up to `out.size()` cells to run, in their order. Returns: how many.
  [[nodiscard]] virtual std::size_t drain_ready_cycle(std::span<ready_cell*> out) noexcept = 0;

  /// Tells whether there is something to drain.
  [[nodiscard]] virtual wait_signal poll_wait_signal() noexcept = 0;

  /// Takes the result of a drained cell's turn, and queues the cell again if it has more to do.
  virtual void handle_invoke_result(ready_cell& cell, const invoke_result& result) noexcept = 0;

  /// Counts its contents, for metrics. A hint while other threads change it.
  [[nodiscard]] virtual ready_queue_usage usage() noexcept = 0;

protected:
  ~ready_queue_coordinator() = default;
};

}  // namespace tactor::inline v0
