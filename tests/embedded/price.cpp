// SPDX-License-Identifier: BSL-1.0

// The price of a feature: three actors to which an interrupt sends, and one feature more
// (PRICE_...). prices.py compares the images; they are not run.
#include "tactor/bare.hpp"
#if defined(PRICE_COROUTINE)
#include "tactor/coroutine.hpp"
#endif

#include "embedded/board.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>

namespace {

using namespace std::chrono_literals;
using namespace tactor;

struct sample {
  std::uint32_t number;
};
#if defined(PRICE_ASK)
struct question {
  using reply = std::uint32_t;
};
class answering : public actor<question> {
public:
  std::uint32_t receive(context&, question) { return 1; }
};
#endif

class stage : public actor<sample> {
public:
#if defined(PRICE_FAILURES)
  std::expected<void, failure> receive(context&, sample s) {
    sum_ += s.number;
    if (sum_ > 1000) return std::unexpected{failure{"", 1}};
    return {};
  }
#else
  void receive([[maybe_unused]] context& ctx, sample s) {
    sum_ += s.number;
#if defined(PRICE_ENDS)
    if (sum_ > 1000) ctx.stop();
#elif defined(PRICE_ONE_TIMER)
    (void)ctx.schedule_once(10ms, ctx.self(), s);
#elif defined(PRICE_PERIODIC_TIMER)
    (void)ctx.schedule_at_fixed_rate(10ms, 10ms, ctx.self(), s);
#elif defined(PRICE_KEYED_TIMER)
    (void)ctx.start_timer("key", after(10ms), s);
#elif defined(PRICE_RECEIVE_TIMEOUT)
    (void)ctx.set_receive_timeout(10ms, *this);
#elif defined(PRICE_SUSPENSION)
    (void)ctx.suspend(suspend_reason::rate_limit, resume_after(10ms));
#elif defined(PRICE_WATCH)
    (void)ctx.watch(ctx.sender(), *this);
#elif defined(PRICE_STASH)
    (void)ctx.stash(s);
    (void)ctx.unstash_all();
#elif defined(PRICE_EVENTS)
    ctx.events().subscribe<sample>(ctx.self());
#elif defined(PRICE_ASK)
    ctx.ask(asked, question{}, 10ms, [](std::expected<std::uint32_t, ask_error>){});
#endif
  }
#endif
#if defined(PRICE_RECEIVE_TIMEOUT)
  void receive(context&, const receive_timeout&) {}
#elif defined(PRICE_WATCH)
  void receive(context&, const terminated&) {}
#elif defined(PRICE_ASK)
  static inline answering::ref asked;
#endif

private:
  std::uint32_t sum_ = 0;
};

#if defined(PRICE_COROUTINE)
class walker : public actor<sample> {
public:
  task<void> receive(context& ctx, sample) { co_await ctx.sleep(10ms); }
};
#endif

#if defined(PRICE_ONE_TIMER) || defined(PRICE_PERIODIC_TIMER)
#define PRICE_TIMERS 1
#elif defined(PRICE_KEYED_TIMER)
#define PRICE_TIMERS 2  // each message replaces it
#else
#define PRICE_TIMERS 0
#endif

// As much as the program needs, and no more: its actors have four bytes of state.
constexpr bare::system_size size{
#if defined(PRICE_SMALLEST)
    .actors = 1,
    .envelopes = 4,
#else
    .actors = 3,
    .envelopes = 8,
#endif
    .timers = PRICE_TIMERS,
#if defined(PRICE_PERIODIC_TIMER)
    .periodic = 1,
#else
    .periodic = 0,
#endif
#if defined(PRICE_NAMES)
    .name = 8,
#endif
    .state = 8,
#if defined(PRICE_BOUNDED)
    .bounded = true,
#elif defined(PRICE_PRIORITIES)
    .priorities = 4,
#elif defined(PRICE_RESTARTS)
    .supervised = 1,
#elif defined(PRICE_KEYED_TIMER)
    .keyed_timers = 1,
#elif defined(PRICE_WATCH)
    .watches = 1,
#elif defined(PRICE_RECEIVE_TIMEOUT)
    .receive_timeouts = 1,
#elif defined(PRICE_SUSPENSION)
    .suspended = 1,
#elif defined(PRICE_ASK)
    .asks = 1,
    .receive_timeouts = 1,
#elif defined(PRICE_COROUTINE)
    .receive_timeouts = 1,
    .coroutines = true,
#elif defined(PRICE_EVENTS)
    .events = true,
#elif defined(PRICE_STASH)
    .stash = true,
#elif defined(PRICE_LOG)
    .log = true,
#elif defined(PRICE_OUTBOXES)
    .outboxes = true,
#endif
};
constinit bare::system<size> sys;
#if defined(PRICE_FRAMES)
struct line final : bare::byte_sink {
  std::size_t write(std::span<const std::byte> bytes) noexcept override { return bytes.size(); }
};
constinit line bytes;
constinit bare::frame_reporter<size> frames{bytes};
#elif defined(PRICE_DUMP)
struct line final : text_sink {
  void write(std::string_view piece) noexcept override { written += piece.size(); }
  std::size_t written = 0;
};
constinit line bytes;
#endif
constinit bare::systick_clock board_clock{1'000'000};
constinit stage::ref first;

}  // namespace

extern "C" void sys_tick_handler() {
  board_clock.on_interrupt();
  (void)first.tell(sample{1});
}

int main() {
  sys.start(board_clock);
  for (int n = 0; n < 3; ++n)
    if (const auto made = sys.try_spawn<stage>("")) first = *made;
#if defined(PRICE_COROUTINE)
  (void)sys.try_spawn<walker>("");
#elif defined(PRICE_RESTARTS)
  (void)sys.try_spawn<stage>({.on_failure = restart{.max_restarts = 2}});
#elif defined(PRICE_PRIORITIES)
  (void)sys.try_spawn<stage>({.priority = 2});
#elif defined(PRICE_DUMP)
  sys.dump(dump_format::text, bytes);
#elif defined(PRICE_BOUNDED)
  (void)sys.try_spawn<stage>({.mailbox = {.capacity = 2}});
#elif defined(PRICE_ASK)
  if (const auto made = sys.try_spawn<answering>("")) stage::asked = *made;
#elif defined(PRICE_METRICS)
  if (sys.metrics().turns > 0) return 1;
#endif
#if defined(PRICE_FRAMES)
  frames.request();
  sys.run([](auto) { bare::wait_for_interrupt(); }, [] { return frames.write_some(sys); });
#else
  sys.run();
#endif
  return 0;
}
