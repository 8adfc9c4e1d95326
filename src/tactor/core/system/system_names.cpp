// SPDX-License-Identifier: BSL-1.0
// The names of a system's actors.
#include "tactor/core/cell/actor_name.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/system/system_core.hpp"

#include <string_view>

namespace tactor::inline v0::internal {
namespace {

constexpr std::string_view user_path = "/user/";

/// The end of the first part of a path. (`find` would call `memchr`, which a board lacks.)
std::size_t end_of_part(std::string_view path) noexcept {
  std::size_t end = 0;
  while (end < path.size() && path[end] != '/')
    ++end;
  return end;
}

/// A name with a number: "desk-2". A very long name is cut.
class suffixed_name {
public:
  suffixed_name(std::string_view name, std::uint32_t number) noexcept {
    event_text suffix{"-"};
    suffix.append_number(number);
    const std::size_t storage = actor_name::longest - suffix.view().size();
    append({name.data(), name.size() < storage ? name.size() : storage});
    append(suffix.view());
  }
  [[nodiscard]] std::string_view view() const noexcept { return {text_, length_}; }

private:
  void append(std::string_view text) noexcept {
    for (const char letter : text)
      text_[length_++] = letter;
  }
  char text_[actor_name::longest];
  std::size_t length_ = 0;
};

}  // namespace

void system_core::erase_name(cell& of) noexcept {
  names_.erase(this_thread(), of);
}

/// A log entry may still name an actor that has ended.
void system_core::forget_name(cell& who) noexcept {
  if (reports != nullptr && reporting()->logs(log_level::warning)) {
    event_text path;
    write_path(path, who);
    reporting()->ended_names().add({.slot = who.slot, .generation = who.tenant}, path);
  }
  erase_name(who);
}

actor_ref<>
system_core::find_by_names(std::string_view path,
                           std::span<const message_operations* const> messages) noexcept {
  if (path.starts_with(user_path)) path.remove_prefix(user_path.size());
  actor_ref<> found;
  const cell* parent = user_;
  while (parent != nullptr) {
    const std::size_t end = end_of_part(path);
    const bool last = end == path.size();
    // Not `substr`, which could throw. NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage)
    const std::string_view part{path.data(), end};
    const cell* next = nullptr;
    const bool there = names_.find(parent, part, [&](cell& c) {
      next = &c;
      if (last && takes_all(running_type(c), messages)) found = {&c, c.generation()};
    });
    if (!there || last) return found;
    path.remove_prefix(end + 1);
    parent = next;
  }
  return found;
}

/// A free number whose predecessor is taken. Found in a logarithmic number of lookups: a hundred
/// thousand actors of one name would need thousands of millions if each counted from the start.
std::uint32_t system_core::free_number(const cell& parent, std::string_view name) noexcept {
  const auto is_taken = [&](std::uint32_t number) {
    return names_.find(&parent, suffixed_name{name, number}.view(), [](cell&) {});
  };
  std::uint32_t taken = 1;
  std::uint32_t free = 2;
  while (is_taken(free)) {
    taken = free;
    free *= 2;
  }
  while (free - taken > 1) {
    const std::uint32_t middle = taken + (free - taken) / 2;
    (is_taken(middle) ? taken : free) = middle;
  }
  return free;
}

std::expected<void, spawn_error> system_core::give_name(const spawn_request& wanted,
                                                        cell& to) noexcept {
  const std::string_view name = wanted.options.name;
  if (name.empty()) return {};
  thread_record& here = this_thread();
  auto given = names_.insert(here, to, name);
  if (!given && given.error() == name_error::taken) {
    if (wanted.if_taken == spawn_request::taken_name::is_an_error)
      return std::unexpected{spawn_error::name_taken};
    while (!given &&
           given.error() == name_error::taken)  // again: another thread may take the name first
      given = names_.insert(here, to, suffixed_name{name, free_number(*to.parent, name)}.view());
    if (given && reports != nullptr) {
      const name_changed changed{.wanted = event_text{name}, .given = event_text{to.name->text()}};
      reports->other_name(to, changed);
    }
  }
  if (!given) return std::unexpected{spawn_error::no_memory};
  return {};
}

consteval name_functions system_core::name_row() noexcept {
  using core = system_core;
  return {.give = call_member<&core::give_name>,
          .erase = call_member<&core::erase_name>,
          .forget = call_member<&core::forget_name>,
          .find = call_member<&core::find_by_names>,
          .write_path = call_member<&core::write_names>};
}
constinit const name_functions name_feature = system_core::name_row();

// How a system writes the paths of its actors.

namespace {

/// A path, written from its end, which names the actor. What does not fit is left out at the
/// beginning: then it begins with "...". So it costs no more in a deep tree.
class path_text {
public:
  explicit path_text(actor_numbers* numbers) noexcept : numbers_(numbers) {}

  /// Writes the name of an actor, and the names above it.
  void write(const cell& of) noexcept {
    const cell* at = &of;
    for (; at != nullptr && !at->guardian && prepend_name(*at); at = at->parent) {
    }
    if (at != nullptr && at->guardian) (void)prepend("/user");
  }
  /// Returns: false if it did not fit.
  bool prepend(std::string_view part) noexcept {
    std::size_t left = part.size();
    while (left > 0 && begin_ > 0)
      text_[--begin_] = part[--left];
    if (left == 0) return true;
    for (std::size_t i = 0; i < 3; ++i)
      text_[i] = '.';
    return false;
  }
  [[nodiscard]] std::string_view view() const noexcept {
    return {text_ + begin_, event_text::capacity - begin_};
  }

private:
  bool prepend_name(const cell& of) noexcept;

  actor_numbers* numbers_;
  char text_[event_text::capacity];
  std::size_t begin_ = event_text::capacity;
};

/// Stands in for the name of an actor without a name.
void append_nameless(event_text& to, mailbox_index of, actor_numbers* numbers) noexcept {
  to.append("$");
  if (numbers != nullptr) return to.append_number(numbers->number_of(of));
  to.append_number(of.slot);
  to.append(".");
  to.append_number(of.generation);
}

bool path_text::prepend_name(const cell& of) noexcept {
  if (of.name != nullptr) return prepend(of.name->text()) && prepend("/");
  event_text nameless{"/"};
  append_nameless(nameless, {.slot = of.slot, .generation = of.tenant}, numbers_);
  return prepend(nameless.view());
}

}  // namespace

void system_core::write_names(event_text& to, const cell& of) const noexcept {
  path_text path{numbers_};
  path.write(of);
  to.append(path.view());
}

void system_core::write_path(event_text& to, mailbox_index of) noexcept {
  bool written = false;
  name_table::name_of(*program_memory.cells.at(of.slot), [&](const actor_name& found) {
    const cell& owner = *found.owner;
    // relaxed: only compared
    if (owner.generation() != of.generation || owner.gate.load(relaxed) != gate_) return;
    to.append(path_of(found).view());
    written = true;
  });
  if (written) return;
  const event_text ended = reports == nullptr ? event_text{} : reporting()->ended_names().find(of);
  if (ended.view().empty()) {
    append_nameless(to, of, numbers_);
  } else {
    to.append(ended.view());
  }
}

event_text system_core::path_of(const actor_name& name) const noexcept {
  path_text path{numbers_};
  // An actor lives at least as long as a child of it has a name.
  if (path.prepend(name.text()) && path.prepend("/") && name.parent != nullptr)
    path.write(*name.parent);
  return event_text{path.view()};
}

event_text system_core::path_for_log(mailbox_index of) noexcept {
  event_text path;
  if (of.generation != 0) write_path(path, of);
  return path;
}

}  // namespace tactor::inline v0::internal
