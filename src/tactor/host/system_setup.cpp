// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/system_setup.hpp"

#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/waiting_producers.hpp"
#include "tactor/core/timing/timing_config.hpp"
#include "tactor/host/os/mapped_pages.hpp"
#include "tactor/host/os/only_copy.hpp"
#include "tactor/host/os/random_number.hpp"
#include "tactor/host/os/stderr_log.hpp"
#include "tactor/host/os/steady_clock.hpp"
#include "tactor/host/os/thread_setup.hpp"
#include "tactor/host/os/wait_on_word.hpp"
#include "tactor/port/port.hpp"

#include <cstdio>
#include <thread>

namespace tactor::inline v0::panics {
inline constexpr port::panic_code system_settings{
    .module = 8,
    .id = 3,
    .advice = "a setting of an actor system is invalid; the line above names it"};
}  // namespace tactor::inline v0::panics

namespace tactor::inline v0::internal {
namespace {

/// Takes back the caches of a thread that ends; see `at_thread_end`.
void reclaim() noexcept {
  program_memory.take_back(this_thread());
}
void reclaim_at_thread_end() noexcept {
  at_thread_end(reclaim);
}

// Without a destructor: a handler that never returns may read it after main has ended.
constinit const host::steady_clock system_clock;

bool sleep_on(const port::atomic<std::uint32_t>& word, std::uint32_t seen,
              std::uint64_t until_ns) noexcept {
  return wait_on_word(word, seen, until_ns) != wait_result::timed_out;
}
void give_way() noexcept {
  std::this_thread::yield();
}

constexpr thread_waiting waiting{
    .sleep = sleep_on, .wake = wake_waiter, .now_ns = monotonic_ns, .give_way = give_way};

}  // namespace

std::expected<scheduler_memory, start_error> prepare_start(const system_config& config) {
  if (const auto sound = check(config); !sound) return std::unexpected{sound.error()};
  if (const auto sound = check(config.scheduler.timing, clock_of(config), config.clock.use,
                               scheduler_in_system.timing);
      !sound)
    return std::unexpected{sound.error()};
  if (!is_only_copy(&program_memory))
    return std::unexpected{
        start_error{.setting = "the number of copies of tactor in this process",
                    .value = 2,
                    .allowed = "1: let all modules use the shared library (BUILD_SHARED_LIBS)"}};
  provide_memory();
  return scheduler_memory::acquire(config.scheduler, scheduler_in_system.own);
}

void provide_memory() noexcept {
  program_memory.pages.provide(mapped_pages::of_program());
  program_memory.blocks.provide(heap_blocks::of_program());
  program_memory.provide(reclaim_at_thread_end);
  program_memory.provide(waiting);
}

const monotonic_clock& clock_of(const system_config& config) noexcept {
  return config.clock.source == nullptr ? system_clock : *config.clock.source;
}

system_config with_defaults(system_config config) noexcept {
  if (!config.log.sink.present()) config.log.sink = write_to_stderr;
  // Programs that start together must not restart their actors together.
  if (config.seed == 0 && clock_of(config).kind() == clock_kind::realtime)
    config.seed = random_number().value_or(monotonic_ns());
  return config;
}

void refuse_to_start(const start_error& why) noexcept {
  std::fprintf(stderr, "tactor: %s%s is %lld, but must be %s\n", why.section, why.setting,
               static_cast<long long>(why.value), why.allowed);
  port::panic(panics::system_settings);
}

}  // namespace tactor::inline v0::internal
