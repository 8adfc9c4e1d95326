// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace tactor::inline v0::internal {

/// Spans in chunks that never move. One thread adds spans, in order; the thread that handles the message of
/// a span finishes it; any thread visits those that are finished. It owns no memory.
///
/// A span is written by the thread that adds it until its message is sent, and from then on by the thread that
/// handles the message: the mailbox orders the two.
template <class Facts, std::size_t InChunk>
class span_log {
public:
  struct span {
    Facts facts;
    // Written by: the thread that handles its message. Read by: any. Publishes: `facts`, complete.
    port::atomic<bool> is_done;
  };
  struct chunk {
    std::array<span, InChunk> spans;
  };

  /// `places`: for the chunks.
  explicit span_log(std::span<port::cell<chunk*>> places) noexcept : places_(places) {}

  /// How many there are. Context: the thread that adds.
  [[nodiscard]] std::size_t size() const noexcept {
    return size_.load(relaxed);  // relaxed: of this thread
  }
  /// Whether the next one begins a chunk. Context: as above.
  [[nodiscard]] bool needs_chunk() const noexcept { return size() == end_; }
  /// Whether such a chunk may be added. Context: as above.
  [[nodiscard]] bool takes_chunk() const noexcept {
    return size() % InChunk == 0 && size() / InChunk < places_.size();
  }
  /// Room for `spans` more. Context: as above. Requires: `needs_chunk` and `takes_chunk`; `fresh` outlives the log;
  /// `spans` is at most a chunk.
  void add_chunk(chunk& fresh, std::size_t spans) noexcept {
    places_[size() / InChunk].set(&fresh);
    end_ += spans;
  }
  /// The next span, which no other thread sees before `publish`. Context: as above. Requires: there is room.
  [[nodiscard]] span& next() noexcept { return at(size()); }
  /// Adds it. Context: as above. Requires: its message was not sent yet.
  void publish() noexcept {
    size_.store(size() + 1, release);  // pairs: trace.size
  }

  /// A span that was added. Context: the thread that handles its message.
  [[nodiscard]] span& at(std::size_t index) noexcept {
    return places_[index / InChunk].get()->spans[index % InChunk];
  }
  /// The span is complete. Context: as above.
  static void finish(span& handled) noexcept {
    handled.is_done.store(true, release);  // pairs: trace.done
  }

  /// Calls `visit(const Facts&)` for each that is finished. Context: any thread. Returns: how many are not.
  template <class Visit>
  std::size_t visit_finished(Visit visit) const {
    std::size_t unfinished = 0;
    const std::size_t size = size_.load(acquire);  // pairs: trace.size
    for (std::size_t i = 0; i < size; ++i) {
      const span& each = places_[i / InChunk].get()->spans[i % InChunk];
      if (each.is_done.load(acquire)) {  // pairs: trace.done
        visit(each.facts);
      } else {
        ++unfinished;
      }
    }
    return unfinished;
  }

private:
  std::span<port::cell<chunk*>> places_;
  std::size_t end_ = 0;  // so many spans may be added
  // Written by: the thread that adds. Read by: any. Publishes: chunks, and spans as they were sent.
  port::atomic<std::size_t> size_;
};

}  // namespace tactor::inline v0::internal
