// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tactor::inline v0::internal {

/// The label under which an actor is measured: its path, in which parts that the runtime has
/// generated are folded, "/user/desk-2/$7.1" to "/user/desk-*/$". A value.
class actor_label {
public:
  static constexpr std::size_t longest = 120;  // the rest is cut off

  explicit actor_label(std::string_view path) noexcept;
  [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), length_}; }

private:
  void append(std::string_view text) noexcept;

  std::array<char, longest> text_{};
  std::size_t length_ = 0;
};

/// The labels of single actors: at most `most` of them, numbered from 1 on; all further ones have
/// the number 0, and the label `_other`. Labels stay as long as the object.
///
/// Thread safety: everything from any thread. `for_each` takes no lock, so that no worker waits for
/// a scrape.
///
/// inv 1  The labels whose numbers are up to `size_` are constant.
class actor_series {
public:
  static constexpr std::size_t most = 1'000;
  static constexpr std::string_view other = "_other";

  actor_series() = default;
  actor_series(const actor_series&) = delete;
  actor_series& operator=(const actor_series&) = delete;
  ~actor_series() = default;

  /// Returns the number for actors with this path.
  [[nodiscard]] std::uint32_t number_of(std::string_view path) noexcept;
  /// Calls `call(number, label)` for each label, `_other` last.
  template <class Call>
  void for_each(Call call) const {
    // no mutant: the scenarios have no labels; TSan sees it in stress.metrics
    const std::uint32_t size = size_.load(acquire);  // pairs: series.size
    for (std::uint32_t number = 1; number <= size; ++number)
      call(number, std::string_view{labels_[number - 1]});
    call(std::uint32_t{0}, other);
  }
  /// Returns how many actors have been counted under `_other` because there were too many labels.
  [[nodiscard]] std::uint64_t left_out() const noexcept {
    return left_out_.load(relaxed);  // relaxed: statistic only
  }

private:
  std::array<std::string, most> labels_;
  // Written by: number_of, under the mutex. Read by: any. Publishes: the labels up to this number.
  port::atomic<std::uint32_t> size_;
  // Written by: number_of. Read by: any. Publishes: nothing.
  port::atomic<std::uint64_t> left_out_;

  std::mutex mutex_;
  // protected by mutex_
  std::unordered_map<std::string_view, std::uint32_t> numbers_;  // of `labels_`
};

}  // namespace tactor::inline v0::internal
