// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/testkit.hpp"

#include "showcase/accounts.hpp"
#include "showcase/actors.hpp"
#include "showcase/fleet.hpp"
#include "showcase/messages.hpp"
#include "showcase/services.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <utility>

namespace showcase {

/// All actors of the showcase, in any system: `actor_system` and `simulation` are used alike.
/// Context: one thread, which is not a thread of the system.
template <class System>
class plant {
public:
  /// Requires: `book` and `clock` outlive the system.
  plant(System& system, ledger& book, disk& on, const tactor::monotonic_clock& clock,
        const conditions& given, unsigned beacons, tactor::testkit::seed from)
      : system_(system), book_(book) {
    journal_ = system.template spawn<journal>("journal", &book, &clock);
    system.events().template subscribe<tactor::dead_letter>(journal_);
    system.events().template subscribe<tactor::actor_failed>(journal_);
    system.events().template subscribe<tactor::actor_restarted>(journal_);
    system.events().template subscribe<tactor::actor_suspended>(journal_);
    system.events().template subscribe<tactor::actor_resumed>(journal_);
    system.events().template subscribe<device_silent>(journal_);
    system.events().template subscribe<heat_alarm>(journal_);
    system.events().template subscribe<report>(journal_);
    system.events().template subscribe<intervention>(journal_);
    store_ = system.template spawn<store>(
        {.name = "store",
         .mailbox = {.capacity = store::capacity,
                     .overflow = tactor::overflow_strategy::drop_oldest},
         .dispatcher = tactor::dispatcher::blocking},
        &on);
    const auto paging = system.template spawn<pager>(
        {.name = "pager",
         .mailbox = {.capacity = pager::capacity,
                     .overflow = tactor::overflow_strategy::drop_oldest}},
        &book);
    system.events().template subscribe<heat_alarm>(paging);
    const auto watching = system.spawn("guard", quiet(&book));
    gateway_ = system.template spawn<gateway>("gateway", &book, &on, store_, watching, given, from);
    reporter_ = system.template spawn<reporter>("reporter", &book, store_, given.report);
    technician_ = system.template spawn<technician>("technician", &book,
                                                    tactor::actor_ref<>{store_}, given.service);
    fleet_ = system.template spawn<fleet>(
        {.name = "fleet",
         .mailbox = {.capacity = fleet::capacity,
                     .overflow = tactor::overflow_strategy::block_producer},
         .dispatcher = tactor::dispatcher::blocking},
        &book, beacons, given, from);
    found_.beacons = beacons;
  }

  /// Asks the actors. If an actor does not reply, because its mailbox dropped the message, its last
  /// reply counts.
  [[nodiscard]] const findings& collect() {
    ask(store_, store_query{}, found_.stored);
    ask(gateway_, gateway_query{}, found_.done);
    ask(fleet_, fleet_query{}, found_.heartbeats);
    ask(journal_, journal_query{}, found_.heard);
    count();
    return found_;
  }
  /// Counts, and asks no actor: it may be called when all actors have ended.
  const findings& count() {
    found_.runtime = system_.metrics();
    found_.sums = settle(book_, found_.runtime, found_.heard);
    found_.counts = recall(book_, system_.timers().metrics(), found_.sums);
    return found_;
  }

  /// Takes readings that come over TCP.
  [[nodiscard]] tactor::actor_ref<raw_reading> input() const { return gateway_; }

  /// Causes a fault. Context: any thread.
  void cause(fault what) {
    if (!closing_.load(std::memory_order_relaxed)) post(book_, gateway_, inject{what});
  }
  /// Context: any thread.
  void change(change_load how) {
    if (!closing_.load(std::memory_order_relaxed)) post(book_, gateway_, how);
  }

  /// Stops the devices, the beacons, the technician and the reporter; the others stay, so that they
  /// can be asked.
  void close() {
    closing_.store(true, std::memory_order_relaxed);
    post(book_, reporter_, retire{});
    post(book_, technician_, retire{});
    post(book_, gateway_, retire{});
    insist(fleet_, retire{});
  }
  /// Returns: true if these have ended, with all timers.
  [[nodiscard]] bool closed() const {
    return system_.live() == remaining && system_.timers().metrics().active_total == 0;
  }

private:
  static constexpr std::size_t remaining =
      6 + parser_lines;  // journal, store, pager, guard, gateway, fleet

  /// Sends to a mailbox that pushes back. An attempt takes a second if there is no capacity.
  template <class... Messages, class Message>
  void insist(const tactor::actor_ref<Messages...>& to, const Message& message) {
    for (int tries = 0; tries < 60; ++tries) {
      showcase::count(book_.by_actors);
      if (to.tell(message) != tactor::tell_result::full) return;
    }
  }

  template <class... Messages, class Message>
  void ask(const tactor::actor_ref<Messages...>& whom, Message message,
           typename Message::reply& into) {
    book_.by_actors.fetch_add(1, std::memory_order_relaxed);
    auto answer = system_.ask(whom, std::move(message), std::chrono::seconds{5}).get();
    if (answer) into = std::move(*answer);
  }

  System& system_;
  ledger& book_;
  findings found_;
  journal::ref journal_;
  store::ref store_;
  gateway::ref gateway_;
  technician::ref technician_;
  reporter::ref reporter_;
  fleet::ref fleet_;
  std::atomic<bool> closing_ = false;
};

}  // namespace showcase
