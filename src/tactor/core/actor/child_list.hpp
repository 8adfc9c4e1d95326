// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/send/actor_ref.hpp"

#include <cstddef>

namespace tactor::inline v0 {

/// The children of an actor that have not ended and take these messages, the newest first: a range
/// of `actor_ref<Messages...>`.
///
/// Context: the actor's own handlers and hooks; valid until the current one returns. Children may
/// be spawned and stopped meanwhile: new ones are not seen, stopped ones stay until they have
/// ended.
template <class... Messages>
class child_list {
public:
  /// Goes from child to child.
  class iterator {
  public:
    using value_type = actor_ref<Messages...>;
    using difference_type = std::ptrdiff_t;

    constexpr iterator() noexcept = default;
    /// For `child_list`.
    explicit iterator(internal::cell* from) noexcept : at_(from) { skip_others(); }
    /// Returns: the child.
    [[nodiscard]] value_type operator*() const noexcept { return {at_, at_->generation()}; }
    iterator& operator++() noexcept {
      at_ = at_->next_sibling;
      skip_others();
      return *this;
    }
    iterator operator++(int) noexcept {
      const iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator&, const iterator&) noexcept = default;

  private:
    // The actor removes those that have ended between two messages; until then their slots have no
    // other tenants.
    [[nodiscard]] bool is_listed() const noexcept {
      return at_->generation() % 2 != 0 &&
             internal::takes_all(internal::running_type(*at_),
                                 internal::operations_list<Messages...>);
    }
    void skip_others() noexcept {
      while (at_ != nullptr && !is_listed())
        at_ = at_->next_sibling;
    }

    internal::cell* at_ = nullptr;
  };

  /// For `context`.
  explicit child_list(internal::cell* first) noexcept : first_(first) {}
  [[nodiscard]] iterator begin() const noexcept { return iterator{first_}; }
  [[nodiscard]] iterator end() const noexcept { return {}; }
  [[nodiscard]] bool empty() const noexcept { return begin() == end(); }

private:
  internal::cell* first_;
};

}  // namespace tactor::inline v0
