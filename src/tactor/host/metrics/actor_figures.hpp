// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/observe/log_histogram.hpp"
#include "tactor/core/observe/turn_times.hpp"
#include "tactor/host/metrics/actor_series.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace tactor::inline v0::internal {

class cell;

/// Which label the actor in each slot has. All workers of a system share one.
///
/// Thread safety: `find` and `set` for an actor by the worker that runs it: the next worker that
/// runs it comes after.
class label_of_slot {
  static constexpr std::size_t in_part = 16'384;
  static constexpr std::size_t parts = (std::size_t{1} << 29U) / in_part;

public:
  /// The label of one slot. Two words without an order: the worker that runs the actor writes and
  /// reads both.
  struct entry {
    port::atomic<std::uint32_t> generation;  // of the tenant it was set for; 0: of none
    port::atomic<std::uint32_t> label;

    /// Returns true if it was set for this tenant.
    [[nodiscard]] bool is_of(std::uint32_t tenant) const noexcept {
      // relaxed: written by the worker that ran the actor before, if at all
      return generation.load(relaxed) == tenant;
    }
    /// The number of its label, if `is_of`.
    [[nodiscard]] std::uint32_t number() const noexcept {
      return label.load(relaxed);  // relaxed: as above
    }
  };

private:
  using chunk = std::array<entry, in_part>;

public:
  /// Throws: std::bad_alloc.
  label_of_slot();
  label_of_slot(const label_of_slot&) = delete;
  label_of_slot& operator=(const label_of_slot&) = delete;
  ~label_of_slot();

  /// For many calls of `find`.
  class reader {
  public:
    explicit reader(const port::atomic<chunk*>* of) noexcept : parts_(of) {}
    [[nodiscard]] const entry& find(std::uint32_t slot) const noexcept {
      // no mutant: a new chunk is all zero, and memory that was never used is, too
      const chunk& part = *parts_[slot / in_part].load(acquire);  // pairs: labels.part
      return part[slot % in_part];
    }

  private:
    const port::atomic<chunk*>* parts_;
  };
  [[nodiscard]] reader view() const noexcept { return reader{parts_.get()}; }
  /// Does nothing if there is no memory. Requires: `generation` is not 0.
  void set(std::uint32_t slot, std::uint32_t generation, std::uint32_t label) noexcept;

private:
  static constinit chunk nothing;  // in place of all chunks that no actor has needed yet

  // Written by: set. Read by: any worker. Publishes: that the chunk is empty.
  std::unique_ptr<port::atomic<chunk*>[]> parts_;
};

/// Holds what the workers of a system share to tell actors apart. Made when it is needed: it is
/// large.
struct actor_labels {
  actor_series series;
  label_of_slot of_slot;
};

/// Holds what one worker measures of single actors, by label. The worker writes, without a lock;
/// any thread reads.
class actor_figures final : public actor_times {
public:
  actor_figures() = default;
  actor_figures(const actor_figures&) = delete;
  actor_figures& operator=(const actor_figures&) = delete;
  ~actor_figures();

  /// Returns true if it can be used.
  [[nodiscard]] bool is_ready() const noexcept {
    return is_ready_.load(relaxed);  // relaxed: of this thread
  }
  /// Makes it usable. Returns: false if there is no memory. Requires: `labels` outlives it.
  bool prepare(actor_labels& labels) noexcept;

  /// Requires: ready.
  [[nodiscard]] actor_labels& labels() const noexcept { return *labels_; }
  /// Counts messages that left a mailbox, by the number of the label. Requires: ready.
  [[nodiscard]] port::counter* taken() const noexcept { return taken_->data(); }
  /// Finds the number of the label of the actor that runs on this thread, by its path. Requires:
  /// ready.
  [[gnu::noinline]] std::uint32_t find_label(const cell& c) noexcept;
  void record_latency(std::uint32_t slot, std::uint32_t generation,
                      std::uint64_t ns) noexcept override;
  void record_duration(std::uint32_t slot, std::uint32_t generation,
                       std::uint64_t ns) noexcept override;

  /// The figures of one label.
  struct figures {
    std::uint64_t taken = 0;
    histogram_counts duration;
    histogram_counts latency;
  };
  /// Adds those of a label. Context: any thread.
  void add_to(std::uint32_t label, figures& sums) const noexcept;

private:
  struct times {
    log_histogram duration;
    log_histogram latency;
  };
  static constexpr std::size_t count = actor_series::most + 1;

  [[nodiscard]] times* times_of(std::uint32_t slot, std::uint32_t generation) noexcept;

  actor_labels* labels_ = nullptr;
  // Written by: prepare. Read by: any. Publishes: `taken_`.
  port::atomic<bool> is_ready_;
  std::unique_ptr<std::array<port::counter, count>> taken_;
  // Written by: the worker. Read by: any. Publishes: the histograms, empty.
  std::array<port::atomic<times*>, count> times_;
};

}  // namespace tactor::inline v0::internal
