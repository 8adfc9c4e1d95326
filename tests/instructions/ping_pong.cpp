// SPDX-License-Identifier: BSL-1.0
// Two actors on one worker send a message to and fro, COUNT times, at a level of the metrics.
//
//     ping_pong_instructions off|system|actor|off_again|trace_over COUNT [WORK]
//
// `off_again`: the level was `actor` before. `trace_over`: `off`, and a trace has run before. WORK:
// how often each handler repeats a calculation.
#include "tactor/host.hpp"
#include "tactor/observe.hpp"

#include <cstdint>
#include <cstdlib>
#include <latch>
#include <optional>
#include <string_view>

namespace {

struct ball {
  std::uint64_t left;
  std::uint64_t work;
};
struct partner {
  tactor::actor_ref<ball> who;
  std::latch* done;
};

class player : public tactor::actor<ball, partner> {
public:
  void receive(tactor::context&, const partner& p) {
    partner_ = p.who;
    done_ = p.done;
  }
  void receive(tactor::context&, const ball& b) {
    if (b.left == 0) return done_->count_down();
    for (std::uint64_t i = 0; i < b.work; ++i)
      result_ = result_ * 7 + i;
    partner_.tell(ball{b.left - 1, b.work});
  }

private:
  tactor::actor_ref<ball> partner_;
  std::latch* done_ = nullptr;
  volatile std::uint64_t result_ = 0;
};

tactor::metrics_level level_of(std::string_view name) {
  if (name == "off" || name == "trace_over") return tactor::metrics_level::off;  // not off_again
  return name == "system" ? tactor::metrics_level::system : tactor::metrics_level::actor;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) return 2;
  std::latch before{1};  // they outlive the system
  std::latch done{1};
  tactor::actor_system system{{.workers = 1,
                               .dispatch = {.blocked_after = std::nullopt},  // nothing by the clock
                               .metrics = {.level = level_of(argv[1])}}};
  const auto one = system.spawn<player>("one");
  const auto other = system.spawn<player>("other");
  const auto play = [&](std::latch& until, ball first) {
    one.tell(partner{other, &until});
    other.tell(partner{one, &until});
    one.tell(first);
    until.wait();
  };
  if (argv[1] == std::string_view{"off_again"}) {
    play(before, {.left = 1000, .work = 0});
    system.set_metrics_level(tactor::metrics_level::off);
  }
  if (argv[1] == std::string_view{"trace_over"}) {
    if (!system.start_trace({.most = 100})) return 1;
    play(before, {.left = 1000, .work = 0});
    system.stop_trace();
  }
  play(done, {.left = std::strtoull(argv[2], nullptr, 10),
              .work = argc == 4 ? std::strtoull(argv[3], nullptr, 10) : 0});
  return 0;
}
