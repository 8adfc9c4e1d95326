// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/actor.hpp"

#include <string>

struct quote {
  std::string item;
  using reply = int;  // a message says what it is answered with
};
struct order {
  std::string item;
  using reply = int;
};

/// Knows what things cost: the value it returns is the answer.
class pricing : public tactor::actor<quote> {
public:
  int receive(context&, const quote& q) { return static_cast<int>(q.item.size()); }
};

/// Takes orders, and leaves the answer to whoever knows the price.
class shop : public tactor::actor<order> {
public:
  explicit shop(tactor::actor_ref<quote> prices) : prices_(prices) {}
  tactor::delegated<int> receive(context& ctx, const order& o) {
    return ctx.forward(prices_, quote{o.item});
  }

private:
  tactor::actor_ref<quote> prices_;
};
