// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/actor_ref.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/testkit/seed.hpp"

#include "showcase/accounts.hpp"
#include "showcase/actors.hpp"
#include "showcase/messages.hpp"

#include <chrono>
#include <utility>

namespace showcase {

/// All actors of the showcase, in any system: `actor_system` and `simulation` are used alike.
template <class System>
class plant {
public:
  /// Requires: `book` and `clock` outlive the system.
  plant(System& system, ledger& book, const tactor::monotonic_clock& clock,
        tactor::testkit::seed from)
      : system_(system), book_(book) {
    journal_ = system.template spawn<journal>("journal", &clock);
    system.events().template subscribe<tactor::dead_letter>(journal_);
    system.events().template subscribe<tactor::actor_failed>(journal_);
    system.events().template subscribe<heat_alarm>(journal_);
    store_ = system.template spawn<store>(
        {.name = "store",
         .mailbox = {.capacity = store::capacity, .on_overflow = tactor::overflow::drop_oldest}});
    const auto watching = system.spawn("guard", quiet(&book));
    gateway_ = system.template spawn<gateway>("gateway", &book, store_, watching, from);
  }

  /// Asks everyone. Requires: nothing is queued.
  [[nodiscard]] findings look() {
    findings found;
    found.stored = ask(store_, store_query{});
    found.done = ask(gateway_, gateway_query{});
    found.heard = ask(journal_, journal_query{});
    found.runtime = system_.metrics();
    found.sums =
        settle(book_, found.runtime, system_.timers().metrics(), system_.events().refused());
    return found;
  }

private:
  template <class... Messages, class Message>
  typename Message::reply ask(const tactor::actor_ref<Messages...>& whom, Message message) {
    ++book_.told;
    return system_.ask(whom, std::move(message), std::chrono::seconds{1})
        .get()
        .value_or(typename Message::reply{});
  }

  System& system_;
  ledger& book_;
  tactor::actor_ref<tactor::dead_letter, tactor::actor_failed, heat_alarm, journal_query> journal_;
  tactor::actor_ref<reading, store_query> store_;
  tactor::actor_ref<tactor::actor_failed, gateway_query> gateway_;
};

}  // namespace showcase
