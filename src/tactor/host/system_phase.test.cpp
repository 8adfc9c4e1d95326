// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/observe/log_record.hpp"
#include "tactor/host/actor_system.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace tactor {
namespace {

void say_nothing(const log_record& /*what*/) noexcept {}

struct ignored {};

class leaves_a_note : public actor<ignored> {
public:
  explicit leaves_a_note(int* where) : where_(where) {}
  void receive(context&, ignored) {}
  void post_stop(context&) { *where_ = 7; }

private:
  int* where_;
};

// The note is no atomic: ThreadSanitizer reports a phase that does not publish the end of the
// actors.
// spec: D4
TEST(system_phase, a_thread_that_sees_the_end_sees_what_the_actors_did) {
  int note = 0;
  actor_system system{{.workers = 1, .log = {.sink = say_nothing}}};
  (void)system.spawn<leaves_a_note>("actor", &note);
  system.force_stop();
  while (system.phase() != system_phase::stopped)
    std::this_thread::yield();
  EXPECT_EQ(note, 7);
}

}  // namespace
}  // namespace tactor
