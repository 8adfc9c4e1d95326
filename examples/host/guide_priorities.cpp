// SPDX-License-Identifier: BSL-1.0
// The code of docs/guide/15-priorities.md; check_snippets.py compares them.
#include "tactor/testkit.hpp"

#include "expect.hpp"

#include <string>
#include <vector>

using tactor::testkit::simulation;

namespace {

struct report {  // has no priority: 100
  std::string about;
};
struct alarm {
  static constexpr int priority = 10;  // of all messages of this type
  std::string about;
};
struct task {
  std::string about;
  int priority = 50;  // of this message
};
struct stop_machine {
  using control_message = void;  // before all others
};

class control_room : public tactor::actor<report, alarm, task, stop_machine> {
public:
  explicit control_room(std::vector<std::string>* log) : log_(log) {}
  void receive(context&, const report& r) { log_->push_back(r.about); }
  void receive(context&, const alarm& a) { log_->push_back(a.about); }
  void receive(context&, const task& t) { log_->push_back(t.about); }
  void receive(context&, stop_machine) { log_->push_back("stop"); }

private:
  std::vector<std::string>* log_;
};

void by_urgency() {
  std::vector<std::string> log;
  simulation world;
  const auto room = world.spawn<control_room>(
      {.name = "room", .mailbox = tactor::mailbox_presets::prioritized}, &log);
  world.run_to_idle();
  room.tell(report{"shift"});
  room.tell(task{.about = "oil", .priority = 70});
  room.tell(alarm{"smoke"});
  room.tell(alarm{"heat"});
  room.tell(stop_machine{});
  world.run_to_idle();
  expect(log == std::vector<std::string>{"stop", "smoke", "heat", "oil", "shift"},
         "the most urgent first, and equals as they came");
}

void bounded() {
  std::vector<std::string> log;
  simulation world;
  const auto room =
      world.spawn<control_room>({.mailbox = {.capacity = 2,
                                             .overflow = tactor::overflow_strategy::drop_oldest,
                                             .order = tactor::mailbox_order::priority}},
                                &log);
  world.run_to_idle();
  room.tell(report{"shift"});
  room.tell(report{"weather"});
  room.tell(alarm{"smoke"});  // "shift" is the older one of the least urgent
  room.tell(stop_machine{});  // does not count
  world.run_to_idle();
  expect(log == std::vector<std::string>{"stop", "smoke", "weather"}, "the alarm fits");
}

}  // namespace

int main() {
  by_urgency();
  bounded();
  return failures == 0 ? 0 : 1;
}
