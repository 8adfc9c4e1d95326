// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/actor_ref_base.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/dispatch/suspend_reason.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"

#include <cstdint>
#include <expected>
#include <span>
#include <string_view>

namespace tactor::inline v0 {

/// A message that is about to be handled, or has ended just now. Valid during the call it is given
/// to.
class invocation {
public:
  /// For the runtime.
  invocation(const actor_ref<>& actor, const actor_ref<>& sender,
             const internal::message_operations& type, const void* message) noexcept
      : actor_(actor), sender_(sender), type_(type), message_(message) {}

  /// The actor that handles it.
  [[nodiscard]] const actor_ref<>& actor() const noexcept { return actor_; }
  /// The actor that sent it; empty if it came from outside. The sender of an ask is the actor that
  /// asks, until it has its answer; so it may be known before the handler and not afterwards.
  [[nodiscard]] const actor_ref<>& sender() const noexcept { return sender_; }
  /// The type of the message, as the compiler spells it, or its `type_name`.
  [[nodiscard]] std::string_view message_type() const noexcept { return type_.type.name; }
  /// The message; null if it is of another type, if it comes from a timer and was not handled, or
  /// if a coroutine has handled it.
  template <class Message>
  [[nodiscard]] const Message* message() const noexcept {
    const bool fits = internal::same_type(type_, internal::operations_of<Message>);
    return fits ? static_cast<const Message*>(message_) : nullptr;
  }

private:
  actor_ref<> actor_;
  actor_ref<> sender_;
  const internal::message_operations& type_;
  const void* message_;
};

/// The decision of a middleware about a message.
struct invoke_decision {
  /// The fate of the message.
  enum class kind : std::uint8_t {
    proceed,  // the next middleware is asked, then the handler is called
    drop,     // it becomes a dead letter
    hold,     // it stays the first of its mailbox, and its actor is suspended
  };
  kind what = kind::proceed;
  suspend_reason reason = suspend_reason::user_defined;  // of `hold`
  resume_condition until = {};                           // of `hold`
};

/// The outcome of a message for a middleware that has let it proceed.
enum class invoke_outcome : std::uint8_t {
  done,       // its handler has returned; if that is a coroutine, it has ended
  failed,     // its handler has failed
  unhandled,  // the actor has no handler for it
  dropped,    // by a later middleware: it becomes a dead letter
  held,       // by a later middleware: `before_invoke` is called again for it
  stashed,    // by its handler: `before_invoke` is called again when it leaves the stash
  destroyed,  // with its coroutine, because the actor stops or restarts; or it comes from a timer
              // that was cancelled meanwhile, or whose message could not be made
};

/// A bracket around each message of an actor, also a timer's; not around notifications of the
/// runtime and not around answers to asks. Of several, `before_invoke` is called in order, and
/// `after_invoke` in reverse order. Those of the system come before those of the actor.
///
///     tactor::middleware* const all[] = {&audit};
///     const tactor::middleware_chain chain{all};
///     system.spawn<account>({.name = "account", .middleware = &chain});
///
/// Context: the worker that runs the actor; several at a time if it belongs to several actors. It
/// outlives them. Only actors with middleware pay for it.
class middleware {
public:
  /// The message is next. Returns: `proceed`, and `after_invoke` follows exactly once; or another
  /// decision, and it does not. If the message is held, this is called again when the actor has
  /// resumed.
  virtual invoke_decision before_invoke(const invocation& /*next*/) noexcept { return {}; }
  /// The message that was let proceed has ended as `how` says: what `before_invoke` has taken for
  /// it can be released.
  virtual void after_invoke(const invocation& /*ended*/, invoke_outcome /*how*/) noexcept {}

protected:
  ~middleware() = default;
};

/// Middlewares in their order. It outlives the actors that use it, as its list does.
struct middleware_chain {
  std::span<middleware* const> list;
};

/// Sees what is spawned, before it is. Context: the thread that spawns; several at a time.
class spawn_middleware {
public:
  /// May change `options`. `actor_type` is the class of the actor, `parent` is empty for an actor
  /// of the system. Returns: why the actor is not spawned, such as `spawn_error::refused`.
  virtual std::expected<void, spawn_error> before_spawn(spawn_options& options,
                                                        std::string_view actor_type,
                                                        const actor_ref<>& parent) noexcept = 0;

protected:
  ~spawn_middleware() = default;
};

}  // namespace tactor::inline v0
