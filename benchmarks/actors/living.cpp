// SPDX-License-Identifier: BSL-1.0
// The cost of failing, watching, waiting and suspending: `living WORKLOAD [count]` prints one line
// of JSON. One workload per process. All on one thread, except `resume`, which measures a thread
// that is woken, and `first_message`, which measures the start of a system.
#include "tactor/host/actor_system.hpp"
#include "tactor/host/cooperative_system.hpp"

#include "measuring.hpp"
#include "parts.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <expected>
#include <string_view>

namespace {

using namespace std::chrono_literals;
using tactor::actor_ref;

struct begin {};
struct ball {
  std::uint64_t left;
};
struct serve {
  actor_ref<ball> to;
  std::uint64_t count;
};

/// Whether an actor has a receive timeout, of an hour.
enum class minds_idling : bool { no, yes };

/// Sends the ball back as long as there are hits left.
class player : public tactor::actor<ball, serve> {
  minds_idling minds_;
  actor_ref<ball> other_;

public:
  explicit player(minds_idling minds) : minds_(minds) {}
  void pre_start(context& ctx) {
    if (minds_ == minds_idling::yes) (void)ctx.set_receive_timeout(1h, *this);
  }
  void receive(context&, const serve& s) {
    other_ = s.to;
    if (s.count > 0) s.to.tell(ball{s.count});
  }
  void receive(context&, const ball& b) {
    if (b.left > 1) other_.tell(ball{b.left - 1});
  }
  void receive(context&, const tactor::receive_timeout&) {}
};

struct item {
  std::uint64_t value;
};
struct credit {};

/// Counts, and gives credit after each burst of a hundred.
class consumer : public tactor::actor<item> {
  actor_ref<credit> producer_;
  minds_idling minds_;
  std::uint64_t seen_ = 0;

public:
  consumer(const actor_ref<credit>& producer, minds_idling minds)
      : producer_(producer), minds_(minds) {}
  void pre_start(context& ctx) {
    if (minds_ == minds_idling::yes) (void)ctx.set_receive_timeout(1h, *this);
  }
  void receive(context&, const item&) {
    if (++seen_ % 100 == 0) producer_.tell(credit{});
  }
  void receive(context&, const tactor::receive_timeout&) {}
};

class producer : public tactor::actor<credit> {
  minds_idling minds_;
  std::uint64_t left_;
  actor_ref<item> consumer_;

public:
  producer(minds_idling minds, std::uint64_t bursts) : minds_(minds), left_(bursts) {}
  void pre_start(context& ctx) { consumer_ = ctx.spawn<consumer>("", ctx.self(), minds_); }
  void receive(context&, credit) {
    if (left_ == 0) return;
    --left_;
    for (std::uint64_t i = 0; i < 100; ++i)
      consumer_.tell(item{i});
  }
};

/// Fails with every message.
class failing : public tactor::actor<ball> {
public:
  std::expected<void, tactor::failure> receive(context& ctx, const ball& b) {
    if (b.left > 1) ctx.self().tell(ball{b.left - 1});
    return std::unexpected{tactor::failure{"as always"}};
  }
};

/// Fails with every message, and handles the message.
class steady : public tactor::actor<ball> {
public:
  void receive(context& ctx, const ball& b) {
    if (b.left > 1) ctx.self().tell(ball{b.left - 1});
  }
};

/// Has a child that fails.
class parent : public tactor::actor<serve> {
  actor_ref<ball> child_;

public:
  void receive(context& ctx, const serve& s) {
    child_ = ctx.spawn<failing>({.on_failure = tactor::restart{}});
    child_.tell(ball{s.count});
  }
};

class idler : public tactor::actor<begin> {
public:
  void receive(context& ctx, begin) { ctx.stop(); }
};

/// Repeatedly spawns an actor that stops at once; the next one when it is notified of the end.
class mourner : public tactor::actor<begin> {
  std::uint64_t left_;

public:
  explicit mourner(std::uint64_t count) : left_(count) {}
  void receive(context& ctx, begin) { next(ctx); }
  void receive(context& ctx, const tactor::terminated&) { next(ctx); }

private:
  void next(context& ctx) {
    if (left_-- == 0) return;
    const auto child = ctx.spawn<idler>("");
    (void)ctx.watch(child, *this);
    child.tell(begin{});
  }
};

/// Like the class above without watching: the child sends a message.
class told : public tactor::actor<begin> {
  std::uint64_t left_;

public:
  class child : public tactor::actor<begin> {
    actor_ref<begin> parent_;

  public:
    explicit child(const actor_ref<begin>& parent) : parent_(parent) {}
    void receive(context& ctx, begin) {
      parent_.tell(begin{});
      ctx.stop();
    }
  };
  explicit told(std::uint64_t count) : left_(count) {}
  void receive(context& ctx, begin) {
    if (left_-- == 0) return;
    ctx.spawn<child>("", ctx.self()).tell(begin{});
  }
};

struct stamp {
  std::int64_t sent_ns;
};

/// Suspends itself after each message.
class sleeper : public tactor::actor<stamp> {
  bench::samples* into_;
  bench::gate** handled_;

public:
  sleeper(bench::samples* into, bench::gate** handled) : into_(into), handled_(handled) {}
  void pre_start(context& ctx) { (void)ctx.suspend(); }
  void receive(context& ctx, const stamp& s) {
    into_->add(bench::now_ns() - s.sent_ns);
    (void)ctx.suspend();
    (*handled_)->arrive();
  }
};

// Failures are logged at a limited rate: writing to a terminal is not measured here.
void say_nothing(const tactor::log_record&) noexcept {}

void run_all(tactor::cooperative_system& system) {
  while (system.run_one()) {
  }
}

void begin_work(tactor::cooperative_system& system, std::string_view workload,
                std::uint64_t count) {
  const auto minds = workload.ends_with("_timeout") ? minds_idling::yes : minds_idling::no;
  if (workload.starts_with("ping_pong")) {
    const auto a = system.spawn<player>("", minds);
    const auto b = system.spawn<player>("", minds);
    b.tell(serve{a, 0});
    a.tell(serve{b, count});
  } else if (workload.starts_with("bursts")) {
    system.spawn<producer>("", minds, count / 100).tell(credit{});
  } else if (workload == "steady") {
    system.spawn<steady>("").tell(ball{count});
  } else if (workload == "restart_at_root") {
    system.spawn<failing>({.on_failure = tactor::restart{}}).tell(ball{count});
  } else if (workload == "restart") {
    system.spawn<parent>("").tell(serve{{}, count});
  } else if (workload == "watch") {
    system.spawn<mourner>("", count).tell(begin{});
  } else if (workload == "tell_parent") {
    system.spawn<told>("", count).tell(begin{});
  } else if (!bench::begin_part(system, workload, count)) {
    std::fprintf(stderr, "living: no such workload\n");
    std::exit(2);
  }
}

class greeted : public tactor::actor<begin> {
  bench::gate* handled_;

public:
  explicit greeted(bench::gate* handled) : handled_(handled) {}
  void receive(context&, const begin&) { handled_->arrive(); }
};

int on_one_thread(std::string_view workload, std::uint64_t count) {
  tactor::cooperative_system system{{.log = {.sink = say_nothing}}};
  const std::int64_t start = bench::now_ns();
  const double start_cpu = bench::processor_ns();
  begin_work(system, workload, count);
  run_all(system);
  const double cpu_ns = bench::processor_ns() - start_cpu;
  const double ns = static_cast<double>(bench::now_ns() - start);
  std::printf("{\"workload\": \"%.*s\", \"count\": %llu, \"ns\": %.2f, \"cpu_ns\": %.2f, "
              "\"peak_mb\": %.1f}\n",
              static_cast<int>(workload.size()), workload.data(),
              static_cast<unsigned long long>(count), ns / static_cast<double>(count),
              cpu_ns / static_cast<double>(count), bench::peak_mb());
  return 0;
}

/// From the call of `resume`, by a foreign thread of an idle host, to the handler of the waiting
/// message.
int resume(std::uint64_t count) {
  bench::samples latencies{count};
  bench::gate* handled = nullptr;
  tactor::actor_system system;
  const auto who = system.spawn<sleeper>("sleeper", &latencies, &handled);
  for (std::uint64_t i = 0; i < count; ++i) {
    bench::gate one{1};
    handled = &one;
    bench::pass(bench::gap::sleeps, 200us);  // so that all workers sleep
    who.tell(stamp{bench::now_ns()});
    (void)system.resume(who);
    one.wait();
  }
  (void)system.shutdown();
  bench::print({.workload = "resume", .count = count, .workers = 0}, latencies.quantiles());
  return 0;
}

/// From before the system is made to the first handler: once, because only a process's first start
/// counts.
int first_message() {
  bench::gate handled{1};
  const std::int64_t start = bench::now_ns();
  tactor::actor_system system;
  system.spawn<greeted>("greeted", &handled).tell(begin{});
  handled.wait();
  const std::int64_t ns = bench::now_ns() - start;
  (void)system.shutdown();
  std::printf("{\"workload\": \"first_message\", \"count\": 1, \"ns\": %lld}\n",
              static_cast<long long>(ns));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(
        stderr,
        "living ping_pong[_timeout]|bursts[_timeout]|steady|restart|restart_at_root|watch|"
        "tell_parent|stashed|not_stashed|keyed_timer[_alone]|routed|direct|resume|first_message "
        "[count]\n");
    return 2;
  }
  const std::string_view workload{argv[1]};
  const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1'000'000;
  if (workload == "first_message") return first_message();
  return workload == "resume" ? resume(count) : on_one_thread(workload, count);
}
