// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/actor.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <memory>

namespace tactor::inline v0::patterns::internal {

/// Counts the messages that a router has sent to one worker, until each has ended. Made with `new`.
/// Messages can outlive their router, so the last of them and the router destroys it.
class worker_messages final : public tactor::internal::message_follower {
public:
  worker_messages() noexcept = default;
  worker_messages(const worker_messages&) = delete;
  worker_messages& operator=(const worker_messages&) = delete;

  /// Counts a message that the router sends.
  void began() noexcept override { begun_.set(begun_.get() + 1); }
  void ended(tactor::internal::message_end how) noexcept override {
    if (how == tactor::internal::message_end::handled) handled_.add(1);
    add(one);
  }
  /// Ends the share of the router, which sends no more messages.
  void close() noexcept { add(closed - begun_.get() * one); }

  /// Returns: the number of handled messages. Context: any thread, before `close`.
  [[nodiscard]] std::uint64_t handled() const noexcept { return handled_.value(); }
  /// Returns: the number of messages that have not ended. A later `handled` includes all others.
  /// Context: the router.
  [[nodiscard]] std::uint64_t waiting() const noexcept {
    // no mutant: only a processor that reorders loads would miss a message that was handled
    const std::uintptr_t ended = ended_.load(acquire);  // pairs: router.messages
    return (begun_.get() * one - ended) / one;
  }

private:
  static constexpr std::uintptr_t closed = 1;
  static constexpr std::uintptr_t one = 2;

  ~worker_messages() = default;

  void add(std::uintptr_t what) noexcept {
    const std::uintptr_t now = ended_.fetch_add(what, acq_rel) + what;  // pairs: router.messages
    if (now == closed) delete this;  // otherwise another thread may have, by now
  }

  // Used by the router alone. Numbers wrap: only their difference counts.
  port::plain<std::uintptr_t> begun_{0};
  // Written by the worker.
  port::counter handled_;
  // Written by: the thread on which a message ends, and the router when it closes. Read by: the
  // router. Publishes: that nothing else of this object is used there any more. `one` for each
  // message that has ended; once the router has closed, less `one` for each that began: `closed` is
  // left when all have ended.
  port::atomic<std::uintptr_t> ended_{0};
};

/// Closes the `worker_messages` of a router.
struct close_messages {
  void operator()(worker_messages* of) const noexcept { of->close(); }
};
using owned_messages = std::unique_ptr<worker_messages, close_messages>;

}  // namespace tactor::inline v0::patterns::internal
