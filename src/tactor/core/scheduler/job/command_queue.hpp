// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/half_word.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <span>

namespace tactor::inline v0::internal {

template <class Record>
class command_queue;

/// Records taken from a `command_queue`, oldest first. Context: owner only; not thread-safe.
template <class Record>
class command_chain {
public:
  /// Removes and returns the oldest record, or returns null. It may be pushed again at once.
  [[nodiscard]] Record* pop() noexcept {
    if (oldest_ == 0) return nullptr;
    Record& record = records_[oldest_ - 1];
    oldest_ = record.kept();
    return &record;
  }

private:
  friend command_queue<Record>;
  explicit command_chain(Record* records) noexcept : records_(records) {}

  Record* records_;
  std::uint32_t oldest_ = 0;
};

/// Records of one array on their way from many threads to the driver, which takes all of them at
/// once. A record is in the queue at most once. An `mpsc_queue` with links half as wide that can be
/// visited while it is taken: a chain in cold memory is walked one time less. The link of a record is the number that its
/// `free_list_slot` keeps while the record is in use. Before the record is taken from the queue: the next older record; afterwards: the
/// next newer. Index + 1; 0: none.
///
/// Thread safety: `push` from any thread or interrupt, lock-free; `take_all` from one driver at a
/// time.
///
/// inv 1  From `newest_` on, the links lead through all records that were pushed and not taken,
///        newest to oldest.
/// inv 2  The order of the successful compare-exchanges is the order of the queue.
template <class Record>
class command_queue {
public:
  constexpr command_queue() noexcept = default;
  /// Requires: `records` are fewer than `half_word` counts, and outlive the queue.
  constexpr explicit command_queue(std::span<Record> records) noexcept : records_(records.data()) {}

  /// Requires: `fresh` is one of the records, not in the queue, and valid until it is taken; nothing else keeps a number in its
  /// `free_list_slot`.
  void push(Record& fresh) noexcept {
    push(fresh, static_cast<std::uint32_t>(&fresh - records_) + 1);
  }
  /// Overload for a caller that knows the number of the record: its index + 1.
  void push(Record& fresh, std::uint32_t number) noexcept {
    std::uint32_t newest = newest_.load(relaxed);  // relaxed: only compared, never dereferenced
    do {
      fresh.keep(static_cast<half_word>(newest));
      // seq_cst: ties the queue to the words in which the driver says how long it sleeps, and
      // other threads request housekeeping
    } while (!newest_.compare_exchange(newest, number, seq_cst));  // pairs: commands.newest
  }

  /// Takes all records, in the order in which they were pushed; calls `visit` for each of them,
  /// newest first. Context: the driver.
  template <class Visit>
  [[nodiscard]] command_chain<Record> take_all(Visit visit) noexcept {
    command_chain<Record> taken{records_};
    if (empty()) return taken;                            // an idle poll needs no exchange
    std::uint32_t newest = newest_.exchange(0, acquire);  // pairs: commands.newest
    while (newest != 0) {
      Record& record = records_[newest - 1];
      const std::uint32_t older = record.kept();
      record.keep(static_cast<half_word>(taken.oldest_));
      visit(record);
      taken.oldest_ = newest;
      newest = older;
    }
    return taken;
  }

  /// Whether there was nothing to take at that moment. Context: any.
  [[nodiscard]] bool empty() const noexcept {
    // seq_cst: see `push`
    return newest_.load(seq_cst) == 0;  // pairs: commands.newest
  }

private:
  // constant after construction
  Record* records_ = nullptr;
  // Written by: schedule and cancel (push), the driver (take all). Read by: push, the driver.
  // Publishes: the records pushed and their links.
  port::atomic<std::uint32_t> newest_;
};

}  // namespace tactor::inline v0::internal
