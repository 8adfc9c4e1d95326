// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tactor::inline v0 {

/// The buckets of a log-linear histogram: four of equal width between a power of two and the next,
/// so that a value is known to a fifth of its size. Values from `limit` on are in the last bucket.
struct histogram_buckets {
  static constexpr unsigned last_octave = 40;
  static constexpr std::size_t count = (last_octave - 1) * 4 + 4;
  static constexpr std::uint64_t limit = std::uint64_t{1} << (last_octave + 1);

  /// The bucket that a value belongs to.
  [[nodiscard]] static constexpr std::size_t of(std::uint64_t value) noexcept {
    if (value < 4) return static_cast<std::size_t>(value);
    const auto octave = static_cast<unsigned>(std::bit_width(value)) - 1;
    if (octave > last_octave) return count - 1;
    return (octave - 1) * std::size_t{4} + static_cast<std::size_t>((value >> (octave - 2)) & 3U);
  }
  /// The least value that is too large for a bucket.
  [[nodiscard]] static constexpr std::uint64_t end_of(std::size_t bucket) noexcept {
    if (bucket < 4) return bucket + 1;
    return std::uint64_t{bucket % 4 + 5} << (bucket / 4 - 1);
  }
};
static_assert(histogram_buckets::of(histogram_buckets::limit - 1) == histogram_buckets::count - 1);
static_assert(histogram_buckets::end_of(histogram_buckets::count - 1) == histogram_buckets::limit);

/// The contents of a histogram: a copy, or the sum of several. A value.
struct histogram_counts {
  std::array<std::uint64_t, histogram_buckets::count> in_bucket{};
  std::uint64_t sum = 0;  // of the values

  /// Returns the number of values.
  [[nodiscard]] constexpr std::uint64_t size() const noexcept {
    std::uint64_t all = 0;
    for (const std::uint64_t each : in_bucket)
      all += each;
    return all;
  }
  /// Returns the number of values less than `limit`. Requires: it is a power of two, at least 4.
  [[nodiscard]] constexpr std::uint64_t below(std::uint64_t limit) const noexcept {
    std::uint64_t all = 0;
    const std::size_t end = histogram_buckets::of(limit);
    for (std::size_t i = 0; i < end; ++i)
      all += in_bucket[i];
    return all;
  }
  /// The least value that at least `share` (of 1 000) of the values are less than; 0: there are
  /// none.
  [[nodiscard]] constexpr std::uint64_t quantile(std::uint64_t share) const noexcept {
    const std::uint64_t wanted = (size() * share + 999) / 1000;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < in_bucket.size(); ++i) {
      seen += in_bucket[i];
      if (seen != 0 && seen >= wanted) return histogram_buckets::end_of(i);
    }
    return 0;
  }
  constexpr histogram_counts& operator+=(const histogram_counts& other) noexcept {
    for (std::size_t i = 0; i < in_bucket.size(); ++i)
      in_bucket[i] += other.in_bucket[i];
    sum += other.sum;
    return *this;
  }
  friend constexpr bool operator==(const histogram_counts&,
                                   const histogram_counts&) noexcept = default;
};

namespace internal {

/// A histogram that one thread fills and any thread reads, without a lock.
class log_histogram {
public:
  /// Context: the single writer.
  void record(std::uint64_t value) noexcept {
    in_bucket_[histogram_buckets::of(value)].add(1);
    sum_.add(value);
  }
  /// Adds the contents to `sums`. Context: any thread.
  void add_to(histogram_counts& sums) const noexcept {
    for (std::size_t i = 0; i < in_bucket_.size(); ++i)
      sums.in_bucket[i] += in_bucket_[i].value();
    sums.sum += sum_.value();
  }

private:
  std::array<port::counter, histogram_buckets::count> in_bucket_;
  port::counter sum_;
};

}  // namespace internal
}  // namespace tactor::inline v0
