// SPDX-License-Identifier: BSL-1.0
// How a system writes the paths of its actors.
#include "tactor/core/cell/actor_name.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/system/system_core.hpp"

#include <string_view>

namespace tactor::inline v0::internal {
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
  (void)names_.name_of(program_memory.cells.at(of.slot), [&](const actor_name& found) {
    if (found.owner->generation() != of.generation) return;  // the slot has another tenant
    to.append(path_of(found).view());
    written = true;
  });
  if (!written) write_ended_path(to, of);
}

void system_core::write_ended_path(event_text& to, mailbox_index of) noexcept {
  const event_text ended = log_ == nullptr ? event_text{} : log_->ended_names.find(of);
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

/// The name is found by a linear search under the lock: with many actors it would delay spawns.
event_text system_core::path_for_log(mailbox_index of) noexcept {
  constexpr std::size_t few = 4096;
  event_text path;
  if (of.generation == 0) return path;
  if (live() <= few) {
    write_path(path, of);
  } else {
    write_ended_path(path, of);
  }
  return path;
}

}  // namespace tactor::inline v0::internal
