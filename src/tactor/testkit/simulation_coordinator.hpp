// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/testkit/seed.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tactor::inline v0::testkit {

/// A coordinator in which a seed decides which cell runs next. Equal seeds and programs give equal
/// orders; seed 0 gives that of a cooperative loop: first come, first served.
/// Context: one thread.
class simulation_coordinator final : public ready_queue_coordinator {
public:
  /// An object that is notified of turns.
  class observer {
  public:
    /// Called when a turn of `ran` has ended with `result`; if it has more to do, it is ready
    /// again.
    virtual void after_turn(const ready_cell& ran, const invoke_result& result) noexcept = 0;

  protected:
    ~observer() = default;
  };

  /// Requires: `by` is null or outlives the coordinator.
  explicit simulation_coordinator(seed from, observer* by = nullptr) noexcept
      : random_(from), in_order_(from.value == 0), observer_(by) {}
  simulation_coordinator(const simulation_coordinator&) = delete;
  simulation_coordinator& operator=(const simulation_coordinator&) = delete;
  ~simulation_coordinator() = default;

  void register_ready(ready_cell& cell) noexcept override {
    if (cell.is_queued()) return;
    cell.note(ready_cell::mark::queued);
    ready_.push_back(&cell);
  }
  void unregister(ready_cell& cell) noexcept override {
    if (!cell.is_queued()) return;
    cell.note(ready_cell::mark::out);
    ready_.erase(
        std::find(ready_.begin() + static_cast<std::ptrdiff_t>(taken_), ready_.end(), &cell));
  }
  [[nodiscard]] std::size_t drain_ready_cycle(std::span<ready_cell*> out) noexcept override {
    std::size_t count = 0;
    for (; count < out.size() && waiting() > 0; ++count)
      out[count] = in_order_ ? &take_oldest() : &take(random_.below(waiting()));
    return count;
  }
  [[nodiscard]] wait_signal poll_wait_signal() noexcept override {
    return waiting() == 0 ? wait_signal::pending : wait_signal::ready;
  }
  void handle_invoke_result(ready_cell& cell, const invoke_result& result) noexcept override {
    if (has_more(result)) register_ready(cell);
    if (observer_ != nullptr) observer_->after_turn(cell, result);
  }
  [[nodiscard]] ready_queue_usage usage() noexcept override {
    return {.cells = waiting(), .bytes = sizeof(*this) + ready_.capacity() * sizeof(ready_cell*)};
  }

private:
  [[nodiscard]] std::size_t waiting() const noexcept { return ready_.size() - taken_; }
  ready_cell& take(std::size_t position) noexcept {
    ready_cell& taken = *ready_[position];
    ready_[position] = ready_.back();
    ready_.pop_back();
    taken.note(ready_cell::mark::out);
    return taken;
  }
  ready_cell& take_oldest() noexcept {
    ready_cell& taken = *ready_[taken_++];
    if (waiting() == 0) {
      ready_.clear();
      taken_ = 0;
    } else if (taken_ >= 1024) {
      for (std::size_t i = 0; i < waiting(); ++i)
        ready_[i] = ready_[taken_ + i];
      ready_.resize(waiting());
      taken_ = 0;
    }
    taken.note(ready_cell::mark::out);
    return taken;
  }

  random_source random_;
  bool in_order_;
  observer* observer_;
  std::vector<ready_cell*> ready_;
  std::size_t taken_ = 0;  // seed 0: cells at the front that were taken
};

}  // namespace tactor::inline v0::testkit
