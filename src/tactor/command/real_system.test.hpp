// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/actor.hpp"
#include "tactor/base/text_writer.hpp"
#include "tactor/host.hpp"
#include "tactor/observe.hpp"
#include "tactor/timers.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <thread>

namespace command {

struct job {};

class desk : public tactor::actor<job> {
public:
  void receive(context& /*ctx*/, const job& /*unused*/) {}
};
class frail : public tactor::actor<job> {
public:
  std::expected<void, tactor::failure> receive(context& /*ctx*/, const job& /*unused*/) {
    return std::unexpected{tactor::failure{"no paper"}};
  }
};
class parent : public tactor::actor<job> {
public:
  void pre_start(context& ctx) {
    (void)ctx.spawn<desk>("child-a");
    (void)ctx.spawn<desk>("child-b");
  }
  void receive(context& /*ctx*/, const job& /*unused*/) {}
};

/// A system with a tree of actors, one of them suspended, a timer, a failure and a dead letter.
class real_system {
public:
  real_system() {
    const auto suspended = system_.spawn<desk>("desk");
    (void)system_.spawn<parent>("parent");
    const auto failing = system_.spawn<frail>("frail");
    (void)system_.schedule_once(std::chrono::hours{1}, suspended, job{});
    (void)system_.suspend(suspended);
    failing.tell(job{});
    // Not by looking for the failure: an incident that comes while another thread reads them is
    // only counted.
    while (system_.find<job>("frail"))
      std::this_thread::yield();
    wait_for("failures", "no paper");
    wait_for("system", R"("actors":4,)");
    failing.tell(job{});
    wait_for("dead_letters", "/user/frail");
    wait_for("actors", R"("suspended_for_ns":)");
    while (part("actor", "/user/desk").contains(R"("suspended_for_ns":null)"))
      std::this_thread::yield();
  }
  real_system(const real_system&) = delete;
  real_system& operator=(const real_system&) = delete;
  ~real_system() { system_.force_stop(); }

  /// A part of its snapshot.
  [[nodiscard]] std::string part(std::string_view name, std::string_view path = {}) const {
    constexpr std::array names{"system", "actors",       "actor",    "tree",     "workers",
                               "timers", "dead_letters", "failures", "warnings", "shutdown"};
    struct text final : tactor::text_sink {
      void write(std::string_view piece) noexcept override { all += piece; }
      std::string all;
    } to;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name)
        system_.write_snapshot({.part = static_cast<tactor::snapshot_part>(i), .path = path}, to);
    return to.all;
  }

  [[nodiscard]] const tactor::actor_system& system() const noexcept { return system_; }
  /// Waits until a part of its snapshot has the text.
  void wait_for(std::string_view name, std::string_view text) const {
    while (!part(name).contains(text))
      std::this_thread::yield();
  }

private:
  tactor::actor_system system_{{.name = "shop", .workers = 1}};
};

}  // namespace command
