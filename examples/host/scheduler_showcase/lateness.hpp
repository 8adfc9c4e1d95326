// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/observe.hpp"

#include <algorithm>
#include <cstdint>

namespace showcase {

/// A histogram of times by which timers were late; see `tactor::histogram_buckets`.
class lateness {
public:
  void record(std::uint64_t late_ns) {
    ++counts_.in_bucket[tactor::histogram_buckets::of(late_ns)];
    max_ns_ = std::max(max_ns_, late_ns);
  }
  void add(const lateness& other) {
    counts_ += other.counts_;
    max_ns_ = std::max(max_ns_, other.max_ns_);
  }

  [[nodiscard]] std::uint64_t count() const { return counts_.size(); }
  [[nodiscard]] std::uint64_t max_ns() const { return max_ns_; }
  /// Returns: a value that `percent` of the records do not exceed, rounded up to the end of its
  /// bucket.
  [[nodiscard]] std::uint64_t percentile_ns(std::uint64_t percent) const {
    return std::min(counts_.quantile(10 * percent), max_ns_);
  }

private:
  tactor::histogram_counts counts_;
  std::uint64_t max_ns_ = 0;
};

}  // namespace showcase
