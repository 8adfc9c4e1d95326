// SPDX-License-Identifier: BSL-1.0
// The code of docs/guide/06-threads-and-shutdown.md; check_snippets.py compares the two.
#include "tactor/host.hpp"

#include "expect.hpp"
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <latch>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

std::string thread_name() {
  char name[16] = {};
  (void)::pthread_getname_np(::pthread_self(), name, sizeof name);
  return name;
}

struct where {
  using reply = std::string;
};
struct line {
  int number;
};

/// Says which thread runs it.
class guide : public tactor::actor<where> {
public:
  std::string receive(context&, where) { return thread_name(); }
};

void dispatchers() {
  tactor::actor_system system{{.workers = 2, .dispatchers = {.blocking_threads = 4}}};

  const auto quick = system.spawn<guide>("quick");
  const auto slow =
      system.spawn<guide>({.name = "slow", .dispatcher = tactor::dispatcher::blocking});
  const auto own = system.spawn<guide>({.name = "own", .dispatcher = tactor::dispatcher::pinned});

  const auto runs = [&](const auto& whom, std::string_view prefix) {
    const auto said = system.ask(whom, where{}, 1s).get();
    return said && said->starts_with(prefix);
  };
  expect(runs(quick, "tactor-worker-"), "an actor runs on the pool");
  expect(runs(slow, "tactor-block-"), "unless it may block");
  expect(runs(own, "tactor-pin-"), "or has a thread of its own");
}

void resizing() {
  tactor::actor_system system{{.workers = 2}};
  if (const auto done = system.resize(4); !done) std::puts(to_text(done.error()));
  const auto adapts = system.adapt({.least = 1, .most = 8});
  expect(adapts.has_value(), "the number of workers changes by itself");
  expect(system.resize(0).error() == tactor::resize_error::zero_workers, "one worker is needed");
}

void callables() {
  std::latch done{1};
  std::string by;
  tactor::actor_system system;
  const auto backup = system.timers().schedule_once(
      10ms,
      [&] {
        by = thread_name();
        done.count_down();
      },
      {.dispatcher = &system.callables(tactor::dispatcher::blocking)});
  if (backup) done.wait();
  expect(by.starts_with("tactor-block-"), "a timer's callable may block there, too");
}

void foreign_threads() {
  int sum = 0;
  tactor::actor_system system;
  const auto adder = system.spawn("adder", [&](tactor::context&, line l) { sum += l.number; });
  {
    std::array<std::jthread, 4> readers;
    for (std::jthread& each : readers)
      each = std::jthread{[adder] {
        for (int i = 1; i <= 100; ++i)
          adder.tell(line{i});
      }};
  }
  system.shutdown();
  expect(sum == 4 * 5050, "one message at a time, from all threads");
}

void waiting_for_room() {
  std::latch stuck{1};
  std::latch go_on{1};
  std::vector<int> written;
  auto write = [&](line l) {
    if (l.number == 0) {
      stuck.count_down();
      go_on.wait();
    }
    written.push_back(l.number);
  };
  tactor::actor_system system{{.workers = 1}};
  const auto disk = system.spawn({.name = "disk",
                                  .mailbox = {.capacity = 2,
                                              .overflow = tactor::overflow_strategy::block_producer,
                                              .push_timeout_ms = 500},
                                  .dispatcher = tactor::dispatcher::blocking},
                                 [&](tactor::context&, line l) { write(l); });
  disk.tell(line{0});
  stuck.wait();
  disk.tell(line{1});
  disk.tell(line{2});
  const auto result = disk.tell(line{3});  // waits half a second, then gives up
  expect(result == tactor::tell_result::full, "no capacity in time: a dead letter");
  expect(!disk.try_tell(line{4}), "try_tell does not wait: the message comes back");
  go_on.count_down();
  for (int i = 5; i < 100; ++i)
    if (disk.tell(line{i}) != tactor::tell_result::ok) ++failures;  // waits while it is full
  system.shutdown();
  expect(written.size() == 3 + 95, "no message was lost that found capacity in time");
}

struct chapter {
  int number;
};

/// A message that it sends to its children in its last turns still arrives: they drain after it.
class editor : public tactor::actor<chapter> {
public:
  editor(std::vector<int>* printed, std::latch* begun) : printed_(printed), begun_(begun) {}

  void pre_start(context& ctx) {
    printer_ = ctx.spawn("printer", [printed = printed_](tactor::context&, line l) {
      printed->push_back(l.number);
    });
    begun_->count_down();
  }
  void receive(context&, chapter c) { printer_.tell(line{c.number}); }

private:
  std::vector<int>* printed_;
  std::latch* begun_;
  tactor::actor_ref<line> printer_;
};

void draining() {
  std::vector<int> printed;
  tactor::actor_system system;
  std::latch begun{1};
  const auto boss = system.spawn<editor>("editor", &printed, &begun);
  begun.wait();  // a system that shuts down spawns no printer any more
  for (int i = 1; i <= 1000; ++i)
    boss.tell(chapter{i});
  const tactor::shutdown_report report = system.shutdown(2s);
  expect(report.complete && printed.size() == 1000, "parents first: what they hand on arrives");
  expect(boss.tell(chapter{1}) == tactor::tell_result::closed, "what comes later does not");
}

void report(const tactor::shutdown_report& end) {
  if (end.messages.all_lost() != 0)
    std::printf("%llu messages were lost\n",
                static_cast<unsigned long long>(end.messages.all_lost()));
  if (end.complete) return;
  std::printf("not all ended in time; %zu actors are left\n", end.left);
  for (const tactor::late_actor& each : end.late()) {
    const std::string path{each.path.view()};
    const std::string type{each.message_type};
    if (each.suspended)
      std::printf("%s is suspended\n", path.c_str());
    else
      std::printf("%s is busy with %s, for %lld ms at least\n", path.c_str(), type.c_str(),
                  static_cast<long long>(each.busy.nanoseconds() / 1'000'000));
  }
}

void being_late() {
  std::latch begun{1};
  std::latch go_on{1};
  std::latch ended{1};
  {
    tactor::actor_system system;
    const auto stubborn = system.spawn("stubborn", [&](tactor::context&, line) {
      begun.count_down();
      go_on.wait();
      ended.count_down();
    });
    stubborn.tell(line{1});
    begun.wait();
    const tactor::shutdown_report end = system.shutdown(50ms);
    report(end);
    expect(!end.complete && end.left == 1 && end.late().size() == 1, "one actor is late");
    expect(end.late()[0].path.view() == "/user/stubborn", "and the report names it");
  }
  go_on.count_down();  // the system is gone; the handler goes on, then its thread ends
  ended.wait();
}

void forcing() {
  std::latch begun{1};
  std::latch go_on{1};
  int handled = 0;
  tactor::actor_system system{{.workers = 1}};
  const auto slow = system.spawn("slow", [&](tactor::context&, line) {
    if (handled++ == 0) {
      begun.count_down();
      go_on.wait();
    }
  });
  for (int i = 0; i < 10; ++i)
    slow.tell(line{i});
  begun.wait();
  system.force_stop();  // what is queued becomes dead letters
  go_on.count_down();
  system.shutdown();
  expect(handled == 1 && system.metrics().all_dead_letters() == 9, "the other nine were not");
}

struct enough {};

void from_inside() {
  std::latch begun{1};
  tactor::actor_system system;
  const auto last = system.spawn("last", [&](tactor::context&, enough) {
    (void)system.shutdown();  // begins the shutdown, and returns at once
    begun.count_down();
  });
  last.tell(enough{});
  begun.wait();
  expect(system.shutdown().complete, "from outside it returns when it is over");
}

/// Plays the user who presses Ctrl-C, as soon as the program waits for it.
void press_ctrl_c() {
  struct sigaction now{};
  do {
    std::this_thread::yield();
    (void)::sigaction(SIGINT, nullptr, &now);
  } while (now.sa_handler == SIG_DFL);
  (void)::kill(::getpid(), SIGINT);
}

void server() {
  const std::jthread user{press_ctrl_c};
  tactor::actor_system system;
  system.spawn<guide>("guide");
  const auto end = system.run_until_interrupted(2s);  // Ctrl-C, or SIGTERM
  expect(end.complete && end.signal == SIGINT, "stopped by a signal");
}

void server_with_an_end_of_its_own() {
  const std::jthread user{press_ctrl_c};
  bool listens = true;
  tactor::actor_system system;
  system.spawn<guide>("guide");
  const int signal = system.wait_for_interrupt();  // the system goes on
  listens = false;                                 // the program's own steps: close sockets
  system.stop_accepting();                         // returns at once
  const auto end = system.shutdown(2s);            // finishes, then stops
  expect(end.complete && signal == SIGINT && !listens, "in phases");
}

}  // namespace

int main() {
  dispatchers();
  resizing();
  callables();
  foreign_threads();
  waiting_for_room();
  draining();
  being_late();
  forcing();
  from_inside();
  server();
  server_with_an_end_of_its_own();
  return failures == 0 ? 0 : 1;
}
