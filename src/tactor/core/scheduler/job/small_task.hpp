// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/scheduler/job/run_result.hpp"

#include <cstddef>
#include <new>  // IWYU pragma: keep (placement new)
#include <type_traits>
#include <utility>

namespace tactor::inline v0 {

/// A callable of at most three words, called at most once, without heap. For hooks and close tasks:
/// capture a pointer if you need more.
class small_task {
public:
  constexpr small_task() noexcept = default;

  template <class Callable>
    requires(!std::is_same_v<std::remove_cvref_t<Callable>, small_task>)
  small_task(Callable&& callable) noexcept {  // implicit: users write a lambda
    using stored = std::remove_cvref_t<Callable>;
    static_assert(sizeof(stored) <= sizeof(storage_) && alignof(stored) <= alignof(void*),
                  "a small task holds three words: capture a pointer to what is larger");
    static_assert(std::is_nothrow_move_constructible_v<stored>);
    ::new (static_cast<void*>(storage_)) stored(std::forward<Callable>(callable));
    call_ = [](void* storage) noexcept -> run_result {
      return internal::guarded_call(*static_cast<stored*>(storage));
    };
    move_ = [](void* from, void* to) noexcept {
      if (to != nullptr) ::new (to) stored(std::move(*static_cast<stored*>(from)));
      static_cast<stored*>(from)->~stored();
    };
  }

  small_task(small_task&& other) noexcept { take(other); }
  small_task& operator=(small_task&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  small_task(const small_task&) = delete;
  small_task& operator=(const small_task&) = delete;
  ~small_task() { reset(); }

  [[nodiscard]] explicit operator bool() const noexcept { return call_ != nullptr; }

  /// Calls the task and destroys it; an empty task does nothing.
  run_result operator()() noexcept {
    if (call_ == nullptr) return {};
    run_result said = call_(storage_);
    reset();
    return said;
  }

private:
  void take(small_task& other) noexcept {
    if (other.call_ == nullptr) return;
    other.move_(other.storage_, storage_);
    call_ = std::exchange(other.call_, nullptr);
    move_ = other.move_;
  }
  void reset() noexcept {
    if (std::exchange(call_, nullptr) != nullptr) move_(storage_, nullptr);
  }

  run_result (*call_)(void* storage) noexcept = nullptr;
  void (*move_)(void* from, void* to) noexcept = nullptr;  // `to` null: only destroys
  alignas(void*) std::byte storage_[3 * sizeof(void*)] = {};
};

}  // namespace tactor::inline v0
