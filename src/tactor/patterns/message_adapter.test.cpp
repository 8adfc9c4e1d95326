// SPDX-License-Identifier: BSL-1.0
#include "tactor/patterns/message_adapter.hpp"

#include "tactor/testkit.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <vector>

namespace tactor::patterns {
namespace {

using namespace std::chrono_literals;
using testkit::simulation;

struct invoice {
  int amount = 0;
};
struct question {
  using reply = int;
};
struct due {
  int amount = 0;
};
struct own_question {
  using reply = int;
};
struct hand_out {
  actor_ref<invoice>* bills;
  actor_ref<question>* questions;
};

class payer : public actor<due, own_question, hand_out> {
public:
  explicit payer(std::vector<int>* paid) : paid_(paid) {}
  void receive(context& ctx, const due& d) {
    paid_->push_back(d.amount);
    sender = ctx.sender();
  }
  int receive(context&, own_question) { return 42; }
  void receive(context& ctx, const hand_out& h) {
    *h.bills = adapt<invoice>(ctx, [](const invoice& i) {
      if (i.amount < 0) throw std::invalid_argument{"no amount"};
      return due{i.amount * 2};
    });
    *h.questions = adapt<question>(ctx, [](const question&) { return own_question{}; });
  }
  inline static actor_ref<> sender;

private:
  std::vector<int>* paid_;
};

// spec: A7
TEST(message_adapter, goes_on_after_a_message_that_cannot_be_converted) {
  std::vector<int> paid;
  actor_ref<invoice> bills;
  actor_ref<question> questions;
  simulation world;
  const auto who = world.spawn<payer>("payer", &paid);
  who.tell(hand_out{&bills, &questions});
  (void)world.run_to_idle();
  for (const int amount : {1, -1, 2})
    bills.tell(invoice{amount});
  (void)world.run_to_idle();
  EXPECT_EQ(paid, (std::vector{2, 4}));
}

TEST(message_adapter, converts_and_keeps_sender_and_obligation) {
  std::vector<int> paid;
  actor_ref<invoice> bills;
  actor_ref<question> questions;
  simulation world;
  const auto who = world.spawn<payer>("payer", &paid);
  who.tell(hand_out{&bills, &questions});
  (void)world.run_to_idle();
  const auto shop =
      world.spawn("shop", [&bills](context&, const invoice& i) { bills.tell(invoice{i}); });
  shop.tell(invoice{21});
  (void)world.run_to_idle();
  EXPECT_EQ(paid, (std::vector{42}));
  EXPECT_EQ(payer::sender, actor_ref<>{shop});
  EXPECT_EQ(world.ask(questions, question{}, 1s).get(), 42);
  world.stop(who);
  (void)world.run_to_idle();
  EXPECT_EQ(bills.tell(invoice{}), tell_result::closed);
}

}  // namespace
}  // namespace tactor::patterns
