// SPDX-License-Identifier: BSL-1.0
// Two actors on one worker send a message to and fro, COUNT times, at a level of the metrics.
//
//     ping_pong_instructions off|system|actor COUNT
#include "tactor/host.hpp"

#include <cstdint>
#include <cstdlib>
#include <latch>
#include <optional>
#include <string_view>

namespace {

struct ball {
  std::uint64_t left;
};
struct partner {
  tactor::actor_ref<ball> who;
};

class player : public tactor::actor<ball, partner> {
public:
  explicit player(std::latch* done) : done_(done) {}
  void receive(tactor::context&, const partner& p) { partner_ = p.who; }
  void receive(tactor::context&, const ball& b) {
    if (b.left == 0) return done_->count_down();
    partner_.tell(ball{b.left - 1});
  }

private:
  tactor::actor_ref<ball> partner_;
  std::latch* done_;
};

tactor::metrics_level level_of(std::string_view name) {
  if (name == "off") return tactor::metrics_level::off;
  return name == "system" ? tactor::metrics_level::system : tactor::metrics_level::actor;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::latch done{1};  // it outlives the system
  tactor::actor_system system{{.workers = 1,
                               .dispatch = {.blocked_after = std::nullopt},  // nothing by the clock
                               .metrics = {.level = level_of(argv[1])}}};
  const auto one = system.spawn<player>("one", &done);
  const auto other = system.spawn<player>("other", &done);
  one.tell(partner{other});
  other.tell(partner{one});
  one.tell(ball{std::strtoull(argv[2], nullptr, 10)});
  done.wait();
  return 0;
}
