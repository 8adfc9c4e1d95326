// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/lock_guard.hpp"
#include "tactor/base/magazine.hpp"
#include "tactor/base/released_runs.hpp"
#include "tactor/base/run_trimmer.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>

namespace tactor::inline v0::internal {

/// What `idle_runs::take` has found: a chain, or the record of a run to be cut into nodes again, or
/// neither.
template <class Node>
struct idle_memory {
  node_chain<Node> chain = {};
  chain_record<Node>* run = nullptr;
};

/// The runs of a depot whose nodes are not made in runs: none.
template <class Node, std::uint32_t Capacity, bool InRuns>
class idle_runs {
public:
  using depot = magazine_depot<Node, Capacity>;

  [[nodiscard]] static bool any() noexcept { return false; }
  [[nodiscard]] static idle_memory<Node> take(depot& /*of*/) noexcept { return {}; }
  template <class Runs>
  [[nodiscard]] static bool has_work(depot& /*of*/, const Runs& /*runs*/) noexcept {
    return false;
  }
  template <class Runs>
  static void step(depot& /*of*/, Runs& /*runs*/) noexcept {}
};

/// The runs of a depot that are not in use: found by a `run_trimmer`, kept as `released_runs`.
///
/// The argument `runs` describes the runs: `runs.bytes`, their size; `runs.reserve`, how many stay
/// in the depot; `runs.run_of(node)`, the record in front; `runs.discard(start, bytes)`.
///
/// Thread safety: every function from any thread; a lock, held for the nodes of one chain at most.
template <class Node, std::uint32_t Capacity>
class idle_runs<Node, Capacity, true> {
public:
  using depot = magazine_depot<Node, Capacity>;

  /// Whether `take` may find something. A hint.
  [[nodiscard]] bool any() const noexcept {
    return any_.load(relaxed);  // relaxed: a hint
  }

  /// For a thread that has found the depot empty: what a trimmer has in its hands goes back.
  [[nodiscard]] idle_memory<Node> take(depot& of) noexcept {
    const lock_guard held{mutex_};
    trimmer_.give_up(of);
    unfinished_.store(released_.has_waiting(), relaxed);  // relaxed: a hint
    if (const node_chain<Node> chain = of.take(); chain.count != 0) return {.chain = chain};
    chain_record<Node>* const run = released_.take(of);
    any_.store(run != nullptr, relaxed);  // relaxed: a hint
    return {.run = run};
  }

  /// Whether a `step` would do something. Without the lock: costs three loads.
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
    if (released_.has_waiting()) {
      released_.discard_one(of, runs.bytes, [&](void* start, std::size_t bytes) noexcept {
        runs.discard(start, bytes);
      });
    } else if (trimmer_.at_rest()) {
      trimmer_.begin(runs.reserve);
    } else {
      trimmer_.step(of,
                    [&](Node& each) noexcept -> chain_record<Node>& { return runs.run_of(each); });
      if (trimmer_.at_rest()) end_pass(of, runs.reserve);
    }
    const bool unfinished = !trimmer_.at_rest() || released_.has_waiting();
    unfinished_.store(unfinished, relaxed);  // relaxed: a hint
  }

private:
  // Not std::max: <algorithm> alone would make a user's file that includes tactor a fifth slower to compile.
  [[nodiscard]] static std::uint32_t larger(std::uint32_t a, std::uint32_t b) noexcept {
    return a > b ? a : b;
  }
  // What a pass could not take out, the next one will hardly find: it waits until there is more.
  [[nodiscard]] static std::uint32_t threshold_above(std::uint32_t size,
                                                     std::uint32_t reserve) noexcept {
    return size + larger(reserve, size / 8);
  }
  void end_pass(depot& of, std::uint32_t reserve) noexcept {
    released_.add(trimmer_.taken_out());
    threshold_.store(threshold_above(of.size(), reserve), relaxed);  // relaxed: a heuristic
  }

  port::mutex mutex_;
  // protected by mutex_
  run_trimmer<Node, Capacity> trimmer_;
  released_runs<Node, Capacity> released_;
  // Written by: the holder of the lock. Read by: any. Publishes: nothing.
  port::atomic<bool> any_;
  // Written by: the holder of the lock. Read by: any. Publishes: nothing. `step` was interrupted.
  port::atomic<bool> unfinished_;
  // Written by: has_work, step. Read by: has_work. Publishes: nothing. With more chains than this a
  // pass is worth its time.
  port::atomic<std::uint32_t> threshold_;
};

}  // namespace tactor::inline v0::internal
