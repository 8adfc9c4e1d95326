// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/magazine.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <utility>

namespace tactor::inline v0::internal {

/// Takes runs that are wholly free out of a depot. A run is `Capacity` nodes and the record that
/// stands in front of them; `run_of(node)` is that record. Works in short steps: in a pass it takes
/// all that the depot has, counts for each run how much of it that is, and puts everything back
/// except the runs that it found entirely. Allocates nothing; what it notes, it notes in the records.
///
/// Between two steps the pass may be given up (`give_up`), which takes constant time: a thread that
/// finds the depot empty does so, so that nothing is out of reach. All-zero is at rest.
///
/// Context: one thread at a time; the depot's other users are not affected.
///
/// inv 1  Every node and record that has left the depot is in one of the lists below; in `going_`
///        and `going_nodes_` there are only nodes of runs that go.
/// inv 2  `found` says `goes` only for a run whose nodes and record are all in these lists.
template <class Node, std::uint32_t Capacity = magazine_capacity>
class run_trimmer {
public:
  using depot = magazine_depot<Node, Capacity>;
  using record = chain_record<Node>;
  using records = record_list<Node>;

  /// Whether the run of this record has left the depot, of the records in `taken_out`.
  [[nodiscard]] static bool is_going(const record& run) noexcept { return run.found.get() == goes; }

  [[nodiscard]] bool at_rest() const noexcept { return phase_.get() == phase::rest; }

  /// Starts a pass that leaves `reserve` of the free runs in the depot. Requires: at rest.
  void begin(std::uint32_t reserve) noexcept {
    if (++pass_ == 0) pass_ = 1;  // 0: never counted
    reserve_ = reserve;
    some_go_ = false;
    phase_.set(phase::count_chains);
  }

  /// Does a part of the pass: at most the nodes of one chain. Requires: not at rest.
  template <class RunOf>
  void step(depot& of, RunOf run_of) noexcept {
    switch (phase_.get()) {
    case phase::count_chains:
      return count_chain(of, run_of);
    case phase::count_empty:
      return count_empty(of);
    case phase::choose:
      return choose(of);
    case phase::sort:
      return sort(of, run_of);
    case phase::rest:
      return;
    }
  }

  /// Puts back everything of an unfinished pass.
  void give_up(depot& of) noexcept {
    for (records* const each : {&counted_, &chains_, &going_})
      of.chains().put_full(*each);
    for (records* const each : {&empty_, &spare_, &going_empty_})
      of.chains().put_empty(*each);
    of.loose().put(std::exchange(staying_nodes_, {}));
    of.loose().put(std::exchange(going_nodes_, {}));
    phase_.set(phase::rest);
  }

  /// The result of a pass that has come to its end: among others, the record of each run that was
  /// taken out (`is_going`). The others go back to the depot (`put_empty`).
  [[nodiscard]] records taken_out() noexcept { return std::exchange(out_, {}); }

private:
  enum class phase : std::uint8_t { rest, count_chains, count_empty, choose, sort };
  static constexpr std::uint32_t whole = Capacity + 1;
  static constexpr std::uint32_t goes = Capacity + 2;

  void count(record& run) noexcept {
    if (run.pass.get() != pass_) {
      run.pass.set(pass_);
      run.found.set(0);
    }
    run.found.set(run.found.get() + 1);
  }

  /// A full chain of the depot, or one made of its loose nodes.
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

  template <class RunOf>
  void count_chain(depot& of, RunOf run_of) noexcept {
    record* const taken = next_chain(of);
    if (taken == nullptr) {
      phase_.set(phase::count_empty);
      return;
    }
    count(*taken);
    for (Node* each = taken->first.get(); each != nullptr; each = each->next.get())
      count(run_of(*each));
    counted_.push(*taken);
  }

  void count_empty(depot& of) noexcept {
    record* const taken = of.chains().take_empty();
    if (taken == nullptr) {
      phase_.set(phase::choose);
      return;
    }
    count(*taken);
    empty_.push(*taken);
  }

  void choose(depot& of) noexcept {
    if (record* const holder = counted_.pop()) {
      judge(*holder);
      chains_.push(*holder);
    } else if (record* const spare = empty_.pop()) {
      judge(*spare);
      put_spare(*spare);
    } else if (!some_go_) {
      give_up(of);
    } else {
      of.chains().put_empty(spare_);  // other threads need them for their chains
      phase_.set(phase::sort);
    }
  }
  // Keeps inv 2.
  void judge(record& run) noexcept {
    if (run.found.get() != whole) return;
    if (reserve_ > 0) {
      --reserve_;
    } else {
      run.found.set(goes);
      some_go_ = true;
    }
  }

  void put_spare(record& empty) noexcept { (is_going(empty) ? going_empty_ : spare_).push(empty); }

  template <class RunOf>
  void sort(depot& of, RunOf run_of) noexcept {
    record* const holder = chains_.pop();
    if (holder == nullptr) return finish(of);
    Node* next = holder->first.get();
    put_spare(*holder);
    while (next != nullptr) {
      Node& each = *next;
      next = each.next.get();
      const bool stays = !is_going(run_of(each));
      (stays ? staying_nodes_ : going_nodes_).push(each);
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
    out_.append(std::exchange(going_, {}));
    out_.append(std::exchange(going_empty_, {}));
    phase_.set(phase::rest);
  }

  port::cell<phase> phase_;
  std::uint32_t pass_ = 0;
  std::uint32_t reserve_ = 0;  // how many free runs are still to stay
  bool some_go_ = false;
  records counted_;                 // with chains
  records chains_;                  // with chains, after `choose`
  records empty_;                   // counted
  records spare_;                   // empty, after `choose`, of runs that stay
  records going_empty_;             // the same, of runs that go
  records going_;                   // with chains of nodes that go
  node_chain<Node> staying_nodes_;  // less than a chain
  node_chain<Node> going_nodes_;    // less than a chain
  records out_;
};

}  // namespace tactor::inline v0::internal
