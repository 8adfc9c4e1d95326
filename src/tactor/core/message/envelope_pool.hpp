// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/idle_runs.hpp"
#include "tactor/base/magazine.hpp"
#include "tactor/base/memory_source.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/port/memory_poison.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <bit>
#include <cstddef>

namespace tactor::inline v0 {
class block_source;
}  // namespace tactor::inline v0

namespace tactor::inline v0::internal {

/// The number of block sizes: the smallest one, and four more, each twice as large as the one
/// before.
inline constexpr unsigned envelope_size_classes = 5;
/// The class of an envelope that is too large or too strictly aligned for the pool's blocks.
inline constexpr unsigned large_size_class = 0xFF;

/// The free envelopes cached by one thread. All-zero is the valid start; before the thread ends
/// they go to `envelope_pool::give_back_all`. Context: one thread.
struct envelope_caches {
  [[no_unique_address]] std::array<magazine_cache<envelope>, envelope_size_classes> of_class;
};

/// Memory for envelopes with their payload: blocks of a few sizes, passed between threads in
/// magazines, and never returned to the page source. There are at most as many blocks of a size as
/// were alive at once, plus two magazines for each thread. Where blocks are made in runs, `trim`
/// gives the memory of runs that are wholly free back to the operating system.
///
/// Thread safety: every function from any thread, with caches of its own.
class envelope_pool {
public:
  /// `blocks` is the source of large envelopes; null: there are none.
  /// Requires: both outlive the pool.
  constexpr envelope_pool(page_source& pages, block_source* blocks) noexcept
      : pages_(&pages), blocks_(blocks) {}

  /// The size of a class's blocks, the envelope included.
  [[nodiscard]] static constexpr std::size_t block_size(unsigned size_class) noexcept {
    return smallest_block << size_class;
  }
  /// The class whose blocks hold such a payload, or `large_size_class`.
  [[nodiscard]] static constexpr unsigned size_class_for(std::size_t size,
                                                         std::size_t alignment) noexcept {
    if (alignment > smallest_block) return large_size_class;
    const std::size_t total = payload_offset(alignment) + size;
    if (total <= smallest_block) return 0;
    const auto size_class = static_cast<unsigned>(std::bit_width((total - 1) / smallest_block));
    return size_class < envelope_size_classes ? size_class : large_size_class;
  }
  /// The class for a message type.
  template <class Message>
  [[nodiscard]] static constexpr unsigned size_class_for() noexcept {
    return size_class_for(sizeof(Message), alignof(Message));
  }

  /// Returns: the distance of the room behind a large payload, for a `message_trailer`.
  [[nodiscard]] static constexpr std::size_t large_trailer_offset(std::size_t size,
                                                                  std::size_t alignment) noexcept {
    constexpr std::size_t word = sizeof(std::uint64_t);
    return (payload_offset(alignment) + size + word - 1) / word * word;
  }
  /// The size of that room.
  static constexpr std::size_t large_trailer_size = 40;

  /// The memory that a pool takes for `count` blocks of a class.
  [[nodiscard]] static constexpr std::size_t memory_for(unsigned size_class,
                                                        std::size_t count) noexcept {
    return (count + blocks_in_run - 1) / blocks_in_run * run_size(size_class);
  }

  /// An envelope with space for a payload. Its `size_class` and `position` are set and stay; the
  /// other members hold what their last user left, so the caller sets them. Without memory for
  /// another block, a larger free block is used.
  /// Returns: null if there is no memory. Requires: `size_class` is not `large_size_class`.
  [[nodiscard]] envelope* allocate(envelope_caches& caches, unsigned size_class) noexcept {
    envelope* taken = try_allocate(caches, size_class);
    if (taken == nullptr) [[unlikely]] {
      taken = refill(caches, size_class);
      if (taken != nullptr) port::unpoison(taken, block_size(size_class));
    }
    return taken;
  }
  /// `allocate` from the thread's cache. Returns: null if that is empty.
  [[nodiscard]] static envelope* try_allocate(envelope_caches& caches,
                                              unsigned size_class) noexcept {
    envelope* const taken = caches.of_class[size_class].try_take();
    if (taken != nullptr) port::unpoison(taken, block_size(size_class));
    return taken;
  }

  /// An envelope with space for any payload. Its `size_class` is set and stays; all else is zero.
  /// Returns: null if there is no memory for it.
  [[nodiscard]] envelope* allocate_large(std::size_t size, std::size_t alignment) noexcept;

  /// Takes an envelope back. Requires: it came from this pool, and its payload is destroyed; a
  /// large one has the `operations` of a payload of the size and alignment it was made for.
  void release(envelope_caches& caches, envelope& e) noexcept {
    const std::size_t size_class = e.size_class;
    if (size_class < envelope_size_classes && caches.of_class[size_class].try_put(e)) [[likely]]
      return poison_free(e);
    release_slowly(caches, e);
  }

  /// Takes back everything a thread has cached: the thread ends, or is idle for long.
  void give_back_all(envelope_caches& caches) noexcept;

  /// Discards the contents of blocks that are not in use: of runs that are wholly free, all but
  /// `most_idle_bytes` of each class. Returns when nothing is left to do, or soon after it is
  /// interrupted; the next call continues. Costs little if there is nothing to do. Does nothing
  /// where blocks are made singly.
  void trim(page_discarder& by) noexcept;

  /// `trim` leaves this much of each class, and begins once there is twice as much. (What it cannot
  /// give back, because something in the same run is in use, comes on top.)
  static constexpr std::size_t most_idle_bytes = std::size_t{1} << 20;

  /// Tells whether a thread without cached blocks of a class finds free ones; if not, it makes new
  /// ones. A hint.
  [[nodiscard]] bool any_free(unsigned size_class) const noexcept {
    return shelves_[size_class].free.any();
  }
  /// Counts the blocks of a class that have been made so far. It only grows.
  [[nodiscard]] std::size_t blocks_made(unsigned size_class) const noexcept {
    return shelves_[size_class].made.load(relaxed);  // relaxed: statistic only
  }

private:
  using cache = magazine_cache<envelope>;
  using depot = magazine_depot<envelope>;

  /// The part of a class that all threads share.
  struct alignas(port::cache_line) shelf {
    depot free;
    [[no_unique_address]] idle_runs<envelope, magazine_capacity> idle;
    // Written by: a thread that makes blocks. Read by: any. Publishes: nothing; statistic.
    port::atomic<std::size_t> made;
  };

  // A header is larger where the port's types are instrumented.
  static constexpr std::size_t smallest_block =
      port::has_real_layout ? 8 * sizeof(envelope*)
                            : std::bit_ceil(sizeof(envelope) + depot::record_size);
  static_assert(sizeof(envelope) <= smallest_block && depot::record_size <= smallest_block);
  static_assert(smallest_block >= envelope_alignment);

  // A run is a magazine of blocks. Where the depot needs a record for a full chain, the record
  // stands in front of them, so that there always is one (magazine_depot::reserve).
  static constexpr std::uint32_t blocks_in_run = depot::uses_records ? magazine_capacity : 1;
  static constexpr std::size_t in_front = depot::uses_records ? 1 : 0;
  [[nodiscard]] static constexpr std::size_t run_size(unsigned size_class) noexcept {
    return (in_front + blocks_in_run) * block_size(size_class);
  }
  /// The runs of a class, for `idle_runs`.
  struct runs_of_class;

  // Only the pool uses a free block: all but its link is out of bounds.
  static void poison_free(envelope& e) noexcept {
    port::poison(static_cast<void*>(&e.operations), block_size(e.size_class) - sizeof(e.next));
  }

  envelope* refill(envelope_caches& caches, unsigned size_class) noexcept;
  envelope* take_larger(envelope_caches& caches, unsigned size_class) noexcept;
  void release_slowly(envelope_caches& caches, envelope& e) noexcept;
  void release_large(envelope& e) noexcept;
  [[nodiscard]] node_chain<envelope> make_blocks(unsigned size_class) noexcept;
  [[nodiscard]] node_chain<envelope> take_idle(unsigned size_class) noexcept;
  [[nodiscard]] static node_chain<envelope> cut(std::byte* run, unsigned size_class) noexcept;

  // constant after construction
  page_source* pages_;
  block_source* blocks_;

  std::array<shelf, envelope_size_classes> shelves_;
};

}  // namespace tactor::inline v0::internal
