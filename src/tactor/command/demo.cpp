// SPDX-License-Identifier: BSL-1.0
#include "tactor/command/demo.hpp"

#include "tactor/actor.hpp"
#include "tactor/command/console.hpp"
#include "tactor/console/console.hpp"
#include "tactor/host.hpp"
#include "tactor/patterns/patterns.hpp"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <expected>
#include <ostream>
#include <string>

// The console shows the names of these types.
namespace bakery {

using namespace std::chrono_literals;

struct open_shop {};
struct order {
  std::uint32_t number;
};
struct bake {
  std::uint32_t number;
};
struct rush {};

/// A slow actor: its small mailbox is full now and then, and drops its oldest message.
class oven : public tactor::actor<bake> {
public:
  void receive(context& ctx, const bake&) { (void)limit_.take(ctx); }

private:
  tactor::patterns::rate_limiter limit_{{.tokens = 40, .per = 1s, .burst = 1}};
};

/// Fails with every hundredth order, and is restarted.
class baker : public tactor::actor<order> {
public:
  explicit baker(tactor::actor_ref<bake> oven) : oven_(oven) {}
  std::expected<void, tactor::failure> receive(context&, const order& o) {
    if (o.number % 100 == 99) return std::unexpected{tactor::failure{"burnt"}};
    oven_.tell(bake{o.number});
    return {};
  }

private:
  tactor::actor_ref<bake> oven_;
};

/// Sends orders at a fixed rate, ten at once in a rush.
class door : public tactor::actor<open_shop, order, rush> {
public:
  void receive(context& ctx, open_shop) {
    const auto oven_here = ctx.spawn<oven>(
        {.name = "oven",
         .mailbox = {.capacity = 16, .overflow = tactor::overflow_strategy::drop_oldest}});
    for (auto& each : bakers_)
      each = ctx.spawn<baker>({.name = "baker", .on_failure = tactor::restart{}}, oven_here);
    (void)ctx.start_timer("orders", tactor::every(25ms), order{});
  }
  void receive(context&, const order&) { take(1); }
  void receive(context&, rush) { take(100); }

private:
  void take(int orders) {
    for (; orders > 0; --orders, ++taken_)
      bakers_[taken_ % 3].tell(order{taken_});
  }

  tactor::actor_ref<order> bakers_[3];
  std::uint32_t taken_ = 0;
};

}  // namespace bakery

namespace command {
namespace {

using namespace std::chrono_literals;

/// While it lives, new threads leave the signals that end a program to `rest`.
class signals_kept {
public:
  signals_kept() noexcept {
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, &before_);
  }
  signals_kept(const signals_kept&) = delete;
  signals_kept& operator=(const signals_kept&) = delete;
  ~signals_kept() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
  sigset_t before_{};
};

void say_nothing(const tactor::log_record& /*what*/) noexcept {}

}  // namespace

int demo(const surroundings& around, std::chrono::seconds length) {
  const signals_kept kept;
  tactor::actor_system system{{.name = "bakery",
                               .metrics = {.level = tactor::metrics_level::actor},
                               .log = {.sink = say_nothing}}};
  const auto front = system.spawn<bakery::door>("door");
  front.tell(bakery::open_shop{});
  tactor::console_options options{
      .address = "127.0.0.1:0",
      .capabilities = {.trace = true, .control = true, .lifecycle = true},
      .token = around.token,
      .actions = {{"rush", "a hundred orders at once", [front] { front.tell(bakery::rush{}); }}}};
  const auto page = tactor::start_console(system, options);
  if (page) options.token = page->token();
  options.address = around.folder + "/" + std::to_string(::getpid()) + ".sock";
  const auto socket = tactor::start_console(system, options);
  if (!page || !socket) {
    around.errors << "tactor: the demo has no console: " << (page ? socket : page).error().text
                  << '\n';
    return problem::no_answer;
  }
  around.out << "page:    " << page->url() << "\ntoken:   " << page->token()
             << "\ncommand: tactor top, tactor tree, tactor diagnose, tactor run rush\n"
             << (length == 0s ? std::string{"Ctrl-C ends the demo"}
                              : "the demo ends after " + std::to_string(length.count()) + " s")
             << std::endl;
  around.rest(length);
  return system.shutdown(5s).complete ? 0 : 1;
}

}  // namespace command
