// SPDX-License-Identifier: BSL-1.0
// Messages between actors on one thread: `one_thread WORKLOAD [messages]` prints one line of JSON.
// One workload per process, so that its peak memory is its own.
#include "tactor/host/cooperative_system.hpp"
#include "tactor/testkit/simulation.hpp"

#include "measuring.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace {

using tactor::actor_ref;

struct ball {
  std::uint64_t left;
};
struct serve {
  actor_ref<ball> to;
  std::uint64_t count;
};

/// Sends the ball back as long as there are hits left.
class player : public tactor::actor<ball, serve> {
  actor_ref<ball> other_;

public:
  void receive(context&, const serve& s) {
    other_ = s.to;
    if (s.count > 0) s.to.tell(ball{s.count});
  }
  void receive(context&, const ball& b) {
    if (b.left > 1) other_.tell(ball{b.left - 1});
  }
};

struct item {
  std::uint64_t value;
};
struct credit {};

/// Counts, and gives credit after each burst.
class consumer : public tactor::actor<item> {
  actor_ref<credit> producer_;
  std::uint64_t burst_;
  std::uint64_t seen_ = 0;

public:
  consumer(const actor_ref<credit>& producer, std::uint64_t burst)
      : producer_(producer), burst_(burst) {}
  void receive(context&, const item&) {
    if (++seen_ % burst_ == 0) producer_.tell(credit{});
  }
};

/// Sends bursts as long as there are any left.
class producer : public tactor::actor<credit> {
  actor_ref<item> consumer_;
  std::uint64_t burst_;
  std::uint64_t left_;

public:
  producer(std::uint64_t burst, std::uint64_t bursts) : burst_(burst), left_(bursts) {}
  void pre_start(context& ctx) { consumer_ = ctx.spawn<consumer>("", ctx.self(), burst_); }
  void receive(context&, credit) {
    if (left_ == 0) return;
    --left_;
    for (std::uint64_t i = 0; i < burst_; ++i)
      consumer_.tell(item{i});
  }
};

struct hop {
  std::uint32_t left;
};
struct start_hops {
  const std::vector<actor_ref<hop>>* all;
};

/// Sends each message on to a random other actor.
class hopper : public tactor::actor<hop> {
  const std::vector<actor_ref<hop>>* all_;
  std::uint64_t state_;

public:
  hopper(const std::vector<actor_ref<hop>>* all, std::uint64_t seed) : all_(all), state_(seed) {}
  void receive(context&, const hop& h) {
    if (h.left <= 1) return;
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    (*all_)[state_ % all_->size()].tell(hop{h.left - 1});
  }
};

/// Stops after its message.
class mayfly : public tactor::actor<ball> {
public:
  void receive(context& ctx, const ball&) { ctx.stop(); }
};
struct breed {
  std::uint64_t count;
};
/// Spawns one child after the other.
class breeder : public tactor::actor<breed> {
public:
  void receive(context& ctx, const breed& b) {
    ctx.spawn<mayfly>("").tell(ball{1});
    if (b.count > 1) ctx.self().tell(breed{b.count - 1});
  }
};
class idler : public tactor::actor<ball> {
public:
  void receive(context&, const ball&) {}
};

template <class World>
void run_all(World& world) {
  while (world.run_one()) {
  }
}
void run_all(tactor::cooperative_system& system) {
  (void)system.poll();
}

template <class World>
std::uint64_t ping_pong(World& world, std::uint64_t count) {
  auto ping = world.template spawn<player>("ping");
  auto pong = world.template spawn<player>("pong");
  ping.tell(serve{.to = pong, .count = 0});
  pong.tell(serve{.to = ping, .count = count});
  return count;
}
template <class World>
std::uint64_t ring(World& world, std::uint64_t count) {
  constexpr std::size_t size = 1000;
  std::vector<actor_ref<ball, serve>> all;
  all.reserve(size);
  for (std::size_t i = 0; i < size; ++i)
    all.push_back(world.template spawn<player>(""));
  for (std::size_t i = 0; i < size; ++i)
    all[i].tell(serve{.to = all[(i + 1) % size], .count = i == 0 ? count : 0});
  return count;
}
template <class World>
std::uint64_t bursts(World& world, std::uint64_t count, std::uint64_t burst) {
  auto from = world.template spawn<producer>("producer", burst, count / burst);
  from.tell(credit{});
  return count;
}
std::vector<actor_ref<hop>> hoppers;
template <class World>
std::uint64_t random_sends(World& world, std::uint64_t count) {
  constexpr std::size_t size = 10'000;
  for (std::size_t i = 0; i < size; ++i)
    hoppers.push_back(world.template spawn<hopper>("", &hoppers, std::uint64_t{i * 7919 + 1}));
  run_all(world);
  const auto each = static_cast<std::uint32_t>(count / size);
  for (const auto& h : hoppers)
    h.tell(hop{each});
  return std::uint64_t{each} * size;
}
template <class World>
std::uint64_t spawn_stop(World& world, std::uint64_t count) {
  auto mother = world.template spawn<breeder>("mother");
  mother.tell(breed{count});
  return count;
}

template <class World>
int measure(World& world, std::string_view workload, std::uint64_t count) {
  const auto began = std::chrono::steady_clock::now();
  std::uint64_t done = 0;
  if (workload == "ping_pong") done = ping_pong(world, count);
  if (workload == "ring") done = ring(world, count);
  if (workload == "bursts") done = bursts(world, count, 100);
  if (workload == "one_burst") done = bursts(world, count, count);
  if (workload == "random") done = random_sends(world, count);
  if (workload == "spawn_stop") done = spawn_stop(world, count);
  if (done == 0) return 2;
  run_all(world);
  const double ns =
      std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - began).count();
  const auto handled = world.metrics().messages_handled;
  if (handled < done) {
    std::fprintf(stderr, "only %llu of %llu messages were handled\n",
                 static_cast<unsigned long long>(handled), static_cast<unsigned long long>(done));
    return 1;
  }
  std::printf("{\"workload\": \"%.*s\", \"messages\": %llu, \"ns\": %.2f, \"peak_mb\": %.1f}\n",
              static_cast<int>(workload.size()), workload.data(),
              static_cast<unsigned long long>(done), ns / static_cast<double>(done),
              bench::peak_mb());
  return 0;
}

int idle_actors(std::uint64_t count) {
  tactor::cooperative_system system;
  const auto spawn_some = [&](std::uint64_t number) {
    for (std::uint64_t i = 0; i < number; ++i)
      (void)system.spawn<idler>("");
    run_all(system);
  };
  spawn_some(1000);  // the system has allocated what it needs itself
  const double before = bench::resident_bytes();
  spawn_some(count);
  const double bytes = bench::resident_bytes() - before;
  std::printf("{\"workload\": \"idle_actors\", \"actors\": %llu, \"bytes_each\": %.1f, "
              "\"peak_mb\": %.1f}\n",
              static_cast<unsigned long long>(count), bytes / static_cast<double>(count),
              bench::peak_mb());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "one_thread ping_pong|ring|bursts|one_burst|random|spawn_stop|idle_actors "
                         "[messages] [simulated]\n");
    return 2;
  }
  const std::string_view workload{argv[1]};
  const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10'000'000;
  if (workload == "idle_actors") return idle_actors(count);
  if (argc > 3 && std::strcmp(argv[3], "simulated") == 0) {
    tactor::testkit::simulation world{tactor::testkit::seed{1}};
    return measure(world, workload, count);
  }
  tactor::cooperative_system system;
  return measure(system, workload, count);
}
