// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/definition/decide_by.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/life/death_watch.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/supervision.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/threw.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

// Parts of the tests of supervision: one suite runs in the simulation and on threads, with
// failures that are thrown and failures that are returned.
namespace tactor::supervising {

using namespace tactor::internal;

using namespace std::chrono_literals;

// The ways in which an actor fails.

/// The exception of these tests; each code is a type of its own, since deciders see types.
template <int Code>
struct coded_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct thrown {
  static std::expected<void, failure> fail(const char* text, int code = 0) {
    switch (code) {
    case 1:
      throw coded_error<1>(text);
    case 2:
      throw coded_error<2>(text);
    case 3:
      throw coded_error<3>(text);
    default:
      throw std::runtime_error(text);
    }
  }
};
struct returned {
  static std::expected<void, failure> fail(const char* text, int code = 0) {
    return std::unexpected{failure{text, code}};
  }
};
/// Which kind of failure that was, in both ways.
inline int kind_of(const failure& why) {
  if (threw<coded_error<1>>(why)) return 1;
  if (threw<coded_error<2>>(why)) return 2;
  if (threw<coded_error<3>>(why)) return 3;
  return why.code();
}

// Actors that write down what happens.

class journal {
public:
  void add(std::string_view who, std::string_view what) {
    const std::scoped_lock lock{mutex_};
    entries_.push_back(std::string{who} + ' ' + std::string{what});
  }
  [[nodiscard]] std::size_t count(std::string_view entry) const {
    const std::scoped_lock lock{mutex_};
    return static_cast<std::size_t>(std::ranges::count(entries_, entry));
  }
  /// The steps of one actor, each with a blank behind it.
  [[nodiscard]] std::string of(std::string_view who) const {
    const std::scoped_lock lock{mutex_};
    std::string all;
    for (const std::string& each : entries_)
      if (each.starts_with(std::string{who} + ' ')) all += each.substr(who.size() + 1) + ' ';
    return all;
  }
  /// The position of the n-th such entry, counted from 1; 0: there is none.
  [[nodiscard]] std::size_t place(std::string_view entry, int nth = 1) const {
    const std::scoped_lock lock{mutex_};
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (entries_[i] == entry && --nth == 0) return i + 1;
    return 0;
  }

private:
  mutable std::mutex mutex_;
  std::vector<std::string> entries_;
};

/// Records what is known of one actor over all its lives, and where it has to fail. Set before it
/// is spawned.
struct subject {
  subject(journal& in, std::string called) : book(in), name(std::move(called)) {}

  journal& book;
  std::string name;
  int bad_constructors = 0;  // so many fail, the first ones
  int bad_starts = 0;
  int bad_restarts = 0;
  bool bad_pre_restart = false;
  bool bad_stop = false;
  bool bad_terminated = false;
  /// Done in `pre_start`, `post_restart`, `pre_restart`.
  std::function<void(context&)> at_start;
  std::function<void(context&)> at_pre_restart;

  std::atomic<int> made = 0;
  std::atomic<int> gone = 0;
  std::atomic<int> starts = 0;
  std::atomic<int> restarts = 0;

  void note(std::string_view what) const { book.add(name, what); }
};
using subject_ptr = std::shared_ptr<subject>;

// Messages of the actors.

struct ping {
  using reply = int;  // how many this instance has got
  int number = 0;
};
/// Whatever the test likes.
struct act {
  std::function<std::expected<void, failure>(context&)> what;
};
struct watch_it {
  actor_ref<> whom;
};
struct fail_asked {
  using reply = int;
  int code = 0;
};

/// An actor with `pre_start` and `post_stop`, and the defaults of the others.
template <class Way>
class plain : public actor<ping, act, watch_it, fail_asked> {
public:
  explicit plain(const subject_ptr& is) : is_(is) {
    is_->note("made");
    const int instance = ++is_->made;
    if (instance <= is_->bad_constructors) throw std::runtime_error("constructor");
  }
  plain(const plain&) = delete;
  plain& operator=(const plain&) = delete;
  ~plain() {
    is_->note("gone");
    ++is_->gone;
  }

  std::expected<void, failure> pre_start(context& ctx) {
    is_->note("start");
    const int instance = ++is_->starts;
    if (is_->at_start) is_->at_start(ctx);
    if (instance <= is_->bad_starts) return Way::fail("pre_start");
    return {};
  }
  std::expected<void, failure> post_stop(context& /*ctx*/) {
    is_->note("stop");
    if (is_->bad_stop) return Way::fail("post_stop");
    return {};
  }
  int receive(context& /*ctx*/, ping p) {
    is_->note("ping" + (p.number == 0 ? "" : std::to_string(p.number)));
    return ++pings_;
  }
  std::expected<void, failure> receive(context& ctx, const act& a) { return a.what(ctx); }
  void receive(context& ctx, const watch_it& w) { (void)ctx.watch(w.whom, *this); }
  std::expected<void, failure> receive(context& /*ctx*/, const terminated& /*told*/) {
    is_->note("terminated");
    if (is_->bad_terminated) return Way::fail("terminated");
    return {};
  }
  void receive(context& /*ctx*/, const receive_timeout& /*told*/) {}
  std::expected<int, failure> receive(context& /*ctx*/, fail_asked f) {
    is_->note("asked");
    if (auto said = Way::fail("asked", f.code); !said) return std::unexpected{said.error()};
    return 0;
  }

protected:
  subject_ptr is_;

private:
  int pings_ = 0;
};

/// `plain` with its own hooks for restarts.
template <class Way>
class hooked : public plain<Way> {
public:
  using plain<Way>::plain;

  std::expected<void, failure> pre_restart(context& ctx, const failure& because) {
    this->is_->note("pre_restart:" + std::string{because.text()});
    if (this->is_->at_pre_restart) this->is_->at_pre_restart(ctx);
    if (this->is_->bad_pre_restart) return Way::fail("pre_restart");
    return {};
  }
  std::expected<void, failure> post_restart(context& ctx, const failure& because) {
    this->is_->note("post_restart:" + std::string{because.text()});
    const int instance = ++this->is_->restarts;
    if (this->is_->at_start) this->is_->at_start(ctx);
    if (instance <= this->is_->bad_restarts) return Way::fail("post_restart");
    return {};
  }
};

using subject_ref = actor_ref<ping, act, watch_it, fail_asked>;

/// A message with which an actor fails.
template <class Way>
act die(int code = 0, const char* text = "died") {
  return {[=](context&) { return Way::fail(text, code); }};
}

// The worlds in which they run.

inline void say_nothing(const log_record& /*what*/) noexcept {}

/// The simulation: each round is another seed.
struct simulated {
  static constexpr int rounds = 40;

  explicit simulated(int round)
      : system(testkit::seed{static_cast<std::uint64_t>(round)}, {.log = {.sink = say_nothing}}) {}

  template <class Done>
  bool eventually(Done done) {
    return system.run_until(done);
  }
  /// Lets a little happen.
  void pass_turns(int turns) {
    for (int i = 0; i < turns; ++i)
      (void)system.run_one();
  }
  void stop_all() {
    system.begin_stop();
    system.run_to_idle();
  }

  testkit::simulation system;
};

/// Worker threads.
struct threaded {
  static constexpr int rounds = 4;

  explicit threaded(int /*round*/) : system({.workers = 3, .log = {.sink = say_nothing}}) {}

  template <class Done>
  bool eventually(Done done) {
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (!done()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::yield();
    }
    return true;
  }
  void pass_turns(int turns) {
    for (int i = 0; i < turns; ++i)
      std::this_thread::yield();
  }
  void stop_all() {
    system.force_stop();
    (void)system.shutdown(20s);
  }

  actor_system system;
};

}  // namespace tactor::supervising
