// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "command/fields.hpp"
#include "command/printable.hpp"
#include "command/views.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace command {

/// "suspended (backpressure, user_defined) for 3s".
inline std::string state_of(const nlohmann::json& actor) {
  std::string text = text_in(actor, "state");
  std::string reasons;
  if (const nlohmann::json& all = field(actor, "reasons"); all.is_array())
    for (const nlohmann::json& each : all)
      if (each.is_string()) reasons += (reasons.empty() ? "" : ", ") + each.get<std::string>();
  if (!reasons.empty()) text += " (" + reasons + ")";
  if (const std::optional<std::uint64_t> for_ns = number_in(actor, "suspended_for_ns"))
    text += " for " + duration_text(*for_ns);
  return text;
}

/// "3", "3/100" if the mailbox is bounded.
inline std::string waiting_in(const nlohmann::json& actor) {
  std::string text = short_number(number_in(actor, "waiting"));
  if (const std::optional<std::uint64_t> capacity = number_in(actor, "capacity"))
    text += "/" + short_number(capacity);
  return text;
}

/// Nodes below their parents. What has a parent that is not in the list is at the top.
class tree_lines {
public:
  explicit tree_lines(const nlohmann::json& nodes) {
    std::set<std::string> ids;
    for (const nlohmann::json& each : nodes)
      ids.insert(text_in(each, "id"));
    for (const nlohmann::json& each : nodes) {
      const std::string parent = text_in(each, "parent");
      const bool on_top = !ids.contains(parent) || parent == text_in(each, "id");
      (on_top ? roots_ : below_[parent]).push_back(&each);
    }
    for (const nlohmann::json* each : roots_)
      write(*each);
  }
  [[nodiscard]] lines take() { return std::move(made_); }

private:
  struct step {
    const nlohmann::json* node;
    std::string before;  // of its line
    std::string below;   // before the lines of its children
    std::string name;
  };

  static std::string last_segment(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == path.npos ? path : path.substr(slash + 1);
  }
  static std::string notes_of(const nlohmann::json& node) {
    std::string text;
    if (const std::string state = state_of(node); state != "running") text += "  " + state;
    if (const std::optional<std::uint64_t> waiting = number_in(node, "waiting");
        waiting && *waiting > 0)
      text += "  waiting " + waiting_in(node);
    if (const std::optional<std::uint64_t> restarts = number_in(node, "restarts");
        restarts && *restarts > 0)
      text += "  restarts " + std::to_string(*restarts);
    return text;
  }
  void write(const nlohmann::json& root) {
    std::vector<step> open{
        {.node = &root, .before = "", .below = "", .name = text_in(root, "path")}};
    while (!open.empty()) {
      const step now = std::move(open.back());
      open.pop_back();
      made_.push_back(now.before + printable(now.name + notes_of(*now.node)));
      const auto found = below_.find(text_in(*now.node, "id"));
      if (found == below_.end()) continue;
      const bool is_deep = now.below.size() > 500;  // then it does not move to the right any more
      const std::vector<const nlohmann::json*> children =
          std::exchange(found->second, {});  // each once
      for (std::size_t i = children.size(); i > 0; --i) {
        const bool last = i == children.size();
        open.push_back({.node = children[i - 1],
                        .before = now.below + (last ? "└─ " : "├─ "),
                        .below = now.below + (is_deep ? ""
                                              : last  ? "   "
                                                      : "│  "),
                        .name = last_segment(text_in(*children[i - 1], "path"))});
      }
    }
  }

  std::vector<const nlohmann::json*> roots_;
  std::map<std::string, std::vector<const nlohmann::json*>> below_;
  lines made_;
};

}  // namespace command
