// SPDX-License-Identifier: BSL-1.0
// A small system with a console, for the test of the page: a line of parsers that fail now and
// then, a store with a bounded mailbox, timers, dead letters. Prints the address of the page, and
// ends when its input does.
#include "tactor/console/console.hpp"
#include "tactor/host.hpp"

#include <chrono>
#include <cstdio>
#include <expected>
#include <string>

using namespace std::chrono_literals;

namespace gateway {

struct reading {
  int value;
};
struct tick {};

class store : public tactor::actor<reading> {
public:
  void receive(context&, const reading&) {}
};

class parser : public tactor::actor<reading> {
public:
  explicit parser(tactor::actor_ref<reading> to) : to_(to) {}
  std::expected<void, tactor::failure> receive(context&, const reading& each) {
    if (each.value % 20'000 == 0)
      return std::unexpected{tactor::failure{"the <checksum> is wrong", each.value}};
    to_.tell(each);
    return {};
  }

private:
  tactor::actor_ref<reading> to_;
};

/// Sends a reading to each parser with every tick, and one to an actor that has stopped.
class front : public tactor::actor<tick> {
public:
  front(tactor::actor_ref<reading> to, tactor::actor_ref<reading> gone) : to_(to), gone_(gone) {}
  void pre_start(context& ctx) {
    for (int i = 0; i < 4; ++i)
      parsers_[i] = ctx.spawn<parser>(
          {.name = "parser-" + std::to_string(i), .on_failure = tactor::restart{}}, to_);
  }
  void receive(context&, tick) {
    for (const auto& each : parsers_)
      for (int i = 0; i < 20; ++i)
        each.tell(reading{++sent_});
    if (sent_ % 4000 == 0) gone_.tell(reading{sent_});
  }

private:
  tactor::actor_ref<reading> to_, gone_;
  tactor::actor_ref<reading> parsers_[4];
  int sent_ = 0;
};

}  // namespace gateway

/// The page shows failures; the log of the test stays empty.
void ignore(const tactor::log_record& /*what*/) noexcept {}

int main() {
  using namespace gateway;
  tactor::actor_system system{{.name = "gateway",
                               .workers = 2,
                               .metrics = {.level = tactor::metrics_level::actor},
                               .log = {.sink = ignore}}};
  const auto gone = system.spawn<store>("gone");
  const auto kept = system.spawn<store>({.name = "store", .mailbox = {.capacity = 1024}});
  const auto desk = system.spawn<store>("desk");
  const auto first = system.spawn<front>("front", kept, gone);
  system.stop(gone);
  (void)system.schedule_at_fixed_rate(10ms, 10ms, first, tick{});
  for (int i = 1; i <= 300; ++i)
    (void)system.schedule_once(i * 1s, desk, reading{i});

  const auto console = tactor::start_console(
      system, {.address = "127.0.0.1:0",
               .capabilities = {.trace = true, .control = true, .lifecycle = true},
               .token = "secret-of-the-test"});
  if (!console) {
    std::fprintf(stderr, "%s\n", console.error().text.c_str());
    return 1;
  }
  std::printf("%s\n", console->url().c_str());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  system.force_stop();
  return 0;
}
