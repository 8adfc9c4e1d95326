// SPDX-License-Identifier: BSL-1.0
// The code of docs/guide/tracing.md; check_snippets.py compares them.
#include "tactor/observe.hpp"
#include "tactor/testkit.hpp"

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

namespace {

using namespace std::chrono_literals;

struct order {
  int number;
};

class desk : public tactor::actor<order> {
public:
  desk() = default;
  explicit desk(tactor::actor_ref<order> next) : next_(next) {}
  void receive(context&, const order& o) {
    if (next_) next_.tell(o);
  }

private:
  tactor::actor_ref<order> next_;
};

/// Collects a trace; a file would do as well.
class text final : public tactor::text_sink {
public:
  void write(std::string_view piece) noexcept override { all += piece; }
  std::string all;
};

bool on_threads() {
  tactor::actor_system system;
  const auto store = system.spawn<desk>("store");
  const auto front = system.spawn<desk>("front", store);

  if (!system.start_trace({.most = 10'000, .longest = 2s, .path = "/user/front"})) return false;
  front.tell(order{1});
  (void)system.shutdown();
  text trace;
  return system.write_trace(tactor::trace_format::chrome, trace) && !trace.all.empty();
}

class gateway : public tactor::actor<order> {
public:
  explicit gateway(std::string* sent_along) : sent_along_(sent_along) {}
  void receive(context&, const order&) {
    std::string& sent_along = *sent_along_;
    if (const auto here = tactor::trace_context::current()) sent_along = here->traceparent();
  }

private:
  std::string* sent_along_;
};

bool for_another_program() {
  const std::string_view header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  std::string sent_along;
  tactor::testkit::simulation world;
  const auto front = world.spawn<gateway>("front", &sent_along);
  world.run_to_idle();
  tactor::loop_trace recording{world};
  if (!recording.start({})) return false;
  if (const auto from = tactor::trace_context::parse(header)) {
    const tactor::trace_scope scope{*from};
    front.tell(order{3});
  }
  world.run_to_idle();
  return sent_along.starts_with("00-4bf92f3577b34da6a3ce929d0e0e4736-");
}

bool in_a_simulation() {
  tactor::testkit::simulation world;
  const auto store = world.spawn<desk>("store");
  const auto front = world.spawn<desk>("front", store);
  world.run_to_idle();

  tactor::loop_trace recording{world};
  if (!recording.start({})) return false;
  front.tell(order{2});
  world.run_to_idle();
  text trace;
  recording.write(tactor::trace_format::otlp, trace);
  return trace.all.contains("/user/front") && trace.all.contains("parentSpanId");
}

}  // namespace

int main() {
  const bool right = on_threads() && for_another_program() && in_a_simulation();
  std::puts(right ? "ok" : "FAILED");
  return right ? 0 : 1;
}
