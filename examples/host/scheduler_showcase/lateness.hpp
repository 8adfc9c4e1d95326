// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace showcase {

namespace internal {

// A value is its leading bit and the three bits behind it; what is below 16 has a bucket of its
// own.
constexpr std::size_t bucket_of(std::uint64_t value) {
  const auto width = static_cast<std::size_t>(std::bit_width(value));
  const std::size_t shift = width > 4 ? width - 4 : 0;
  return shift * 8 + static_cast<std::size_t>(value >> shift);
}
constexpr std::uint64_t last_of(std::size_t bucket) {
  const std::size_t shift = bucket < 16 ? 0 : bucket / 8 - 1;
  const std::uint64_t lead = bucket - shift * 8;
  return (lead << shift) + ((std::uint64_t{1} << shift) - 1);
}
static_assert(bucket_of(15) == 15 && bucket_of(16) == 16 && bucket_of(17) == 16);
static_assert(last_of(15) == 15 && last_of(16) == 17 && last_of(bucket_of(1000)) == 1023);

}  // namespace internal

/// How late things were, as a histogram whose buckets are at most an eighth of their value wide.
class lateness {
public:
  void record(std::uint64_t late_ns) {
    ++buckets_[internal::bucket_of(late_ns)];
    ++count_;
    max_ns_ = std::max(max_ns_, late_ns);
  }

  void add(const lateness& other) {
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket)
      buckets_[bucket] += other.buckets_[bucket];
    count_ += other.count_;
    max_ns_ = std::max(max_ns_, other.max_ns_);
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t max_ns() const { return max_ns_; }

  /// A value that `percent` of the records do not exceed, rounded up to its bucket's end.
  [[nodiscard]] std::uint64_t percentile_ns(std::uint64_t percent) const {
    const std::uint64_t wanted = (count_ * percent + 99) / 100;
    std::uint64_t seen = 0;
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
      seen += buckets_[bucket];
      if (seen >= wanted && seen > 0) return std::min(internal::last_of(bucket), max_ns_);
    }
    return 0;
  }

private:
  std::array<std::uint64_t, 512> buckets_{};
  std::uint64_t count_ = 0;
  std::uint64_t max_ns_ = 0;
};

}  // namespace showcase
