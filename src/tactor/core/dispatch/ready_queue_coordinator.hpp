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
  /// Whether the cell stands in a ready queue, as far as the coordinator keeps it.
  enum class mark : std::uint8_t {
    out,
    queued,
    removed,  // it still stands there, and is passed over when its turn comes
  };

  /// Whether it is marked as queued. Context: a coordinator's.
  [[nodiscard]] bool is_queued() const noexcept {
    return ready.load(relaxed) == mark::queued;  // relaxed: the queue orders it
  }
  /// Marks it. Context: a coordinator's.
  void note(mark what) noexcept { ready.store(what, relaxed); }  // relaxed: the queue orders it

  port::cell<ready_cell*> next;  // in a ready queue, or among the unused cells
  // Written by: spawn. Read by: senders that make the cell ready. Publishes: nothing; the mailbox
  // does.
  port::atomic<ready_queue_coordinator*> coordinator;
  // Written by: who makes the cell ready, who drains it, who takes it out. Read by: the same.
  // Publishes: nothing; the queue does.
  port::atomic<mark> ready;
  // Written by: the worker that had to let others come first. Read by: who sends it too much.
  // Publishes: nothing; a hint.
  port::atomic<std::uint16_t> last_worker;
};

/// What a worker finds in its last look before it sleeps.
enum class wait_signal : std::uint8_t { ready, pending };

/// Decides which cell runs next; runs nothing, and knows nothing of suspension. It is the ready
/// queue: there is no other in the program.
///
/// Whoever makes a cell ready registers it, so that it is queued at most once; a cell that has been
/// drained is its worker's until the worker reports the result.
class ready_queue_coordinator {
public:
  /// Queues a cell that has something to do. A cell that is queued already stays where it is.
  /// Requires: nobody else registers the same cell at the same time; a mailbox lets only one do so.
  virtual void register_ready(ready_cell& cell) noexcept = 0;

  /// Takes a cell out. Nothing happens to one that is not queued.
  virtual void unregister(ready_cell& cell) noexcept = 0;

  /// Takes up to `out.size()` cells to run, in their order. Returns: how many.
  [[nodiscard]] virtual std::size_t drain_ready_cycle(std::span<ready_cell*> out) noexcept = 0;

  /// Whether there is something to drain.
  [[nodiscard]] virtual wait_signal poll_wait_signal() noexcept = 0;

  /// What became of a drained cell: queued again if it has more to do.
  virtual void handle_invoke_result(ready_cell& cell, const invoke_result& result) noexcept = 0;

protected:
  ~ready_queue_coordinator() = default;
};

}  // namespace tactor::inline v0
