// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/lock_guard.hpp"
#include "tactor/base/magazine.hpp"
#include "tactor/port/memory_poison.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <new>  // IWYU pragma: keep (placement new)
#include <utility>

namespace tactor::inline v0::internal {

/// The result of `idle_runs::take`: a chain, or the record of a run that is to be cut into nodes
/// again, or neither.
template <class Node>
struct idle_memory {
  node_chain<Node> chain = {};
  chain_record<Node>* run = nullptr;
};

/// The runs of a depot that are not in use. A run is `Capacity` nodes and the record that stands in
/// front of them.
///
/// They are found in passes of short steps. A pass takes everything out of the depot, counts for
/// each run how much of it that is, and puts everything back except the runs that are wholly free.
/// Then the contents of those are discarded, one run in each step. Their addresses stand in some of
/// them, the directories, which therefore keep their contents. So nothing is allocated; the counts
/// stand in the records. Between two steps a pass may be given up, which takes constant time. A
/// record is never constructed again, since another thread may still read it: what it holds does
/// not matter.
///
/// The argument `runs` describes the runs: `runs.bytes`, their size; `runs.reserve`, how many free
/// ones stay in the depot; `runs.run_of(node)`, the record in front; `runs.discard(start, bytes)`.
///
/// Thread safety: every function from any thread; a lock, held for the nodes of one chain at most.
/// All-zero is at rest, and empty.
///
/// inv 1  Every node and record that has left the depot is in one of the lists, or its run is in a
///        directory, or is one.
/// inv 2  `found` says `goes` only for a run whose nodes and record have all left the depot.
template <class Node, std::uint32_t Capacity = magazine_capacity>
class idle_runs {
public:
  using depot = magazine_depot<Node, Capacity>;

  /// Tells whether `take` may find something. A hint.
  [[nodiscard]] bool any() const noexcept {
    return any_.load(relaxed);  // relaxed: a hint
  }

  /// Finds nodes for a thread that has found the depot empty.
  [[nodiscard]] idle_memory<Node> take(depot& of) noexcept {
    const lock_guard held{mutex_};
    give_up(of);  // what an unfinished pass has taken out comes first
    unfinished_.store(waiting_.size() != 0, relaxed);  // relaxed: a hint
    if (const node_chain<Node> chain = of.take(); chain.count != 0) return {.chain = chain};
    record* const run = take_run(of);
    any_.store(run != nullptr, relaxed);  // relaxed: a hint
    return {.run = run};
  }

  /// Tells whether a `step` would do something. It takes no lock and costs three loads.
  template <class Runs>
  [[nodiscard]] bool has_work(depot& of, const Runs& runs) noexcept {
    if (unfinished_.load(relaxed)) return true;  // relaxed: a hint, checked again
    const std::uint32_t size = of.size();
    const std::uint32_t before = threshold_.load(relaxed);  // relaxed: only a heuristic
    if (size > larger(before, 2 * runs.reserve)) return true;
    if (threshold_above(size, runs.reserve) < before)
      threshold_.store(threshold_above(size, runs.reserve), relaxed);  // relaxed: a heuristic
    return false;
  }

  /// Finds free runs and discards their contents, a little at a time.
  template <class Runs>
  void step(depot& of, Runs& runs) noexcept {
    const lock_guard held{mutex_};
    any_.store(true, relaxed);  // relaxed: a hint
    if (waiting_.size() != 0) {
      discard_one(of, runs);
    } else if (phase_.get() == phase::rest) {
      begin(runs.reserve);
    } else {
      go_on(of, runs);
      if (phase_.get() == phase::rest)
        threshold_.store(threshold_above(of.size(), runs.reserve), relaxed);  // relaxed: as said
    }
    const bool unfinished = phase_.get() != phase::rest || waiting_.size() != 0;
    unfinished_.store(unfinished, relaxed);  // relaxed: a hint
  }

private:
  using record = chain_record<Node>;
  using records = record_list<Node>;
  enum class phase : std::uint8_t { rest, count_chains, count_empty, sort_empty, sort_chains };

  // In `record::found`: how much of the run was found, nodes and record; or what was decided.
  static constexpr std::uint32_t whole = Capacity + 1;
  static constexpr std::uint32_t goes = Capacity + 2;
  static constexpr std::uint32_t stays = Capacity + 3;

  // Not std::max: <algorithm> alone would make a user's file that includes tactor a fifth slower to
  // compile.
  [[nodiscard]] static std::uint32_t larger(std::uint32_t a, std::uint32_t b) noexcept {
    return a > b ? a : b;
  }
  // The next pass will hardly find what this one could not take out: it waits until there is more.
  [[nodiscard]] static std::uint32_t threshold_above(std::uint32_t size,
                                                     std::uint32_t reserve) noexcept {
    return size + larger(reserve, size / 8);
  }

  // A pass.

  void begin(std::uint32_t reserve) noexcept {
    if (++pass_ == 0) pass_ = 1;  // 0: never counted
    reserve_ = reserve;
    free_runs_ = 0;
    phase_.set(phase::count_chains);
  }

  template <class Runs>
  void go_on(depot& of, Runs& runs) noexcept {
    switch (phase_.get()) {
    case phase::count_chains:
      return count_chain(of, runs);
    case phase::count_empty:
      return count_empty(of);
    case phase::sort_empty:
      return sort_empty(of);
    case phase::sort_chains:
      return sort_chain(of, runs);
    case phase::rest:
      return;
    }
  }

  /// Puts back everything of an unfinished pass.
  void give_up(depot& of) noexcept {
    for (records* const each : {&counted_, &going_})
      of.chains().put_full(*each);
    for (records* const each : {&empty_, &spare_, &going_empty_})
      of.chains().put_empty(*each);
    of.loose().put(std::exchange(staying_nodes_, {}));
    of.loose().put(std::exchange(going_nodes_, {}));
    phase_.set(phase::rest);
  }

  void count(record& run) noexcept {
    if (run.pass.get() != pass_) {
      run.pass.set(pass_);
      run.found.set(0);
    }
    run.found.set(run.found.get() + 1);
    if (run.found.get() == whole) ++free_runs_;
  }

  /// Returns: a full chain of the depot, or one made of its loose nodes; null if there is none.
  [[nodiscard]] static record* next_chain(depot& of) noexcept {
    if (record* const full = of.chains().take_full()) return full;
    const node_chain<Node> loose = of.loose().take(Capacity);
    if (loose.count == Capacity) {
      if (record* const holder = of.chains().take_empty()) {
        holder->first.set(loose.first);
        return holder;
      }
    }
    of.loose().put(loose);
    return nullptr;
  }

  template <class Runs>
  void count_chain(depot& of, Runs& runs) noexcept {
    record* const taken = next_chain(of);
    if (taken == nullptr) return phase_.set(phase::count_empty);
    count(*taken);
    for (Node* each = taken->first.get(); each != nullptr; each = each->next.get())
      count(runs.run_of(*each));
    counted_.push(*taken);
  }

  void count_empty(depot& of) noexcept {
    if (record* const taken = of.chains().take_empty()) {
      count(*taken);
      empty_.push(*taken);
    } else if (free_runs_ > reserve_) {
      phase_.set(phase::sort_empty);
    } else {
      give_up(of);
    }
  }

  /// Decides about a run when the first part of it is sorted. Keeps inv 2.
  [[nodiscard]] bool is_to_go(record& run) noexcept {
    if (run.found.get() == whole) {
      run.found.set(reserve_ > 0 ? stays : goes);
      if (reserve_ > 0) --reserve_;
    }
    return is_going(run);
  }
  [[nodiscard]] static bool is_going(const record& run) noexcept { return run.found.get() == goes; }
  void put_aside(record& holder) noexcept {
    (is_to_go(holder) ? going_empty_ : spare_).push(holder);
  }

  void sort_empty(depot& of) noexcept {
    if (record* const taken = empty_.pop()) return put_aside(*taken);
    of.chains().put_empty(spare_);  // other threads need them for their chains
    phase_.set(phase::sort_chains);
  }

  template <class Runs>
  void sort_chain(depot& of, Runs& runs) noexcept {
    record* const holder = counted_.pop();
    if (holder == nullptr) return finish(of);
    Node* next = holder->first.get();
    put_aside(*holder);
    while (next != nullptr) {
      Node& each = *next;
      next = each.next.get();
      (is_to_go(runs.run_of(each)) ? going_nodes_ : staying_nodes_).push(each);
      if (staying_nodes_.count == Capacity) put_staying(of);
      if (going_nodes_.count == Capacity) put_going();
    }
  }
  // Not with a record of a run that goes.
  void put_staying(depot& of) noexcept {
    const node_chain<Node> full = std::exchange(staying_nodes_, {});
    record* const holder = spare_.pop();
    if (holder == nullptr) return of.put(full);
    holder->first.set(full.first);
    records one;
    one.push(*holder);
    of.chains().put_full(one);
  }
  // There is a record: every chain that was sorted so far has left one.
  void put_going() noexcept {
    record* holder = going_empty_.pop();
    if (holder == nullptr) holder = spare_.pop();
    holder->first.set(std::exchange(going_nodes_, {}).first);
    going_.push(*holder);
  }

  // The chains of `going_` consist of the runs that go, so they need not be taken apart.
  void finish(depot& of) noexcept {
    of.loose().put(std::exchange(staying_nodes_, {}));
    of.chains().put_empty(spare_);
    waiting_.append(std::exchange(going_, {}));
    waiting_.append(std::exchange(going_empty_, {}));
    phase_.set(phase::rest);
  }

  // Runs that were taken out.

  /// Stands behind the record of a run.
  struct directory {
    directory* next = nullptr;
    std::size_t size = 0;

    [[nodiscard]] record** runs() noexcept { return reinterpret_cast<record**>(this + 1); }
  };
  static constexpr std::size_t in_front =
      (sizeof(record) + alignof(directory) - 1) / alignof(directory) * alignof(directory);

  [[nodiscard]] static std::size_t capacity_for(std::size_t bytes) noexcept {
    return (bytes - in_front - sizeof(directory)) / sizeof(record*);
  }

  /// Discards the contents of a run that was taken out, or makes it a directory.
  template <class Runs>
  void discard_one(depot& of, Runs& runs) noexcept {
    record* const run = next_waiting(of);
    if (run == nullptr) return;
    directory* const newest = newest_.get();
    if (newest == nullptr || newest->size == capacity_for(runs.bytes)) {
      port::unpoison(run, runs.bytes);
      newest_.set(::new (reinterpret_cast<std::byte*>(run) + in_front) directory{.next = newest});
    } else {
      runs.discard(run, runs.bytes);
      newest->runs()[newest->size++] = run;
    }
  }

  /// Takes a run to use it again. Returns: null if there is none.
  [[nodiscard]] record* take_run(depot& of) noexcept {
    if (record* const run = next_waiting(of)) return run;
    directory* const newest = newest_.get();
    if (newest == nullptr) return nullptr;
    if (newest->size != 0) return newest->runs()[--newest->size];
    newest_.set(newest->next);
    return std::launder(reinterpret_cast<record*>(reinterpret_cast<std::byte*>(newest) - in_front));
  }

  // Not every record that a pass leaves belongs to a run that goes.
  [[nodiscard]] record* next_waiting(depot& of) noexcept {
    while (record* const each = waiting_.pop()) {
      if (is_going(*each)) return each;
      records left;
      left.push(*each);
      of.chains().put_empty(left);
    }
    return nullptr;
  }

  port::mutex mutex_;
  // protected by mutex_
  port::plain<phase> phase_;
  std::uint32_t pass_ = 0;
  std::uint32_t reserve_ = 0;       // how many free runs are still to stay
  std::uint32_t free_runs_ = 0;     // that this pass has counted
  records counted_;                 // with chains
  records empty_;                   // counted
  records spare_;                   // empty, sorted, of runs that stay
  records going_empty_;             // the same, of runs that go
  records going_;                   // with chains of nodes that go
  node_chain<Node> staying_nodes_;  // less than a chain
  node_chain<Node> going_nodes_;    // less than a chain
  records waiting_;                 // that a pass has left: their contents are to be discarded
  port::plain<directory*> newest_;  // of runs without contents
  // Written by: the holder of the lock. Read by: any. Publishes: nothing.
  port::atomic<bool> any_;
  // Written by: the holder of the lock. Read by: any. Publishes: nothing. `step` was interrupted.
  port::atomic<bool> unfinished_;
  // Written by: has_work, step. Read by: has_work. Publishes: nothing. With more chains than this a
  // pass is worth its time.
  port::atomic<std::uint32_t> threshold_;
};

/// Without magazines, nodes are not made in runs.
template <class Node>
class idle_runs<Node, 0> {
public:
  using depot = magazine_depot<Node, 0>;

  [[nodiscard]] static bool any() noexcept { return false; }
  [[nodiscard]] static idle_memory<Node> take(depot& /*of*/) noexcept { return {}; }
  template <class Runs>
  [[nodiscard]] static bool has_work(depot& /*of*/, const Runs& /*runs*/) noexcept {
    return false;
  }
  template <class Runs>
  static void step(depot& /*of*/, Runs& /*runs*/) noexcept {}
};

}  // namespace tactor::inline v0::internal
