// SPDX-License-Identifier: BSL-1.0
// The code of docs/guide/14-middleware.md; check_snippets.py compares the two.
#include "tactor/actor.hpp"
#include "tactor/testkit.hpp"

#include "expect.hpp"

#include <chrono>
#include <expected>
#include <string_view>

using namespace std::chrono_literals;
using tactor::testkit::seed;
using tactor::testkit::simulation;

namespace {

struct transfer {
  int amount;
};

/// Counts failures, drops transfers of 0, and holds all messages at night.
class audit final : public tactor::middleware {
public:
  tactor::invoke_decision before_invoke(const tactor::invocation& next) noexcept override {
    const transfer* const t = next.message<transfer>();
    if (t != nullptr && t->amount == 0) return {.what = tactor::invoke_decision::kind::drop};
    if (is_night)
      return {.what = tactor::invoke_decision::kind::hold,
              .reason = tactor::suspend_reason::rate_limit,
              .until = tactor::resume_after(1h)};
    return {};
  }
  void after_invoke(const tactor::invocation&, tactor::invoke_outcome how) noexcept override {
    failed += how == tactor::invoke_outcome::failed ? 1 : 0;
    ++handled;
  }

  bool is_night = false;
  int handled = 0;
  int failed = 0;
};

class account : public tactor::actor<transfer> {
public:
  void receive(context&, const transfer&) {}
};

void around_handlers() {
  audit books;
  tactor::middleware* const all[] = {&books};
  const tactor::middleware_chain chain{all};
  simulation world;
  const auto who = world.spawn<account>({.name = "account", .middleware = &chain});
  who.tell(transfer{10});
  who.tell(transfer{0});
  world.run_to_idle();
  expect(books.handled == 1, "one was handled, one dropped");
  books.is_night = true;
  who.tell(transfer{20});
  world.run_for(30min);
  books.is_night = false;
  expect(books.handled == 1, "it waits");
  world.run_for(30min);
  expect(books.handled == 2, "it was handled in the morning");
}

/// No actor of this system has an unbounded mailbox.
class bounds final : public tactor::spawn_middleware {
public:
  std::expected<void, tactor::spawn_error>
  before_spawn(tactor::spawn_options& options, std::string_view,
               const tactor::actor_ref<>&) noexcept override {
    if (options.mailbox.capacity == tactor::mailbox_options::unbounded)
      options.mailbox = tactor::mailbox_presets::bounded(1000);
    return {};
  }
};

void around_spawning() {
  bounds rule;
  tactor::spawn_middleware* const rules[] = {&rule};
  simulation world{seed{1}, {.spawn_middleware = rules}};
  const auto who = world.spawn<account>("account");
  int refused = 0;
  for (int each = 0; each < 1001; ++each)
    refused += who.tell(transfer{1}) == tactor::tell_result::full ? 1 : 0;
  expect(refused == 1, "the mailbox is bounded");
}

}  // namespace

int main() {
  around_handlers();
  around_spawning();
  return failures == 0 ? 0 : 1;
}
