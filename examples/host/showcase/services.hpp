// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/actor.hpp"
#include "tactor/coroutine.hpp"
#include "tactor/patterns/patterns.hpp"

#include "showcase/messages.hpp"

#include <chrono>
#include <cstdint>
#include <expected>

namespace showcase {

/// Pages a person about alarms, but not more often than four times a second: after a page it is
/// suspended, and alarms wait in its small mailbox, which drops its oldest.
class pager : public tactor::actor<heat_alarm> {
public:
  static constexpr std::uint32_t capacity = 8;

  explicit pager(ledger* book) : book_(book) {}

  void receive(context& ctx, heat_alarm);

private:
  ledger* book_;
  tactor::patterns::rate_limiter limit_{{.tokens = 4, .per = std::chrono::seconds{1}, .burst = 1}};
};

/// Asks the store at a fixed rate, and reports what has come in since the last time.
class reporter : public tactor::actor<report_due, retire> {
public:
  reporter(ledger* book, tactor::actor_ref<store_query> store, std::chrono::milliseconds every)
      : book_(book), store_(store), every_(every) {}

  std::expected<void, tactor::failure> pre_start(context& ctx);
  tactor::reentrant_task<void> receive(context& ctx, report_due);
  void receive(context& ctx, retire) { ctx.stop(); }

private:
  ledger* book_;
  tactor::actor_ref<store_query> store_;
  std::chrono::milliseconds every_;
  tactor::scoped_cancellable ticking_;
  std::uint64_t reported_ = 0;
};

}  // namespace showcase
