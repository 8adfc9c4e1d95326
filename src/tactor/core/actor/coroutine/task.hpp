// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/exceptions.hpp"
#include "tactor/core/actor/context.hpp"
#include "tactor/core/actor/coroutine/running_task.hpp"
#include "tactor/core/actor/definition/guard.hpp"
#include "tactor/core/actor/definition/handler.hpp"
#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/supervision/failure.hpp"

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

namespace tactor::inline v0 {

template <class Result>
class task;
template <class Result>
class reentrant_task;

namespace internal {

/// Base of the operations that a context offers to await, besides tasks.
struct operation {};

inline constexpr const char* no_frame_memory = "no memory for the frame of a coroutine";

/// Returns: true if `by` can await `helper`, which is null if there was no memory for it; otherwise
/// the handler fails.
[[nodiscard]] inline bool can_begin(const running_task* helper, running_task& by) noexcept {
  if (helper != nullptr && &helper->owner == &by.owner) [[likely]]
    return true;
  fail_task(by, failure{helper == nullptr ? no_frame_memory
                                          : "a helper has the context of another actor: give it "
                                            "that of the handler which awaits it"});
  return false;
}

template <class T>
inline constexpr bool is_task_type = false;
template <class Result>
inline constexpr bool is_task_type<task<Result>> = true;
template <class Result>
inline constexpr bool is_task_type<reentrant_task<Result>> = true;

/// Returns: the context among the parameters of a coroutine.
template <class... Rest>
context& context_among(context& ctx, Rest&...) noexcept {
  return ctx;
}
template <class First, class... Rest>
  requires(!std::derived_from<First, context>)
context& context_among(First&, Rest&... rest) noexcept {
  return context_among(rest...);
}

/// Gives one error for a coroutine without a context.
template <bool HasContext>
struct task_check {
  static_assert(HasContext,
                "a task needs a `context&` parameter: its frame comes from that actor's pool");
};
/// Gives one error for something that cannot be awaited.
template <class Awaited, bool CanBeAwaited>
struct await_check {
  static_assert(
      CanBeAwaited,
      "a handler may co_await only what its context offers (ask, sleep, until, yield, fail, "
      "run_blocking, completes) or "
      "another task, which is moved into co_await: anything else would resume the "
      "actor on a foreign thread");
};

/// Suspends a coroutine that has ended.
struct final_awaiter {
  static constexpr bool await_ready() noexcept { return false; }
  template <class Promise>
  static void await_suspend(std::coroutine_handle<Promise> ended) noexcept {
    end_helper(ended.promise());
  }
  static constexpr void await_resume() noexcept {}
};

inline namespace TACTOR_EXCEPTION_MODE {

/// Turns the exception that is being handled into a failure.
inline void keep_exception([[maybe_unused]] failure& why) noexcept {
#if defined(__cpp_exceptions)
  (void)guarded(why, []() -> call_result { throw; });
#endif
}

}  // namespace TACTOR_EXCEPTION_MODE

/// The parts of a promise that depend on the coroutine's parameters, but not on its result.
class promise_parts : public running_task {
public:
  template <class... Parameters>
  explicit promise_parts(Parameters&... parameters) noexcept
      : running_task(cell_among(parameters...)) {}

  // Without the coroutine's parameters: g++ warns that `operator delete` does not match otherwise.
  static void* operator new(std::size_t size) noexcept { return new_frame(size); }
  static void operator delete(void* frame, std::size_t size) noexcept { free_frame(frame, size); }

  static std::suspend_always initial_suspend() noexcept { return {}; }
  static final_awaiter final_suspend() noexcept { return {}; }
  // Inlined into the coroutine, because it depends on how the user's unit is compiled.
  [[gnu::always_inline]] void unhandled_exception() noexcept {
    keep_exception(this_thread().failures.why);
    root->failed = true;
  }

  template <class Awaited>
  decltype(auto) await_transform(Awaited&& what) noexcept {
    using plain = std::remove_cvref_t<Awaited>;
    constexpr bool fits = !std::is_lvalue_reference_v<Awaited> &&
                          (std::derived_from<plain, operation> || is_task_type<plain>);
    (void)await_check<plain, fits>{};
    if constexpr (fits) {
      return plain(std::forward<Awaited>(what));
    } else {
      return std::suspend_never{};  // a stub: the mistake was reported
    }
  }

private:
  template <class... Parameters>
  static cell& cell_among(Parameters&... parameters) noexcept {
    constexpr bool has_context =
        (std::derived_from<std::remove_const_t<Parameters>, context> || ...);
    (void)task_check<has_context>{};
    if constexpr (has_context) {
      return *context_among(parameters...).self().slot();
    } else {
      std::unreachable();  // a stub: the mistake was reported
    }
  }
};

/// The part of a promise that holds the result.
template <class Result>
class promised_result : public promise_parts {
public:
  using promise_parts::promise_parts;

  template <class Value = Result>
    requires std::is_constructible_v<Result, Value>
  void return_value(Value&& value) {
    result_.emplace(std::forward<Value>(value));
  }
  /// Returns: the result. Requires: it has ended without failing.
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): required
  Result&& result() noexcept { return std::move(*result_); }

private:
  std::optional<Result> result_;
};
template <>
class promised_result<void> : public promise_parts {
public:
  using promise_parts::promise_parts;

  static void return_void() noexcept {}
  static void result() noexcept {}
};

/// The promise of `Task`.
template <class Task, class Result>
class task_promise : public promised_result<Result> {
public:
  using promised_result<Result>::promised_result;

  Task get_return_object() noexcept {
    this->frame = std::coroutine_handle<task_promise>::from_promise(*this).address();
    return Task{this};
  }
  static Task get_return_object_on_allocation_failure() noexcept { return Task{nullptr}; }
};

/// Runs a helper to its end.
template <class Promise>
class task_awaiter {
public:
  explicit task_awaiter(Promise* helper) noexcept : helper_(helper) {}

  static constexpr bool await_ready() noexcept { return false; }
  template <class Parent>
  void await_suspend(std::coroutine_handle<Parent> parent) noexcept {
    running_task& by = parent.promise();
    if (!can_begin(helper_, by)) return;
    helper_->root = by.root;
    helper_->parent = parent.address();
    by.root->next = helper_->frame;
  }
  decltype(auto) await_resume() noexcept { return helper_->result(); }

private:
  Promise* helper_;
};

/// Owns a coroutine: the common part of `task` and `reentrant_task`.
template <class Task, class Result>
class task_handle {
public:
  using promise_type = task_promise<Task, Result>;

  /// For the runtime. Null: there was no memory for the coroutine.
  explicit task_handle(promise_type* owned) noexcept : owned_(owned) {}
  task_handle(task_handle&& other) noexcept : owned_(other.release()) {}
  task_handle(const task_handle&) = delete;
  task_handle& operator=(const task_handle&) = delete;
  task_handle& operator=(task_handle&&) = delete;
  ~task_handle() {
    if (owned_ != nullptr) std::coroutine_handle<promise_type>::from_promise(*owned_).destroy();
  }

  /// Runs it to its end.
  task_awaiter<promise_type> operator co_await() && noexcept {
    return task_awaiter<promise_type>{owned_};
  }
  /// For the runtime: the caller destroys it. Null: there was no memory.
  [[nodiscard]] promise_type* release() noexcept { return std::exchange(owned_, nullptr); }
  /// For the runtime.
  [[nodiscard]] promise_type* promise() const noexcept { return owned_; }

private:
  promise_type* owned_;
};

}  // namespace internal

/// A handler, or a helper of one, that is a coroutine. It begins when it is awaited, or when the
/// runtime calls it as a handler. Its frame comes from the memory of actors; without memory the
/// handler fails. It takes a `context&`, and a handler takes its message by value.
///
///     tactor::task<std::string> receive(context& ctx, order o) {
///       auto price = co_await ctx.ask<quote>(prices_, 200ms, o.item);
///       if (!price) co_return "sold out";
///       co_return std::to_string(*price);
///     }
///
/// While a handler awaits, its actor is suspended (`await_external`). An exception, or a returned
/// `failure` (`task<std::expected<Reply, tactor::failure>>`), is the actor's failure, as in any
/// other handler. If the actor stops or restarts, the coroutine is destroyed.
template <class Result>
class [[nodiscard]] task : public internal::task_handle<task<Result>, Result> {
public:
  using internal::task_handle<task<Result>, Result>::task_handle;
};

/// A handler that is a coroutine, and whose actor handles other messages while it awaits: after
/// each `co_await` the actor's state may have changed. Otherwise like `task`. Awaited by another
/// coroutine it is a helper like any other: the handler's own type decides.
template <class Result>
class [[nodiscard]] reentrant_task : public internal::task_handle<reentrant_task<Result>, Result> {
public:
  using internal::task_handle<reentrant_task<Result>, Result>::task_handle;
};

namespace internal {

inline namespace TACTOR_EXCEPTION_MODE {

/// Ends the coroutine of a handler: answers the message with its result.
template <class Promise, class Reply, bool Asked>
call_result finish_handler(running_task& ended, failure& why) noexcept {
  return guarded(why, [&] {
    auto& promise = static_cast<Promise&>(ended);
    envelope* const question = ended.message;
    // Without memory for a copy of its header, a notification is not there any more.
    if (question == nullptr) return call_result::done;
    return settle<Reply, Asked>(*question, why, [&] { return promise.result(); });
  });
}

}  // namespace TACTOR_EXCEPTION_MODE

/// The `task_traits` of handlers that return a task.
template <class Task, class Result, bool Reentrant>
struct handler_task_traits {
  using result = Result;
  static constexpr bool is_task = true;

  /// Runs it until it ends or awaits.
  template <class Reply, bool Asked>
  static call_result start(Task handler, envelope& e, failure& why) noexcept {
    using promise = typename Task::promise_type;
    promise* const made = handler.release();
    if (made == nullptr) {
      why = failure{no_frame_memory};
      return call_result::failed;
    }
    made->finish = finish_handler<promise, Reply, Asked>;
    made->reentrant = Reentrant;
    return start_task(*made, e, why);
  }
};
template <class Result>
struct task_traits<task<Result>> : handler_task_traits<task<Result>, Result, false> {};
template <class Result>
struct task_traits<reentrant_task<Result>>
    : handler_task_traits<reentrant_task<Result>, Result, true> {};

}  // namespace internal
}  // namespace tactor::inline v0
