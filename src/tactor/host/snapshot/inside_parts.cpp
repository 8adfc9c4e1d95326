// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/snapshot/inside_parts.hpp"

#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/scheduler/report/job_kind.hpp"
#include "tactor/core/system/actor_view.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tactor::inline v0::internal {
namespace {

std::string_view text_of(job_mode mode) noexcept {
  switch (mode) {
  case job_mode::fixed_rate:
    return "fixed_rate";
  case job_mode::fixed_delay:
    return "fixed_delay";
  case job_mode::once:
    break;
  }
  return "once";
}

/// Copies what it is shown, into memory that it has already.
class inside_copy final : public inside_visitor {
public:
  explicit inside_copy(std::size_t most) {
    timers.reserve(most);
    watchers.reserve(most);
    watched.reserve(most);
    keys.reserve(most);
  }
  bool visit_timer(const actor_timer& each) noexcept override { return add(timers, each); }
  bool visit_watch(watch_side side, mailbox_index other) noexcept override {
    return add(side == watch_side::watcher ? watchers : watched, other);
  }

  bool visit_key(const actor_timer_key& each) noexcept override { return add(keys, each); }
  /// The key of a timer; null: it has none.
  [[nodiscard]] const timer_key_name* key_of(const actor_timer& timer) const noexcept {
    const auto found = std::ranges::find(keys, timer.job, &actor_timer_key::job);
    return found == keys.end() ? nullptr : &found->name;
  }

  std::vector<actor_timer> timers;
  std::vector<actor_timer_key> keys;
  std::vector<mailbox_index> watchers;
  std::vector<mailbox_index> watched;

private:
  template <class T>
  static bool add(std::vector<T>& to, const T& each) noexcept {
    if (to.size() == to.capacity()) return false;
    to.push_back(each);
    return true;
  }
};

void write_key(json_writer& to, const timer_key_name* key) {
  to.key("key");
  if (key == nullptr) return to.nothing();
  if (key->length == 0) return to.text(std::to_string(static_cast<std::int64_t>(key->number)));
  to.text(key->view());
}

void write_timer(json_writer& to, const actor_timer& of, const timer_key_name* key) {
  to.open('{');
  write_key(to, key);
  to.key("message");
  if (of.message.empty()) {
    to.nothing();
  } else {
    to.text(of.message);
  }
  to.text("mode", text_of(of.mode));
  to.number("due_in_ns", of.due_in_ns);
  to.number("period_ns", of.period_ns);
  to.close('}');
}

void write_paths(json_writer& to, seen_system& of, std::string_view name,
                 const std::vector<mailbox_index>& actors) {
  to.key(name).open('[');
  for (const mailbox_index each : actors)
    to.text(of.path_of(each).view());
  to.close(']');
}

}  // namespace

void write_inside(json_writer& to, seen_system& of, const actor_view& who, std::size_t most) {
  inside_copy seen{most};
  const inside_sight can_be_seen = of.visit_inside(who.who, seen);
  if (can_be_seen.timers) {
    to.key("timers").open('[');
    for (const actor_timer& each : seen.timers)
      write_timer(to, each, seen.key_of(each));
    to.close(']');
  } else {
    to.key("timers").nothing();
  }
  if (can_be_seen.kept) {
    write_paths(to, of, "watchers", seen.watchers);
    write_paths(to, of, "watched", seen.watched);
  } else {
    to.key("watchers").nothing();
    to.key("watched").nothing();
  }
}

}  // namespace tactor::inline v0::internal
