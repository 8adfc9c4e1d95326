// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace tactor::inline v0::internal {

/// The label under which an actor with this path is measured: parts that the runtime has generated
/// are folded, "/user/desk-2/$7.1" to "/user/desk-*/$". Returns: how many characters it wrote, at
/// most `size`.
std::size_t fold_path(std::string_view path, char* out, std::size_t size) noexcept;

/// The labels of single actors: at most `most` of them, numbered from 1 on; all further ones have
/// the number 0, and the label `_other`. Labels stay as long as the object.
///
/// Thread safety: everything from any thread, without a lock.
///
/// inv 1  A slot of the table that holds a number keeps it, and the label with that number is
/// constant.
class actor_series {
public:
  static constexpr std::size_t most = 1'000;
  static constexpr std::size_t longest = 120;  // of a label; the rest is cut off
  static constexpr std::string_view other = "_other";

  actor_series() = default;
  actor_series(const actor_series&) = delete;
  actor_series& operator=(const actor_series&) = delete;
  ~actor_series() = default;

  /// The number for actors with this path.
  [[nodiscard]] std::uint32_t number_of(std::string_view path) noexcept;
  /// Calls `call(number, label)` for each label, `_other` last.
  template <class Call>
  void for_each(Call call) const {
    for (const port::atomic<std::uint32_t>& slot : table_) {
      // no mutant: the scenarios have no labels; TSan sees it in stress.metrics
      const std::uint32_t number = slot.load(acquire);  // pairs: series.slot
      if (number != 0) call(number, text_of(at(number)));
    }
    call(std::uint32_t{0}, other);
  }
  /// Returns how many actors have been counted under `_other` because there were too many labels.
  [[nodiscard]] std::uint64_t left_out() const noexcept {
    return left_out_.load(relaxed);  // relaxed: statistic only
  }

private:
  struct entry {
    std::uint32_t hash = 0;
    std::uint8_t length = 0;
    std::array<char, longest> text{};
  };
  static constexpr std::size_t slots = 2'048;  // of the table: at most half of them are taken

  [[nodiscard]] const entry& at(std::uint32_t number) const noexcept {
    return (*entries_)[number - 1];
  }
  static std::string_view text_of(const entry& of) noexcept { return {of.text.data(), of.length}; }
  static bool is_same(const entry& a, const entry& b) noexcept {
    return a.hash == b.hash && text_of(a) == text_of(b);
  }
  [[nodiscard]] std::uint32_t store(const entry& fresh) noexcept;

  std::unique_ptr<std::array<entry, most>> entries_ = std::make_unique<std::array<entry, most>>();
  // Written by: number_of, once each. Read by: any. Publishes: the entry with that number. 0: free.
  std::array<port::atomic<std::uint32_t>, slots> table_;
  // Written by: number_of. Read by: any. Publishes: nothing; the table does. May be above `most`.
  port::atomic<std::uint32_t> size_;
  // Written by: number_of. Read by: any. Publishes: nothing.
  port::atomic<std::uint64_t> left_out_;
};

}  // namespace tactor::inline v0::internal
