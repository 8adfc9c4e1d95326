// SPDX-License-Identifier: BSL-1.0
#include "tactor/patterns/worker_messages.hpp"

#include "tactor/port/port.hpp"

#include "scenario.hpp"
#include <gtest/gtest.h>

// A router that ends while its messages end elsewhere: the last of them destroys the count.
namespace tactor::model {
namespace {

using patterns::internal::worker_messages;
using tactor::internal::message_end;

struct a_router_ends_before_its_message {
  static constexpr unsigned threads = 2;
  worker_messages* messages = nullptr;
  port::atomic<bool> sent;
  bool taken = false;

  void before() { messages = new worker_messages; }
  void thread(unsigned index) {
    if (index == 1) {
      taken = sent.load(acquire);  // pairs: worker_messages_model.sent
      if (taken) messages->ended(message_end::handled);
      return;
    }
    messages->began();
    sent.store(true, release);  // pairs: worker_messages_model.sent
    messages->began();
    messages->ended(message_end::lost);
    const auto waiting = messages->waiting();
    require(waiting <= 1, "a message waits twice");
    require(waiting == 1 || messages->handled() == 1,
            "a message that does not wait was not handled");
    messages->close();
  }
  void after() {
    if (!taken) messages->ended(message_end::lost);
  }
};

// spec: A7 K3
TEST(worker_messages_model, the_last_of_router_and_messages_destroys_the_count) {
  EXPECT_TRUE(passes(explore<a_router_ends_before_its_message>()));
}

}  // namespace
}  // namespace tactor::model
