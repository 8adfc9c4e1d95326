// SPDX-License-Identifier: BSL-1.0
// The code of docs/guide/09-receive-timeout.md; check_snippets.py compares the two.
#include "tactor/testkit.hpp"

#include "expect.hpp"

#include <chrono>

using namespace std::chrono_literals;
using tactor::testkit::simulation;

namespace {

struct touch {};
struct expired {
  int session;
};

/// Ends after half an hour without a message, and notifies its owner.
class session : public tactor::actor<touch> {
public:
  session(int number, tactor::actor_ref<expired> owner) : number_(number), owner_(owner) {}

  void pre_start(context& ctx) { (void)ctx.set_receive_timeout(30min, *this); }
  void receive(context&, touch) {}
  void receive(context& ctx, const tactor::receive_timeout&) {
    owner_.tell(expired{number_});
    ctx.stop();
  }

private:
  int number_;
  tactor::actor_ref<expired> owner_;
};

void shortest() {
  simulation world;
  auto owner = world.spawn_probe<expired>("owner");
  const auto subject = world.spawn<session>("session", 7, owner.ref());

  world.run_for(29min);
  subject.tell(touch{});
  owner.expect_no_message(29min);
  expect(owner.expect<expired>(1min).session == 7, "half an hour after the touch");
}

struct reading {
  double degrees;
};
struct are_you_well {
  using reply = bool;
  using not_influence_receive_timeout = void;
};

/// Expects a reading within 3 s. After three timeouts in a row it waits no longer.
class device : public tactor::actor<reading, are_you_well> {
public:
  void pre_start(context& ctx) { (void)ctx.set_receive_timeout(3s, *this); }
  void receive(context&, reading) { silences_ = 0; }
  bool receive(context&, are_you_well) { return silences_ == 0; }
  void receive(context& ctx, const tactor::receive_timeout&) {
    if (++silences_ == 3) ctx.cancel_receive_timeout();
  }

private:
  int silences_ = 0;
};

void silence() {
  simulation world;
  const auto thermometer = world.spawn<device>("device");
  const auto well = [&] { return world.ask(thermometer, are_you_well{}, 1s).get(); };
  for (int i = 0; i < 10; ++i) {
    world.run_for(1s);
    thermometer.tell(reading{21.5});
  }
  expect(well() == true, "it reports");
  for (int i = 0; i < 3; ++i) {
    world.run_for(1s);
    expect(well().has_value(), "asked each second");
  }
  expect(well() == false, "health checks do not count as messages");
}

struct upload {
  int parts;
};

/// A long piece of work in small steps of its own says that it is not idle.
class uploader : public tactor::actor<upload> {
public:
  explicit uploader(int* timeouts) : timeouts_(timeouts) {}

  void pre_start(context& ctx) { (void)ctx.set_receive_timeout(1s, *this); }
  void receive(context& ctx, upload u) {
    const auto step = ctx.schedule_once(600ms, ctx.self(), upload{u.parts - 1});
    if (u.parts == 0 || !step) ctx.stop();
  }
  void receive(context&, const tactor::receive_timeout&) { ++*timeouts_; }

private:
  int* timeouts_;
};

void own_timers() {
  int timeouts = 0;
  simulation world;
  const auto who = world.spawn<uploader>("uploader", &timeouts);
  who.tell(upload{5});
  world.run_for(1min);
  expect(timeouts == 0 && world.live() == 0, "a timer's message is a message");
}

/// A timeout that cannot be set is an error.
class hasty : public tactor::actor<touch> {
public:
  explicit hasty(bool* refused) : refused_(refused) {}

  void receive(context& ctx, touch) {
    const auto set = ctx.set_receive_timeout(-1s, *this);
    *refused_ = !set && set.error() == tactor::scheduler_error::invalid_delay;
  }
  void receive(context&, const tactor::receive_timeout&) {}

private:
  bool* refused_;
};

void mistakes() {
  bool refused = false;
  simulation world;
  const auto who = world.spawn<hasty>("hasty", &refused);
  who.tell(touch{});
  world.run_to_idle();
  expect(refused, "no time is negative");
}

}  // namespace

int main() {
  shortest();
  silence();
  own_timers();
  mistakes();
  return failures == 0 ? 0 : 1;
}
