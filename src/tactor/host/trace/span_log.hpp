// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace tactor::inline v0::internal {

/// Spans in chunks that never move. One thread adds spans, in order; any thread visits them. It
/// owns no memory.
template <class Span, std::size_t InChunk>
class span_log {
public:
  struct chunk {
    std::array<Span, InChunk> spans;
  };

  /// `places`: for the chunks.
  explicit span_log(std::span<port::plain<chunk*>> places) noexcept : places_(places) {}

  /// Returns the number of spans. Context: the thread that adds.
  [[nodiscard]] std::size_t size() const noexcept {
    return size_.load(relaxed);  // relaxed: of this thread
  }
  /// Returns true if the next span begins a chunk. Context: as above.
  [[nodiscard]] bool needs_chunk() const noexcept { return size() == chunks_ * InChunk; }
  /// Returns true if such a chunk may be added. Context: as above.
  [[nodiscard]] bool takes_chunk() const noexcept { return chunks_ < places_.size(); }
  /// Makes room for more spans. Context: as above. Requires: `takes_chunk`; `fresh` outlives the
  /// log.
  void add_chunk(chunk& fresh) noexcept { places_[chunks_++].set(&fresh); }
  /// Returns the next span, which no other thread sees before `publish`. Context: as above.
  /// Requires: there is room.
  [[nodiscard]] Span& next() noexcept { return at(size()); }
  /// Adds the next span. Context: as above.
  void publish() noexcept {
    size_.store(size() + 1, release);  // pairs: trace.size
  }

  /// Calls `visit(const Span&)` for each. Context: any thread.
  template <class Visit>
  void visit(Visit visit) const {
    const std::size_t size = size_.load(acquire);  // pairs: trace.size
    for (std::size_t i = 0; i < size; ++i)
      visit(at(i));
  }

private:
  [[nodiscard]] Span& at(std::size_t index) const noexcept {
    return places_[index / InChunk].get()->spans[index % InChunk];
  }

  std::span<port::plain<chunk*>> places_;
  std::size_t chunks_ = 0;
  // Written by: the thread that adds. Read by: any. Publishes: the chunks, and the spans.
  port::atomic<std::size_t> size_;
};

}  // namespace tactor::inline v0::internal
