// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"

#include <cstddef>
#include <span>

namespace tactor::inline v0 {

/// A coordinator for one thread: first come, first served. For bare metal and cooperative loops.
/// All-zero but for its vtable pointer.
class single_thread_coordinator final : public ready_queue_coordinator {
public:
  constexpr single_thread_coordinator() noexcept = default;
  single_thread_coordinator(const single_thread_coordinator&) = delete;
  single_thread_coordinator& operator=(const single_thread_coordinator&) = delete;
  ~single_thread_coordinator() = default;

  void register_ready(ready_cell& cell) noexcept override {
    if (cell.is_queued()) return;
    cell.note(ready_cell::mark::queued);
    append(cell);
  }

  /// Linear: it is rare, and a cell that was taken out may be reused at once.
  void unregister(ready_cell& cell) noexcept override {
    if (!cell.is_queued()) return;
    cell.note(ready_cell::mark::out);
    ready_cell* before = nullptr;
    for (ready_cell* each = oldest_; each != &cell; each = each->next.get())
      before = each;
    ready_cell* const after = cell.next.get();
    if (before == nullptr) {
      oldest_ = after;
    } else {
      before->next.set(after);
    }
    if (newest_ == &cell) newest_ = before;
  }

  [[nodiscard]] std::size_t drain_ready_cycle(std::span<ready_cell*> out) noexcept override {
    std::size_t count = 0;
    for (; count < out.size() && oldest_ != nullptr; ++count) {
      out[count] = &take_oldest();
      out[count]->note(ready_cell::mark::out);
    }
    return count;
  }

  [[nodiscard]] wait_signal poll_wait_signal() noexcept override {
    return oldest_ != nullptr ? wait_signal::ready : wait_signal::pending;
  }

  void handle_invoke_result(ready_cell& cell, const invoke_result& result) noexcept override {
    if (has_more(result)) register_ready(cell);
  }

private:
  void append(ready_cell& cell) noexcept {
    cell.next.set(nullptr);
    if (oldest_ == nullptr) {
      oldest_ = &cell;
    } else {
      newest_->next.set(&cell);
    }
    newest_ = &cell;
  }
  ready_cell& take_oldest() noexcept {
    ready_cell& oldest = *oldest_;
    oldest_ = oldest.next.get();
    return oldest;
  }

  ready_cell* oldest_ = nullptr;
  ready_cell* newest_ = nullptr;
};

}  // namespace tactor::inline v0
