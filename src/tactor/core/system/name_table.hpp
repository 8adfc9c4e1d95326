// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/hash_index.hpp"
#include "tactor/base/lock_guard.hpp"
#include "tactor/core/cell/actor_name.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string_view>

namespace tactor::inline v0::internal {

/// Numbers actors without names in a simulation: the slots and generations of a program depend on
/// what ran before.
class actor_numbers {
public:
  [[nodiscard]] virtual std::uint32_t number_of(mailbox_index who) noexcept = 0;

protected:
  ~actor_numbers() = default;
};

/// Says why an actor cannot have a name.
enum class name_error : std::uint8_t { taken, no_memory };

/// The names of a system's actors, unique among siblings. It starts small and grows while there is
/// memory. Thread safety: every function from any thread; a lock, since lookups are rare.
class name_table {
public:
  constexpr name_table() noexcept = default;
  name_table(const name_table&) = delete;
  name_table& operator=(const name_table&) = delete;
  ~name_table();

  /// From now on the order of a visit does not depend on slots. Requires: `by` outlives the table,
  /// the table is empty, and one thread uses it.
  void number_actors(actor_numbers& by) noexcept { numbers_ = &by; }

  /// Gives `owner` a name among the children of its parent.
  [[nodiscard]] std::expected<void, name_error> insert(thread_record& here, cell& owner,
                                                       std::string_view text) noexcept;
  /// Removes the name, if the actor has one.
  void erase(thread_record& here, cell& owner) noexcept;

  /// Calls `found(cell&)` for the child of `parent` with this name, under the lock, so that the
  /// actor does not end meanwhile. Returns: whether there is one.
  template <class Found>
  bool find(const cell* parent, std::string_view text, Found found) noexcept {
    mutex_.lock();
    actor_name* const name = look_up(parent, text, hash_of(parent, text));
    if (name != nullptr) found(*name->owner);
    mutex_.unlock();
    return name != nullptr;
  }

  /// Calls `found(const actor_name&)` with the name of `owner`, of whichever system it is, under
  /// the lock, so that it does not end meanwhile. Nothing is called if it has none.
  template <class Found>
  static void name_of(const cell& owner, Found found) noexcept {
    const lock_guard guard{mutex_};
    if (owner.name != nullptr) found(*owner.name);
  }

  /// The place at which a visit of all names continues.
  struct position {
    std::size_t chain = 0;
    std::size_t in_chain = 0;  // so many names of it were visited
    bool at_end = false;
  };
  /// Calls `found(const actor_name&)` with the next names, `most` at most, under the lock, so that
  /// none of these actors ends meanwhile. Names that are added or removed between two calls may be
  /// left out, or visited twice.
  template <class Found>
  void visit_from(position& at, std::size_t most, Found found) noexcept {
    constexpr std::size_t most_chains = 64;  // for each time the lock is taken
    const lock_guard guard{mutex_};
    for (std::size_t i = 0; i < most_chains && at.chain < names_.chain_count(); ++i) {
      std::size_t index = 0;
      for (const actor_name* name = names_.chain(at.chain); name != nullptr; name = name->next) {
        if (index++ < at.in_chain) continue;
        if (most-- == 0) return;
        found(*name);
        ++at.in_chain;
      }
      ++at.chain;
      at.in_chain = 0;
    }
    at.at_end = at.chain >= names_.chain_count();
  }

private:
  struct name_order {
    static actor_name*& next(actor_name& of) noexcept { return of.next; }
    static std::uint32_t hash(const actor_name& of) noexcept { return of.hash; }
  };

  [[nodiscard]] std::uint32_t hash_of(const cell* parent, std::string_view text) const noexcept;
  [[nodiscard]] std::uint32_t number_of(const cell& parent) const noexcept;
  [[nodiscard]] actor_name* look_up(const cell* parent, std::string_view text,
                                    std::uint32_t hash) const noexcept;

  actor_numbers* numbers_ = nullptr;  // null: slots number the actors
  // Of the tables of all systems, because a slot may have its next tenant in another system.
  static inline constinit port::mutex mutex_;
  // protected by mutex_, with the `name` of every cell
  hash_index<actor_name, name_order, 16> names_;
};

}  // namespace tactor::inline v0::internal
