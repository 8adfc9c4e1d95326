// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/metrics/actor_series.hpp"

#include <algorithm>
#include <new>

namespace tactor::inline v0::internal {
namespace {

bool is_digit(char each) noexcept {
  return each >= '0' && each <= '9';
}

/// The rest of a part of a path, and what stands for the part of it that was left out.
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

actor_label::actor_label(std::string_view path) noexcept {
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const folded_part part = fold_part(path.substr(0, end));
    append(part.kept);
    append(part.instead);
    path.remove_prefix(end);
    if (path.empty()) break;
    append("/");
    path.remove_prefix(1);
  }
}

void actor_label::append(std::string_view text) noexcept {
  length_ += text.copy(text_.data() + length_, longest - length_);
}

std::uint32_t actor_series::number_of(std::string_view path) noexcept {
  const actor_label label{path};
  const std::scoped_lock lock{mutex_};
  if (const auto known = numbers_.find(label.view()); known != numbers_.end()) return known->second;
  const std::uint32_t before = size_.load(relaxed);  // relaxed: written under the mutex
  if (before < most) {
    try {
      labels_[before] = label.view();
      numbers_.emplace(labels_[before], before + 1);
      // no mutant: the scenarios have no labels; TSan sees it in stress.metrics
      size_.store(before + 1, release);  // pairs: series.size
      return before + 1;
    } catch (const std::bad_alloc&) {  // counted under `_other`
    }
  }
  left_out_.fetch_add(1, relaxed);  // relaxed: statistic only
  return 0;
}

}  // namespace tactor::inline v0::internal
