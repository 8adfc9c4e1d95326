// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/mailbox_limits.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/mailbox.hpp"
#include "tactor/core/send/delivery.hpp"
#include "tactor/core/send/offer_rules.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

/// Fast path shared by `offer` and `send`; the callbacks `refused(why)` and `with_care(limits)` are
/// their slow paths, and provide the result.
template <class Refused, class WithCare>
// NOLINTNEXTLINE(readability-function-size): the fast path, and each branch leaves it
[[gnu::always_inline]] inline auto deliver(thread_record& here, cell* to, std::uint32_t generation,
                                           envelope& e, Refused refused,
                                           WithCare with_care) noexcept -> decltype(refused(gone)) {
  e.generation = generation;
  // Checking the generation avoids pushing most stale messages; the receiver's check decides.
  if (to == nullptr) [[unlikely]]
    return refused(no_actor);
  if (!accepts_mail(*to, generation)) [[unlikely]]
    return refused(gone);
  const mailbox_limits limits{
      to->limits.load(relaxed)};  // relaxed: may be another tenant's; the receiver checks
  if (limits.bits != here.fast_limits) [[unlikely]]
    return with_care(limits);
  ++here.sends;
  const push_result pushed = to->box.push(e);
  if (pushed == push_result::closed) [[unlikely]] {
    --here.sends;
    return refused(gone);
  }
  if (pushed == push_result::make_ready) make_ready(here, *to);
  return {};
}

// The slow paths of `send`.

/// The message is refused: it becomes a dead letter, or waits.
tell_result refuse_send(thread_record& here, cell* to, envelope& e, offer_result offered) noexcept;
/// The mailbox has limits, or the sends of this thread are measured or traced.
tell_result send_with_care(thread_record& here, cell& to, mailbox_limits limits,
                           envelope& e) noexcept;
/// The rest of `send_on_board`, in an interrupt: a mailbox that has limits, or accepts no messages.
tell_result send_with_limits(cell* to, std::uint32_t generation, envelope& e) noexcept;

}  // namespace tactor::inline v0::internal
