// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/lock_guard.hpp"
#include "tactor/base/tagged_stack.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <new>  // IWYU pragma: keep (placement new)
#include <utility>

namespace tactor::inline v0::internal {

/// The number of nodes in a full magazine; 0: threads cache none. With 63, a run of 64 blocks is
/// one magazine and its `chain_record`.
inline constexpr std::uint32_t magazine_capacity = port::sizes::magazine;

/// Nodes linked by their `next`; the last `next` is null. A value; the nodes belong to the holder
/// of the chain. `Node` has a member `port::plain<Node*> next`.
template <class Node>
struct node_chain {
  Node* first = nullptr;
  std::uint32_t count = 0;

  /// Requires: not empty.
  [[nodiscard]] Node& pop() noexcept {
    Node& taken = *first;
    first = taken.next.get();
    --count;
    return taken;
  }
  /// Pushes a node to the front.
  void push(Node& node) noexcept {
    node.next.set(first);
    first = &node;
    ++count;
  }
};

/// Records one full chain of a depot. It is separate from the nodes because a thread that pops may
/// still read the link of a record that another thread has taken, and a node would be reused by
/// then. Never freed; see `tagged_stack`. Records that stand in front of a run of nodes also hold
/// what `idle_runs` counts of the run.
template <class Node>
struct chain_record {
  // Written by: tagged_stack::push, and the thread that owns the record. Read by: pop, also when it
  // has lost the record to another thread. Publishes: nothing; the stack's top does.
  port::atomic<chain_record*> below;
  port::plain<Node*> first;
  // of `idle_runs`
  port::plain<std::uint32_t> pass;   // which pass counted,
  port::plain<std::uint32_t> found;  // and how much of the run it found: nodes, and the record
};

/// Records linked by their `below`. A value; the records belong to the holder of the list.
template <class Node>
class record_list {
public:
  using record = chain_record<Node>;

  void push(record& given) noexcept {
    given.below.store(first_, relaxed);  // relaxed: only the holder follows it
    if (first_ == nullptr) last_ = &given;
    first_ = &given;
    ++size_;
  }
  /// Returns: null if there is none.
  [[nodiscard]] record* pop() noexcept {
    record* const taken = first_;
    if (taken == nullptr) return nullptr;
    first_ = taken->below.load(relaxed);  // relaxed: written by the holder
    --size_;
    return taken;
  }
  /// Takes over the records of another list.
  void append(record_list given) noexcept {
    if (given.first_ == nullptr) return;
    given.last_->below.store(first_, relaxed);  // relaxed: only the holder follows it
    if (first_ == nullptr) last_ = given.last_;
    first_ = given.first_;
    size_ += given.size_;
  }
  void push_all_to(tagged_stack<record>& to) noexcept {
    if (first_ != nullptr) to.push_all(*first_, *last_);
    *this = {};
  }
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }

private:
  record* first_ = nullptr;
  record* last_ = nullptr;  // if there is a first
  std::uint32_t size_ = 0;
};

/// Unordered nodes behind a lock: the rest of chains that are not full.
///
/// Thread safety: every function from any thread; a critical section.
template <class Node>
class loose_nodes {
public:
  /// Takes over the nodes of a chain.
  void put(node_chain<Node> given) noexcept {
    if (given.count == 0) return;
    Node* last = given.first;
    for (std::uint32_t i = 1; i < given.count; ++i)
      last = last->next.get();
    const lock_guard held{mutex_};
    last->next.set(first_.get());
    first_.set(given.first);
    count(given.count);
  }

  /// Takes at most `most` nodes.
  [[nodiscard]] node_chain<Node> take(std::uint32_t most) noexcept {
    if (size() == 0) return {};
    const lock_guard held{mutex_};
    Node* last = first_.get();
    if (last == nullptr || most == 0) return {};
    node_chain<Node> taken{.first = last, .count = 1};
    for (; taken.count < most && last->next.get() != nullptr; ++taken.count)
      last = last->next.get();
    first_.set(last->next.get());
    last->next.set(nullptr);
    count(0U - taken.count);
    return taken;
  }

  /// Takes one node, with few instructions: an interrupt does. Returns: null if there is none.
  [[nodiscard]] Node* take_one() noexcept {
    const lock_guard held{mutex_};
    Node* const taken = first_.get();
    if (taken == nullptr) return nullptr;
    first_.set(taken->next.get());
    count(0U - 1U);
    return taken;
  }

  /// Counts the nodes. A hint, except for the holder of the lock.
  [[nodiscard]] std::uint32_t size() const noexcept {
    return count_.load(relaxed);  // relaxed: only a hint
  }

private:
  void count(std::uint32_t more) noexcept {
    count_.store(size() + more, relaxed);  // relaxed: the lock orders the writers
  }

  [[no_unique_address]] port::interrupt_mutex mutex_;
  // protected by mutex_
  port::plain<Node*> first_;
  // Written by: the holder of the lock. Read by: any thread, to avoid the lock. Publishes: nothing.
  port::atomic<std::uint32_t> count_;
};

/// The full chains of a depot, one to a record. `Capacity`: of a chain.
///
/// Thread safety: every function from any thread, lock-free.
///
/// inv 1  A record is in `empty_`, in `full_`, or owned by one thread inside `put` or `take`; only
///        that thread accesses its `first`.
template <class Node, std::uint32_t Capacity>
class full_chains {
public:
  /// Adds a record, in `storage`.
  void reserve(void* storage) noexcept { empty_.push(*::new (storage) chain_record<Node>); }
  /// Adds a record that was here before. It is not made anew: other threads may read its link.
  void reserve_again(chain_record<Node>& record) noexcept { empty_.push(record); }

  /// Returns: false if there is no record left.
  [[nodiscard]] bool put(Node* first) noexcept {
    chain_record<Node>* const record = empty_.pop();
    if (record == nullptr) return false;
    record->first.set(first);
    full_.push(*record);
    return true;
  }
  /// Returns: null if there is no full chain.
  [[nodiscard]] Node* take() noexcept {
    chain_record<Node>* const record = full_.pop();
    if (record == nullptr) return nullptr;
    Node* const first = record->first.get();
    empty_.push(*record);  // keeps inv 1: only after reading `first`
    return first;
  }

  /// Counts the chains. A hint: it is off by one for each thread inside `put`.
  [[nodiscard]] std::uint32_t size() const noexcept {
    // A put pops an empty record, and a take a full one: no need to count them elsewhere.
    const std::uint32_t taken = full_.pops() + uncounted_.load(relaxed);  // relaxed: statistic only
    const auto size = static_cast<std::int32_t>((empty_.pops() - taken) << 4) / 16;  // of 28 bits
    return size < 0 ? 0 : static_cast<std::uint32_t>(size);
  }

  // `idle_runs` calls these, and owns the records for a while. One thread at a time.

  [[nodiscard]] chain_record<Node>* take_full() noexcept { return full_.pop(); }
  [[nodiscard]] chain_record<Node>* take_empty() noexcept {
    chain_record<Node>* const taken = empty_.pop();
    if (taken != nullptr) uncounted_.fetch_add(1, relaxed);  // relaxed: statistic only
    return taken;
  }
  /// Adds full chains and empties the list. Requires: each record has a full chain in its `first`.
  void put_full(record_list<Node>& given) noexcept {
    uncounted_.fetch_sub(given.size(), relaxed);  // relaxed: statistic only
    given.push_all_to(full_);
  }
  /// Adds empty records and empties the list.
  void put_empty(record_list<Node>& given) noexcept { given.push_all_to(empty_); }

private:
  tagged_stack<chain_record<Node>> full_;
  tagged_stack<chain_record<Node>> empty_;
  // Written by: idle_runs. Read by: size. Publishes: nothing. Records that it has popped from
  // `empty_`, less those that it has pushed to `full_`.
  port::atomic<std::uint32_t> uncounted_;
};

/// Without magazines there are no full chains, and no records.
template <class Node>
class full_chains<Node, 0> {
public:
  static void reserve(void* /*storage*/) noexcept {}
  static void reserve_again(chain_record<Node>& /*record*/) noexcept {}
  [[nodiscard]] static bool put(Node* /*first*/) noexcept { return false; }
  [[nodiscard]] static Node* take() noexcept { return nullptr; }
};

/// Free nodes that are in no thread's magazines. Full chains move without a lock, as many as there
/// are reserved records. Everything else (magazines of a thread that ends, chains without a record,
/// and all nodes if there are no magazines) goes through a critical section. All-zero is the empty
/// depot.
///
/// Thread safety: every function from any thread.
template <class Node, std::uint32_t Capacity = magazine_capacity>
class magazine_depot {
public:
  /// Says whether full chains need records; then the size and the alignment of a record.
  static constexpr bool uses_records = Capacity != 0;
  static constexpr std::size_t record_size = sizeof(chain_record<Node>);
  static constexpr std::size_t record_alignment = 4096;

  /// Adds a record for one full chain. With one record per `Capacity` nodes, records never run out.
  /// Does nothing where records are not used. Requires: `storage` is `record_size` bytes at a
  /// multiple of `record_alignment`, for this depot alone, and is never freed.
  void reserve(void* storage) noexcept { full_.reserve(storage); }
  /// Adds a record that `idle_runs` has taken out. Its contents do not matter.
  void reserve_again(chain_record<Node>& record) noexcept { full_.reserve_again(record); }

  /// Takes over a chain of at most `Capacity` nodes. Their contents are visible to the taker.
  void put(node_chain<Node> given) noexcept {
    const bool noted = uses_records && given.count == Capacity && full_.put(given.first);
    if (!noted) loose_.put(given);
  }

  /// Returns: a chain of at most `Capacity` nodes; empty if there are none.
  [[nodiscard]] node_chain<Node> take() noexcept {
    if (Node* const first = full_.take()) return {.first = first, .count = Capacity};
    return loose_.take(Capacity);
  }

  /// Counts the full chains that there are, or that could be made of the loose nodes. A hint.
  [[nodiscard]] std::uint32_t size() const noexcept
    requires uses_records
  {
    return full_.size() + loose_.size() / Capacity;
  }
  /// Tells whether there are any nodes. A hint.
  [[nodiscard]] bool any() const noexcept {
    if constexpr (uses_records) {
      if (full_.size() != 0) return true;
    }
    return loose_.size() != 0;
  }

  // The parts, for `idle_runs`.
  [[nodiscard]] full_chains<Node, Capacity>& chains() noexcept { return full_; }
  [[nodiscard]] loose_nodes<Node>& loose() noexcept { return loose_; }

private:
  [[no_unique_address]] full_chains<Node, Capacity> full_;
  loose_nodes<Node> loose_;
};

/// The free nodes that one thread caches, in two magazines: a thread that alternately takes and
/// puts at the boundary of one magazine does not go to the depot each time. All-zero is the empty
/// cache. Context: owner only; not thread-safe.
///
/// inv 1  `spare_` is full or empty.
template <class Node, std::uint32_t Capacity = magazine_capacity>
class magazine_cache {
public:
  using depot = magazine_depot<Node, Capacity>;

  /// Takes the node put last. Returns: null if the first magazine is empty; then call `take`.
  [[nodiscard]] Node* try_take() noexcept {
    if (current_.first == nullptr) [[unlikely]]
      return nullptr;
    return &current_.pop();
  }
  /// Returns: false if the first magazine is full; then call `put`.
  [[nodiscard]] bool try_put(Node& node) noexcept {
    if (current_.count == Capacity) [[unlikely]]
      return false;
    current_.push(node);
    return true;
  }

  /// Takes a node, from the depot if both magazines are empty. Returns: null if the depot is empty.
  [[nodiscard]] Node* take(depot& from) noexcept {
    if (current_.count == 0) current_ = spare_.count != 0 ? std::exchange(spare_, {}) : from.take();
    return try_take();
  }

  /// Keeps a node; if both magazines are full, one goes to the depot.
  void put(Node& node, depot& to) noexcept {
    if (current_.count == Capacity) {
      if (spare_.count != 0) to.put(spare_);
      spare_ = std::exchange(current_, {});
    }
    current_.push(node);
  }

  /// Keeps new nodes, at most `Capacity`. Requires: `take` has just found none.
  void adopt(node_chain<Node> fresh, depot& /*to*/) noexcept { current_ = fresh; }

  /// Puts everything into the depot: the thread ends.
  void give_all_to(depot& to) noexcept {
    to.put(std::exchange(current_, {}));
    to.put(std::exchange(spare_, {}));
  }

  [[nodiscard]] std::uint32_t size() const noexcept { return current_.count + spare_.count; }

private:
  node_chain<Node> current_;
  node_chain<Node> spare_;
};

/// The cache of a thread without magazines: all free nodes are in the depot, for the thread and for
/// interrupts alike. Thread safety: thread and interrupts.
template <class Node>
class magazine_cache<Node, 0> {
public:
  using depot = magazine_depot<Node, 0>;

  [[nodiscard]] static Node* try_take() noexcept { return nullptr; }
  [[nodiscard]] static bool try_put(Node& /*node*/) noexcept { return false; }
  [[nodiscard]] static Node* take(depot& from) noexcept { return from.loose().take_one(); }
  static void put(Node& node, depot& to) noexcept { to.loose().put({.first = &node, .count = 1}); }
  static void adopt(node_chain<Node> fresh, depot& to) noexcept { to.loose().put(fresh); }
  static void give_all_to(depot& /*to*/) noexcept {}
};

}  // namespace tactor::inline v0::internal
