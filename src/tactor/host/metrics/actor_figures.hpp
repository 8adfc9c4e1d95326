// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/observe/log_histogram.hpp"
#include "tactor/core/observe/turn_times.hpp"
#include "tactor/host/metrics/actor_series.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tactor::inline v0::internal {

/// Remembers which label the actor in each slot has, as far as one worker has met it.
/// Context: the worker.
class label_of_slot {
public:
  /// Returns the label that was set for this tenant of the slot; nothing if another was set.
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint32_t slot,
                                                  std::uint32_t tenant) const noexcept {
    if (slot >= entries_.size() || entries_[slot].tenant != tenant) return std::nullopt;
    return entries_[slot].label;
  }
  /// Has no effect if there is no memory. Requires: `tenant` is not 0.
  void set(std::uint32_t slot, std::uint32_t tenant, std::uint32_t label) noexcept;

private:
  struct entry {
    std::uint32_t tenant = 0;  // 0: nothing was set
    std::uint32_t label = 0;
  };
  std::vector<entry> entries_;
};

/// Holds what one worker measures of single actors, by label. The worker writes, without a lock;
/// any thread reads.
class actor_figures final : public actor_times {
public:
  actor_figures() = default;
  actor_figures(const actor_figures&) = delete;
  actor_figures& operator=(const actor_figures&) = delete;
  ~actor_figures();

  /// Returns true once `prepare` has succeeded. Context: the worker.
  [[nodiscard]] bool is_ready() const noexcept {
    return of_label_.load(relaxed) != nullptr;  // relaxed: of this thread
  }
  /// Makes it usable. Returns: false if there is no memory. Requires: `series` outlives it.
  bool prepare(actor_series& series) noexcept;

  /// Returns the counter of the messages that left the mailbox of the actor that runs on this
  /// thread, and of others with its label. Requires: ready.
  [[nodiscard]] port::counter& taken_of(std::uint32_t slot, std::uint32_t tenant) noexcept {
    return at(slot, tenant).taken;
  }
  void record_latency(std::uint32_t slot, std::uint32_t tenant, std::uint64_t ns) noexcept override;
  void record_duration(std::uint32_t slot, std::uint32_t tenant,
                       std::uint64_t ns) noexcept override;

  /// The figures of one label.
  struct figures {
    std::uint64_t taken = 0;
    histogram_counts duration;
    histogram_counts latency;
  };
  /// Adds the figures of a label to `sums`. Context: any thread.
  void add_to(std::uint32_t label, figures& sums) const noexcept;

private:
  struct times {
    log_histogram duration;
    log_histogram latency;
  };
  struct entry {
    port::counter taken;
    // Written by: the worker. Read by: any. Publishes: the histograms, empty. Null: nothing was
    // measured.
    port::atomic<times*> measured;
  };
  using entries = std::array<entry, actor_series::most + 1>;

  [[nodiscard]] entry& at(std::uint32_t slot, std::uint32_t tenant) noexcept {
    const auto known = labels_.find(slot, tenant);
    entries& all = *of_label_.load(relaxed);  // relaxed: of this thread
    return all[known ? *known : find_label(slot, tenant)];
  }
  [[gnu::noinline]] std::uint32_t find_label(std::uint32_t slot, std::uint32_t tenant) noexcept;
  [[nodiscard]] times* times_of(std::uint32_t slot, std::uint32_t tenant) noexcept;

  actor_series* series_ = nullptr;
  label_of_slot labels_;
  // Written by: prepare. Read by: any. Publishes: the entries, empty. Null: not ready.
  port::atomic<entries*> of_label_;
};

}  // namespace tactor::inline v0::internal
