// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/lock_guard.hpp"
#include "tactor/base/part_of_host.hpp"
#include "tactor/core/actor/cell/actor_name.hpp"
#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/system/naming/actor_numbers.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string_view>

namespace tactor::inline v0::internal {

/// Why an actor cannot have a name.
enum class name_error : std::uint8_t { taken, no_memory };

/// The names of a system's actors, unique among siblings. It starts small and grows while there is
/// memory. Thread safety: every function from any thread; a lock, since lookups are rare.
class name_table {
public:
  constexpr name_table() noexcept = default;
  name_table(const name_table&) = delete;
  name_table& operator=(const name_table&) = delete;
  ~name_table();

  /// From now on the order of a visit does not depend on slots. Requires: `by` outlives the table, the
  /// table is empty, and one thread uses it.
  void number_actors(actor_numbers& by) noexcept { numbers_ = part_of_host{&by}; }

  /// Gives `owner` a name among the children of its parent.
  [[nodiscard]] std::expected<void, name_error> insert(thread_record& here, cell& owner,
                                                       std::string_view text) noexcept;
  /// Removes the name, if the actor has one.
  void erase(thread_record& here, cell& owner) noexcept;

  /// Calls `found(cell&)` for the child of `parent` with this name, under the lock, so that the actor
  /// does not end meanwhile. Returns: whether there is one.
  template <class Found>
  bool find(const cell* parent, std::string_view text, Found found) noexcept {
    mutex_.lock();
    actor_name* const name = look_up(parent, text, hash_of(parent, text));
    if (name != nullptr) found(*name->owner);
    mutex_.unlock();
    return name != nullptr;
  }

  /// Calls `found(const actor_name&)` with the name of `owner`, under the lock. Searches all names.
  /// Returns: whether it has one.
  template <class Found>
  bool name_of(const cell* owner, Found found) noexcept {
    const lock_guard guard{mutex_};
    for (std::size_t i = 0; i < bucket_count_; ++i) {
      for (const actor_name* name = buckets_[i]; name != nullptr; name = name->next) {
        if (name->owner != owner) continue;
        found(*name);
        return true;
      }
    }
    return false;
  }

  /// Where a visit of all names continues.
  struct position {
    std::size_t bucket = 0;
    std::size_t in_bucket = 0;  // so many names of it were visited
    bool at_end = false;
  };
  /// Calls `found(const actor_name&)` with the next names, `most` at most, under the lock, so that none
  /// of these actors ends meanwhile. Names that are added or removed between two calls may be left out,
  /// or visited twice.
  template <class Found>
  void visit_from(position& at, std::size_t most, Found found) noexcept {
    constexpr std::size_t most_buckets = 64;  // for each time the lock is taken
    const lock_guard guard{mutex_};
    for (std::size_t i = 0; i < most_buckets && at.bucket < bucket_count_; ++i) {
      std::size_t index = 0;
      for (const actor_name* name = buckets_[at.bucket]; name != nullptr; name = name->next) {
        if (index++ < at.in_bucket) continue;
        if (most-- == 0) return;
        found(*name);
        ++at.in_bucket;
      }
      ++at.bucket;
      at.in_bucket = 0;
    }
    at.at_end = at.bucket >= bucket_count_;
  }

private:
  static constexpr std::size_t first_buckets = 16;

  [[nodiscard]] std::uint32_t hash_of(const cell* parent, std::string_view text) const noexcept;
  [[nodiscard]] std::uint32_t number_of(const cell& parent) const noexcept;
  [[nodiscard]] actor_name* look_up(const cell* parent, std::string_view text,
                                    std::uint32_t hash) const noexcept;
  [[nodiscard]] actor_name*& bucket(std::uint32_t hash) const noexcept {
    return buckets_[hash & (bucket_count_ - 1)];
  }
  void grow() noexcept;

  [[no_unique_address]] part_of_host<actor_numbers> numbers_;
  port::mutex mutex_;
  // protected by mutex_
  actor_name* first_[first_buckets] = {};
  actor_name** buckets_ = first_;
  std::size_t bucket_count_ = first_buckets;
  std::size_t size_ = 0;
};

}  // namespace tactor::inline v0::internal
