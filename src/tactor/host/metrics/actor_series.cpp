// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/metrics/actor_series.hpp"

#include <algorithm>

namespace tactor::inline v0::internal {
namespace {

std::uint32_t hash_of_label(std::string_view text) noexcept {
  std::uint32_t hash = 0x811C'9DC5U;
  for (const char each : text)
    hash = (hash ^ static_cast<unsigned char>(each)) * 0x0100'0193U;
  return hash;
}

bool is_digit(char each) noexcept {
  return each >= '0' && each <= '9';
}

/// The rest of a part of a path, and whether something was left out.
struct folded_part {
  std::string_view kept;
  std::string_view instead;
};
folded_part fold_part(std::string_view part) noexcept {
  if (part.starts_with('$')) return {.kept = "$", .instead = {}};
  std::size_t end = part.size();
  while (end > 0 && is_digit(part[end - 1]))
    --end;
  const bool numbered = end < part.size() && end > 1 && part[end - 1] == '-';
  if (!numbered) return {.kept = part, .instead = {}};
  part.remove_suffix(part.size() - end);
  return {.kept = part, .instead = "*"};
}

}  // namespace

std::size_t fold_path(std::string_view path, char* out, std::size_t size) noexcept {
  std::size_t length = 0;
  const auto append = [&](std::string_view text) {
    const std::size_t fits = std::min(text.size(), size - length);
    std::copy_n(text.data(), fits, out + length);
    length += fits;
  };
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const folded_part part = fold_part(std::string_view{path.data(), end});
    append(part.kept);
    append(part.instead);
    path.remove_prefix(end);
    if (path.empty()) break;
    append("/");
    path.remove_prefix(1);
  }
  return length;
}

std::uint32_t actor_series::number_of(std::string_view path) noexcept {
  entry wanted;
  const std::size_t length = fold_path(path, wanted.text.data(), longest);
  wanted.length = static_cast<std::uint8_t>(length);
  wanted.hash = hash_of_label({wanted.text.data(), length});
  std::uint32_t fresh = 0;
  for (std::size_t i = 0; i < slots; ++i) {
    port::atomic<std::uint32_t>& slot = table_[(wanted.hash + i) % slots];
    // no mutant: the scenarios have no labels; TSan sees it in stress.metrics
    std::uint32_t number = slot.load(acquire);  // pairs: series.slot
    if (number == 0) {
      if (fresh == 0) fresh = store(wanted);
      if (fresh == 0) break;
      // no mutant: the scenarios have no labels; TSan sees it in stress.metrics
      if (slot.compare_exchange(number, fresh, acq_rel)) return fresh;  // pairs: series.slot
    }
    // If another thread has taken the slot for this label, the fresh number stays unused.
    if (is_same(at(number), wanted)) return number;
  }
  left_out_.fetch_add(1, relaxed);  // relaxed: statistic only
  return 0;
}

/// Returns: its number; 0 if there are too many.
std::uint32_t actor_series::store(const entry& fresh) noexcept {
  if (size_.load(relaxed) >= most) return 0;                 // relaxed: a number
  const std::uint32_t before = size_.fetch_add(1, relaxed);  // relaxed: a number
  if (before >= most) return 0;
  (*entries_)[before] = fresh;
  return before + 1;
}

}  // namespace tactor::inline v0::internal
