// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/magazine.hpp"
#include "tactor/base/memory_poison.hpp"
#include "tactor/base/run_trimmer.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <new>  // IWYU pragma: keep (placement new)

namespace tactor::inline v0::internal {

/// The runs that a `run_trimmer` has taken out: those whose contents are still to be discarded, and
/// those without contents. The addresses of the latter stand in some of the runs, the directories,
/// which therefore keep their contents. So it needs no memory of its own. All-zero is empty.
///
/// Context: one thread at a time. Only the record in front of a run may still be read elsewhere; it
/// is never constructed again, and what it holds does not matter.
template <class Node, std::uint32_t Capacity = magazine_capacity>
class released_runs {
public:
  using trimmer = run_trimmer<Node, Capacity>;
  using depot = trimmer::depot;
  using record = trimmer::record;

  /// Takes over the result of a pass. Their contents are not yet discarded.
  void add(record_list<Node> taken_out) noexcept { waiting_.append(taken_out); }

  /// Whether the contents of some runs are still to be discarded.
  [[nodiscard]] bool has_waiting() const noexcept { return waiting_.size() != 0; }

  /// Discards the contents of a run by `discard(start, bytes)`, or makes it a directory.
  /// Requires: runs take `bytes`.
  template <class Discard>
  void discard_one(depot& of, std::size_t bytes, Discard discard) noexcept {
    record* const run = next_waiting(of);
    if (run == nullptr) return;
    directory* const newest = newest_.get();
    if (newest == nullptr || newest->size == capacity_for(bytes)) {
      unpoison(run, bytes);
      newest_.set(::new (behind(*run)) directory{.next = newest});
    } else {
      discard(run, bytes);
      newest->runs()[newest->size++] = run;
    }
  }

  /// Takes a run to use it again. Returns: null if there is none.
  [[nodiscard]] record* take(depot& of) noexcept {
    if (record* const run = next_waiting(of)) return run;
    directory* const newest = newest_.get();
    if (newest == nullptr) return nullptr;
    if (newest->size != 0) return newest->runs()[--newest->size];
    newest_.set(newest->next);
    return std::launder(reinterpret_cast<record*>(reinterpret_cast<std::byte*>(newest) - room));
  }

private:
  // Stands behind the record of a run.
  struct directory {
    directory* next = nullptr;
    std::size_t size = 0;

    [[nodiscard]] record** runs() noexcept { return reinterpret_cast<record**>(this + 1); }
  };
  static constexpr std::size_t room =
      (sizeof(record) + alignof(directory) - 1) / alignof(directory) * alignof(directory);

  [[nodiscard]] static std::byte* behind(record& run) noexcept {
    return reinterpret_cast<std::byte*>(&run) + room;
  }
  [[nodiscard]] static std::size_t capacity_for(std::size_t bytes) noexcept {
    return (bytes - room - sizeof(directory)) / sizeof(record*);
  }

  // Not every record that a pass leaves belongs to a run that goes.
  [[nodiscard]] record* next_waiting(depot& of) noexcept {
    while (record* const each = waiting_.pop()) {
      if (trimmer::is_going(*each)) return each;
      record_list<Node> stays;
      stays.push(*each);
      of.chains().put_empty(stays);
    }
    return nullptr;
  }

  record_list<Node> waiting_;
  port::cell<directory*> newest_;
};

}  // namespace tactor::inline v0::internal
