// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/coroutine/running_task.hpp"
#include "tactor/core/actor/coroutine/task.hpp"
#include "tactor/core/supervision/failure.hpp"

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

// Several helpers that a coroutine awaits together.
namespace tactor::inline v0 {
namespace internal {

/// The result of a helper; `std::monostate` for a helper without result.
template <class Result>
using kept_result = std::conditional_t<std::is_void_v<Result>, std::monostate, Result>;

template <class Result>
kept_result<Result> result_of(const task<Result>& ended) {
  if constexpr (std::is_void_v<Result>) {
    return {};
  } else {
    return ended.promise()->result();
  }
}

/// Begins all helpers; the coroutine resumes when `Missing` of them have ended.
template <std::uint32_t Missing, class... Results>
class several_awaiter {
public:
  explicit several_awaiter(std::tuple<task<Results>...>& helpers) noexcept : helpers_(helpers) {}
  several_awaiter(const several_awaiter&) = delete;
  several_awaiter& operator=(const several_awaiter&) = delete;
  ~several_awaiter() = default;

  static constexpr bool await_ready() noexcept { return false; }
  template <class Parent>
  void await_suspend(std::coroutine_handle<Parent> parent) noexcept {
    running_task& by = parent.promise();
    join_.missing = Missing;
    running_task** last = &by.root->to_begin;
    const auto begin = [&](auto& helper) {
      if (can_begin(helper.promise(), by))
        last = begin_helper(*helper.promise(), by, parent.address(), join_, last);
    };
    std::apply([&](auto&... each) { (begin(each), ...); }, helpers_);
  }
  auto await_resume() {
    if constexpr (Missing == sizeof...(Results)) {
      return std::apply(
          [](auto&... each) { return std::tuple<kept_result<Results>...>{result_of(each)...}; },
          helpers_);
    } else {
      auto result = first(std::index_sequence_for<Results...>{});
      // At once: the expression that awaits may await something else before it ends.
      std::apply(
          [](auto&... each) {
            ((void)std::remove_reference_t<decltype(each)>{std::move(each)}, ...);
          },
          helpers_);
      return result;
    }
  }

private:
  template <std::size_t... Index>
  auto first(std::index_sequence<Index...>) {
    using result = std::variant<kept_result<Results>...>;
    return pick<result, Index...>();
  }
  template <class Result, std::size_t Index, std::size_t... Rest>
  Result pick() {
    auto& helper = std::get<Index>(helpers_);
    if constexpr (sizeof...(Rest) > 0) {
      if (!helper.promise()->ended) return pick<Result, Rest...>();
    }
    return Result{std::in_place_index<Index>, result_of(helper)};
  }

  std::tuple<task<Results>...>& helpers_;
  task_join join_;
};

/// Begins all helpers of a container; the coroutine resumes when all have ended.
template <template <class...> class Container, class Result, class... Rest>
class container_awaiter {
public:
  using helpers = Container<task<Result>, Rest...>;

  explicit container_awaiter(helpers& all) noexcept : helpers_(all) {}
  container_awaiter(const container_awaiter&) = delete;
  container_awaiter& operator=(const container_awaiter&) = delete;
  ~container_awaiter() = default;

  [[nodiscard]] bool await_ready() const noexcept { return helpers_.empty(); }
  template <class Parent>
  void await_suspend(std::coroutine_handle<Parent> parent) noexcept {
    running_task& by = parent.promise();
    join_.missing = static_cast<std::uint32_t>(helpers_.size());
    running_task** last = &by.root->to_begin;
    for (task<Result>& each : helpers_) {
      if (can_begin(each.promise(), by))
        last = begin_helper(*each.promise(), by, parent.address(), join_, last);
    }
  }
  auto await_resume() {
    if constexpr (!std::is_void_v<Result>) {
      Container<Result> results;
      results.reserve(helpers_.size());
      for (const task<Result>& each : helpers_)
        results.push_back(result_of(each));
      return results;
    }
  }

private:
  helpers& helpers_;
  task_join join_;
};

/// See `all_of`.
template <template <class...> class Container, class Result, class... Rest>
class [[nodiscard]] container_operation : public operation {
public:
  using awaiter = container_awaiter<Container, Result, Rest...>;

  explicit container_operation(typename awaiter::helpers all) noexcept : helpers_(std::move(all)) {}
  awaiter operator co_await() && noexcept { return awaiter{helpers_}; }

private:
  typename awaiter::helpers helpers_;
};

/// See `all_of`, `first_of`.
template <std::uint32_t Missing, class... Results>
class [[nodiscard]] several_operation : public operation {
public:
  explicit several_operation(task<Results>... helpers) noexcept : helpers_(std::move(helpers)...) {}
  several_awaiter<Missing, Results...> operator co_await() && noexcept {
    return several_awaiter<Missing, Results...>{helpers_};
  }

private:
  std::tuple<task<Results>...> helpers_;
};

}  // namespace internal

/// Runs several tasks together and resumes when all have ended: `std::tuple` of their results, with
/// `std::monostate` for one without.
///
///     auto [tea, milk] = co_await tactor::all_of(price(ctx, "tea"), price(ctx, "milk"));
template <class... Results>
[[nodiscard]] internal::several_operation<sizeof...(Results), Results...>
all_of(task<Results>... tasks) noexcept {
  static_assert(sizeof...(Results) > 1, "all_of awaits several tasks");
  return internal::several_operation<sizeof...(Results), Results...>{std::move(tasks)...};
}
/// Runs all tasks of a container together, such as a `std::vector`, and resumes when all have
/// ended: a container of their results in the same order, or nothing for tasks without result.
///
///     std::vector<tactor::task<int>> asked;
///     for (const item& each : basket) asked.push_back(price(ctx, each));
///     const std::vector<int> prices = co_await tactor::all_of(std::move(asked));
template <template <class...> class Container, class Result, class... Rest>
[[nodiscard]] internal::container_operation<Container, Result, Rest...>
all_of(Container<task<Result>, Rest...> tasks) noexcept {
  return internal::container_operation<Container, Result, Rest...>{std::move(tasks)};
}
/// Runs several tasks together and resumes when the first has ended: `std::variant` of their
/// results, whose `index` says which one it was. The others are destroyed, with what they await.
///
///     auto first = co_await tactor::first_of(price(ctx, "tea"), expiry(ctx));
template <class... Results>
[[nodiscard]] internal::several_operation<1, Results...> first_of(task<Results>... tasks) noexcept {
  static_assert(sizeof...(Results) > 1, "first_of awaits several tasks");
  return internal::several_operation<1, Results...>{std::move(tasks)...};
}

}  // namespace tactor::inline v0
