// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/actor.hpp"

#include <string>

struct quote {
  std::string item;
  using reply = int;  // the type of the reply
};
struct order {
  std::string item;
  using reply = int;
};

/// Knows prices: the value that a handler returns is the reply.
class pricing : public tactor::actor<quote> {
public:
  int receive(context&, const quote& q) { return static_cast<int>(q.item.size()); }
};

/// Takes orders, and forwards the request to the actor that knows the price.
class shop : public tactor::actor<order> {
public:
  explicit shop(tactor::actor_ref<quote> prices) : prices_(prices) {}
  tactor::delegated<int> receive(context& ctx, const order& o) {
    return ctx.forward(prices_, quote{o.item});
  }

private:
  tactor::actor_ref<quote> prices_;
};
