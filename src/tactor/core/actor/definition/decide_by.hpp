// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/exceptions.hpp"
#include "tactor/core/actor/definition/guard.hpp"
#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/supervision.hpp"

#include <type_traits>

namespace tactor::inline v0 {

inline namespace TACTOR_EXCEPTION_MODE {

/// A strategy whose directive depends on the failure. `Decide` is a lambda without captures that
/// takes a `const failure&` and returns a `decision`: a directive, or another strategy, which then
/// decides. `limits` are those of its restarts. A failure of the decider itself is escalated.
///
///     tactor::decide_by([](const tactor::failure& why) -> tactor::decision {
///       if (tactor::threw<bad_reading>(why)) return tactor::directive::resume;
///       return why.code() == 7 ? tactor::directive::stop : tactor::directive::restart;
///     }, {.max_restarts = 3})
template <class Decide>
[[nodiscard]] constexpr supervision decide_by(Decide, const restart& limits = {}) noexcept {
  constexpr bool has_no_state = std::is_empty_v<Decide> && std::is_default_constructible_v<Decide>;
  constexpr bool decides = std::is_invocable_r_v<decision, const Decide&, const failure&>;
  static_assert(has_no_state,
                "a decider must not capture: it is kept with the actor, for its life");
  static_assert(decides,
                "a decider is a lambda like [](const tactor::failure&) -> tactor::decision");
  if constexpr (has_no_state && decides) {
    return {[](const failure& why, decision& said, failure& why_not) noexcept {
              return internal::guarded(why_not, [&] {
                       said = Decide{}(why);
                       return internal::call_result::done;
                     }) == internal::call_result::done;
            },
            limits};
  } else {
    return {};
  }
}

}  // namespace TACTOR_EXCEPTION_MODE
}  // namespace tactor::inline v0
