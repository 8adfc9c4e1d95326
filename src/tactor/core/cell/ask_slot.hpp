// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/ask_word.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/slot_registry.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <new>

namespace tactor::inline v0::internal {

class awaited;
struct ask_slot;
struct continuation_operations;

/// The record in the slot of a thread's ask. The thread takes the answer out of the slot.
struct ask_of_thread {
  /// The clock that `until_ns` refers to.
  enum class clock : std::uint8_t { of_system, of_threads };
  static constexpr std::uint64_t never_ns = ~std::uint64_t{0};

  envelope* answer = nullptr;            // null: it came too late, or there is none
  std::uint64_t until_ns = never_ns;     // an answer after that is late
  std::uint64_t answered_ns = never_ns;  // when the answer came; `never_ns`: not known
  clock by = clock::of_system;
};

/// The record in the slot of an ask with a continuation. Context: the worker that runs the asker.
struct ask_with_continuation {
  std::uint64_t began_ns = 0;
  std::uint64_t deadline_ns = 0;
  const continuation_operations* then = nullptr;
  cell* target = nullptr;  // the actor that is asked,
  std::uint32_t target_generation = 0;
  std::uint32_t number = 0;  // counts the asks of the asker
  ask_slot* left = nullptr;  // in the tree of `pending_asks`
  ask_slot* right = nullptr;
  /// The continuation, or a pointer to it if it is larger.
  alignas(void*) std::byte storage[8];
};

/// The record in the slot of an ask that a coroutine awaits. Context: the worker that runs the
/// asker.
struct ask_of_coroutine {
  awaited* what = nullptr;  // in its frame
  cell* target = nullptr;   // the actor that is asked; null: no actor answers
  std::uint32_t target_generation = 0;
};

/// One open ask. Type-stable: a slot is never destroyed, only reused, so a late answer always leads
/// to a slot, and its word says whether the ask is still the one that is answered. All-zero is a
/// slot that was never used.
struct ask_slot {
  port::plain<ask_slot*> next;  // among the unused slots
  // Written by: the asker, whoever answers. Read by: both, and late answers. Publishes: the record,
  // the answer, and that the slot is not used any more.
  port::atomic<std::uint32_t> word;
  std::uint32_t number = 0;  // constant
  // Written by: the asker. Read by: late answers, which are reported there. Publishes: nothing.
  port::atomic<system_gate*> gate;

  // Written by: an actor before it opens an ask, or takes one over. Read by: who answers, who wants
  // to know the sender. Publishes: that the earlier ask of the slot has ended. The actor that gets
  // the answer.
  port::atomic<cell*> asker;

  /// The state now; a hint, but for the asker while nobody has claimed the ask.
  [[nodiscard]] ask_word peek() const noexcept {
    return {word.load(relaxed)};  // relaxed: a hint
  }
  /// Tells whether the slot can have no more asks.
  [[nodiscard]] bool used_up() const noexcept { return peek().used_up(); }
  /// Makes the record of the next ask, of one of the types above. Requires: the caller has the
  /// slot, and nobody reads the record before.
  template <class Record>
  [[nodiscard]] Record& begin() noexcept {
    static_assert(sizeof(Record) <= record_size && alignof(Record) <= alignof(std::uint64_t));
    return *::new (static_cast<void*>(record_)) Record;
  }
  template <class Record>
  [[nodiscard]] Record& as() noexcept {
    return *std::launder(reinterpret_cast<Record*>(record_));
  }
  /// Opens the ask. The message that asks publishes the record, too. Returns: the sender of that
  /// message.
  origin open(ask_word::phase whom) noexcept {
    const ask_word opened = peek().opened_to(whom);
    // no mutant: no scenario of the model ends a system, for which this publishes the gate
    word.store(opened.bits, release);  // pairs: ask.word
    return origin::of_reply_slot(number, opened.generation());
  }
  /// Opens an ask of the actor in `by`, with a continuation or for a coroutine.
  origin open_for(cell& by, ask_word::phase whom) noexcept {
    gate.store(by.gate.load(relaxed), relaxed);  // relaxed: the message publishes it
    asker.store(&by, release);                   // pairs: ask.asker
    return open(whom);
  }
  /// The sender of the message that asks. Requires: the caller has opened the ask, and not ended
  /// it.
  [[nodiscard]] origin as_origin() const noexcept {
    return origin::of_reply_slot(number, peek().generation());
  }

  /// The actor that gets the answer. Context: the asker, or who has claimed the ask.
  [[nodiscard]] cell& answered_actor() const noexcept {
    return *asker.load(relaxed);  // relaxed: the message, or the claim, has published it
  }
  /// The actor that asks `generation`. Returns: nothing if a thread asks, or if the ask has ended.
  /// Context: any thread.
  [[nodiscard]] mailbox_index asker_of(std::uint32_t generation) const noexcept {
    const cell* const by = asker.load(acquire);  // pairs: ask.asker
    if (by == nullptr) return {};
    // What is read here belongs to the ask if the word, which is read later, still does: the next
    // ask of the slot and the next tenant of the cell begin when the ask has ended.
    const lifecycle_word tenancy{by->lifecycle.load(acquire)};  // pairs: cell.lifecycle
    const mailbox_index found{.slot = by->slot, .generation = tenancy.generation()};
    return peek().is_of_actor(generation) ? found : mailbox_index{};
  }

  /// The sender of the message that asks, if a thread has opened an ask through that system.
  /// Context: any thread.
  [[nodiscard]] origin thread_ask_of(const system_gate& system) const noexcept {
    // no mutant: as in `open`
    const ask_word now{word.load(acquire)};  // pairs: ask.word
    // relaxed: published with the word
    const bool found =
        now.now() == ask_word::phase::open_to_thread && gate.load(relaxed) == &system;
    return found ? origin::of_reply_slot(number, now.generation()) : origin{};
  }

  /// An answer claims the ask `generation`. Returns: whom it was open to; `ended`: the answer is
  /// late. Context: any thread.
  [[nodiscard]] ask_word::phase claim(std::uint32_t generation) noexcept {
    for (ask_word before = peek(); before.is_open_for(generation);) {
      if (word.compare_exchange(before.bits, before.claimed().bits, acquire))  // pairs: ask.word
        return before.now();
    }
    return ask_word::phase::ended;
  }
  /// Who has claimed the ask is done with the slot. Returns: the word before.
  ask_word settle() noexcept {
    ask_word before = peek();
    while (!word.compare_exchange(before.bits, before.settled().bits,
                                  acq_rel)) {  // pairs: ask.word
    }
    return before;
  }
  /// The asker is done with the slot. Returns: whether it has to give it back; otherwise the answer
  /// that is on its way does.
  [[nodiscard]] bool leave() noexcept {
    ask_word before = peek();
    while (!word.compare_exchange(before.bits, before.without_asker().bits,
                                  acq_rel)) {  // pairs: ask.word
    }
    return before.without_asker().is_ended();
  }
  /// The asker has taken an answer to this slot out of its mailbox. Returns: false if it had left
  /// before: then the answer is late. Requires: the answer has claimed the ask.
  [[nodiscard]] bool take() noexcept {
    const ask_word claimed = peek();  // it has come with the answer
    if (!claimed.is_claimed()) return false;
    word.store(claimed.taken().bits, relaxed);  // relaxed: only the asker uses the slot now
    return true;
  }

private:
  union any_record {
    ask_of_thread of_thread;
    ask_with_continuation with_continuation;
    ask_of_coroutine of_coroutine;
  };
  static constexpr std::size_t record_size = sizeof(any_record);

  alignas(std::uint64_t) std::byte record_[record_size] = {};
};
static_assert(!port::has_real_layout || sizeof(ask_slot) <= 96);

/// All ask slots of the program.
using ask_registry = slot_registry<ask_slot, ask_slot, &ask_slot::number>;

}  // namespace tactor::inline v0::internal
