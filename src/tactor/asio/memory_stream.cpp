// SPDX-License-Identifier: BSL-1.0
#include "tactor/asio/memory_stream.hpp"

#include "tactor/asio/callbacks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace tactor::inline v0::io {
namespace {

std::error_code reset() {
  return std::make_error_code(std::errc::connection_reset);
}

/// The callbacks of both ends.
using both_notices = std::array<notices, 2>;

/// Both ends of a connection.
struct shared_pair {
  struct end {
    std::string queued;    // written here, not yet sent
    std::string received;  // for this end to take
    byte_stream::callback on_readable;
    waiting on_flushed;
    byte_stream::callback on_finished;
    std::size_t ignored = 0;  // bytes that have come since this end stopped reading
    bool reads = true;
    bool open = true;
    bool finished = false;      // discards what comes
    bool is_reset = false;      // the peer has closed before it had taken everything
    bool write_failed = false;  // and bytes were still queued

    /// No more bytes come from this end.
    [[nodiscard]] bool is_over() const noexcept { return !open || (finished && queued.empty()); }
    [[nodiscard]] io_result write_outcome() const {
      if (write_failed) return std::unexpected{reset()};
      return {};
    }
    /// Returns: the outcome of `readable` if there are no bytes; nothing: it waits.
    [[nodiscard]] std::optional<io_result> end_of_reading(const end& peer) const {
      if (!reads) return std::unexpected{end_of_stream()};
      if (is_reset) return std::unexpected{reset()};
      if (peer.is_over()) return std::unexpected{end_of_stream()};
      return std::nullopt;
    }
  };

  explicit shared_pair(const memory_limits& of) : limits(of) {}

  /// Moves the bytes that fit, and notifies both ends.
  void settle(both_notices& to) {
    move_bytes(to);
    report_ends(to);
  }

  void move_bytes(both_notices& to) {
    for (std::size_t i = 0; i < 2; ++i) {
      end& from = ends[i];
      end& peer = ends[1 - i];
      if (peer.finished) from.queued.clear();
      const std::size_t taken = std::min(limits.window, peer.received.size() + peer.ignored);
      const std::size_t moved = std::min(limits.window - taken, from.queued.size());
      if (peer.reads) {
        peer.received.append(from.queued, 0, moved);
      } else {
        peer.ignored += moved;
      }
      from.queued.erase(0, moved);
      if (from.queued.empty()) to[i].add_all(from.on_flushed, from.write_outcome());
    }
  }
  /// Notifies ends that can read, and those that have finished.
  void report_ends(both_notices& to) {
    for (std::size_t i = 0; i < 2; ++i) {
      end& one = ends[i];
      const end& peer = ends[1 - i];
      if (one.is_reset) {
        to[i].add(one.on_finished, std::unexpected{reset()});
      } else if (one.is_over() && peer.is_over()) {
        to[i].add(one.on_finished, {});
      }
      if (!one.received.empty()) {
        to[i].add(one.on_readable, {});
      } else if (const auto outcome = one.end_of_reading(peer)) {
        to[i].add(one.on_readable, *outcome);
      }
    }
  }
  /// Closes the end `which`. As with a socket, this resets the connection if bytes of the peer were
  /// not read.
  void close(std::size_t which) {
    end& own = ends[which];
    end& peer = ends[1 - which];
    const bool left = !own.received.empty() || own.ignored > 0 || !peer.queued.empty();
    if (own.open && !own.finished && left) {
      peer.is_reset = true;
      peer.write_failed = !peer.queued.empty();
      peer.queued.clear();
    }
    own.open = false;
    own.queued.clear();
  }

  memory_limits limits;
  std::mutex mutex;
  std::array<end, 2> ends;  // protected by mutex
};

class memory_stream final : public byte_stream {
public:
  memory_stream(std::shared_ptr<shared_pair> pair, std::size_t which)
      : pair_(std::move(pair)), which_(which) {}
  memory_stream(const memory_stream&) = delete;
  memory_stream& operator=(const memory_stream&) = delete;
  ~memory_stream() override { close(); }

  void readable(callback done) override {
    change([&](shared_pair::end& own, notices& to) {
      own.on_readable = std::move(done);
      if (!own.open) to.add(own.on_readable, std::unexpected{cancelled()});
    });
  }
  void cancel_readable() noexcept override {
    change([&](shared_pair::end& own, notices& to) {
      to.add(own.on_readable, std::unexpected{cancelled()});
    });
  }
  std::string take() override {
    std::string bytes;
    change([&](shared_pair::end& own, notices&) { bytes = std::exchange(own.received, {}); });
    return bytes;
  }
  void stop_reading() noexcept override {
    change([](shared_pair::end& own, notices&) { own.reads = false; });
  }
  std::expected<void, write_error> write(std::string_view bytes) override {
    std::expected<void, write_error> outcome;
    change([&](shared_pair::end& own, notices&) {
      if (!own.open || own.finished || !pair_->ends[1 - which_].open) {
        outcome = std::unexpected{write_error::closed};
      } else if (!own.queued.empty() && own.queued.size() + bytes.size() > pair_->limits.queue) {
        outcome = std::unexpected{write_error::backpressure};
      } else {
        own.queued += bytes;
      }
    });
    return outcome;
  }
  std::uint64_t flush(callback done) override {
    std::uint64_t number = 0;
    change([&](shared_pair::end& own, notices& to) {
      number = own.on_flushed.add(std::move(done));
      if (!own.open) to.add_all(own.on_flushed, std::unexpected{cancelled()});
    });
    return number;
  }
  void cancel_flush(std::uint64_t number) noexcept override {
    callback cancelled;
    change([&](shared_pair::end& own, notices&) { cancelled = own.on_flushed.remove(number); });
  }
  void finish(callback done) override {
    callback replaced;  // destroyed after the lock is released
    change([&](shared_pair::end& own, notices& to) {
      own.finished = true;
      own.reads = false;
      replaced = std::exchange(own.on_finished, std::move(done));
      if (!own.open) to.add(own.on_finished, std::unexpected{cancelled()});
    });
  }
  void close() noexcept override {
    change([this](shared_pair::end& own, notices& to) {
      pair_->close(which_);
      to.add(own.on_readable, std::unexpected{cancelled()});
      to.add_all(own.on_flushed, std::unexpected{cancelled()});
      to.add(own.on_finished, std::unexpected{cancelled()});
    });
  }

private:
  template <class Change>
  void change(Change make) {
    both_notices to;
    const std::scoped_lock lock{pair_->mutex};
    make(pair_->ends[which_], to[which_]);
    pair_->settle(to);
  }

  std::shared_ptr<shared_pair> pair_;
  std::size_t which_;
};

}  // namespace

std::pair<std::shared_ptr<byte_stream>, std::shared_ptr<byte_stream>>
memory_pair(const memory_limits& limits) {
  auto shared = std::make_shared<shared_pair>(limits);
  return {std::make_shared<memory_stream>(shared, 0), std::make_shared<memory_stream>(shared, 1)};
}

}  // namespace tactor::inline v0::io
