// SPDX-License-Identifier: BSL-1.0
// An actor sends through four bounded stages whose last one is slow: `actors_pipeline COUNT WORK_NS
// WORKERS` prints one line of JSON. Compares the time for a message, and the processor time, with
// that of the slow stage's work alone, and says by how much memory grew in the second half of the
// run.
#include "tactor/host/actor_system.hpp"

#include "measuring.hpp"
#include "parallel.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

using tactor::actor_ref;
using clock_of_bench = std::chrono::steady_clock;

struct parcel {
  std::uint64_t number;
};

struct go_on {};

/// Sends all parcels, one a turn; it is suspended while the first stage is full.
class source : public tactor::actor<go_on> {
public:
  source(const actor_ref<parcel>& to, std::uint64_t parcels) : to_(to), parcels_(parcels) {}
  void receive(context& ctx, go_on) {
    to_.tell(parcel{sent_++});
    if (sent_ < parcels_) ctx.self().tell(go_on{});
  }

private:
  actor_ref<parcel> to_;
  std::uint64_t parcels_;
  std::uint64_t sent_ = 0;
};

/// Works for about so many steps, without reading the clock.
void work(std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; ++i)
    std::atomic_signal_fence(std::memory_order_seq_cst);
}
double ns_since(clock_of_bench::time_point begin) {
  return std::chrono::duration<double, std::nano>(clock_of_bench::now() - begin).count();
}
/// How many steps of `work` take `ns`.
std::uint64_t steps_for(double ns) {
  constexpr std::uint64_t many = 50'000'000;
  const double begin = bench::processor_ns();
  work(many);
  return static_cast<std::uint64_t>(ns * static_cast<double>(many) /
                                    (bench::processor_ns() - begin));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::fprintf(stderr, "usage: %s COUNT WORK_NS WORKERS\n", arguments[0]);
    return 2;
  }
  const std::uint64_t parcels = std::strtoull(arguments[1], nullptr, 10);
  const std::uint64_t steps = steps_for(std::strtod(arguments[2], nullptr));
  const auto workers = static_cast<std::uint32_t>(std::strtoul(arguments[3], nullptr, 10));

  const double before_ns = bench::processor_ns();
  const auto alone = clock_of_bench::now();
  for (std::uint64_t i = 0; i < parcels; ++i)
    work(steps);
  const double alone_ns = ns_since(alone) / static_cast<double>(parcels);
  const double between_ns = bench::processor_ns();
  const double alone_cpu_ns = (between_ns - before_ns) / static_cast<double>(parcels);

  std::atomic<std::uint64_t> arrived = 0;
  std::uint64_t out_of_order = 0;
  double half_bytes = 0;
  tactor::actor_system system{{.workers = workers}};
  constexpr tactor::mailbox_options bounded = tactor::mailbox_presets::lossless(256);
  actor_ref<parcel> next =
      system.spawn({.name = "last", .mailbox = bounded}, [&](tactor::context&, const parcel& p) {
        const std::uint64_t handled = arrived.load(std::memory_order_relaxed);
        if (p.number != handled) ++out_of_order;
        if (handled == parcels / 2) half_bytes = bench::resident_bytes();
        work(steps);
        arrived.store(handled + 1, std::memory_order_release);
        if (handled + 1 == parcels) arrived.notify_one();
      });
  for (int stage = 0; stage < 3; ++stage)
    next = system.spawn({.mailbox = bounded},
                        [to = next](tactor::context&, const parcel& p) { to.tell(p); });
  const auto begin = clock_of_bench::now();
  system.spawn<source>("source", next, parcels).tell(go_on{});
  for (std::uint64_t seen = 0; (seen = arrived.load(std::memory_order_acquire)) != parcels;)
    arrived.wait(seen, std::memory_order_acquire);
  const double ns = ns_since(begin) / static_cast<double>(parcels);
  const double cpu_ns = (bench::processor_ns() - between_ns) / static_cast<double>(parcels);
  const double grown = bench::resident_bytes() - half_bytes;
  const double suspensions =
      static_cast<double>(system.metrics().suspensions) / static_cast<double>(parcels);
  const auto lost = static_cast<unsigned long long>(system.metrics().all_dead_letters());
  std::printf("{\"workload\": \"pipeline\", \"count\": %llu, \"workers\": %u, \"ns\": %.1f, "
              "\"slowest_alone_ns\": %.1f, \"ratio\": %.3f, \"suspensions\": %.4f, \"lost\": %llu, "
              "\"out_of_order\": %llu, "
              "\"grown_kb\": %.0f, \"cpu_ns\": %.1f, \"slowest_alone_cpu_ns\": %.1f}\n",
              static_cast<unsigned long long>(parcels), workers, ns, alone_ns, alone_ns / ns,
              suspensions, lost, static_cast<unsigned long long>(out_of_order), grown / 1024,
              cpu_ns, alone_cpu_ns);
  return lost == 0 && out_of_order == 0 ? 0 : 1;
}
