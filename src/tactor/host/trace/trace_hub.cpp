// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/trace/trace_hub.hpp"

#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/host/os/random_number.hpp"

#include <chrono>
#include <exception>

namespace tactor::inline v0::internal {
namespace {

/// Returns what has to be added to a time of the system for a time since 1970; 0 for a clock of
/// tests.
std::int64_t to_unix_ns(const system_core& system) noexcept {
  if (system.clock().kind() != clock_kind::realtime) return 0;
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::nanoseconds{since_1970}.count() - static_cast<std::int64_t>(system.now_ns());
}

/// So that ids of several programs differ; 0 for a clock of tests.
std::uint64_t salt_of(const system_core& system) noexcept {
  return system.clock().kind() == clock_kind::realtime ? random_number().value_or(0) : 0;
}

}  // namespace

trace_hub::~trace_hub() {
  switch_.with_running([](const trace_session* running) {
    if (running != nullptr) program_memory.traces.fetch_sub(1, relaxed);  // relaxed: a number
  });
}

bool trace_hub::start(const trace_options& options) noexcept {
  if (is_running()) return false;
  try {
    auto fresh = std::make_shared<trace_session>(system_, options, system_.now_ns(),
                                                 to_unix_ns(system_), salt_of(system_));
    return fresh->join(outside_) != nullptr && switch_.start(std::move(fresh));
  } catch (const std::exception&) {
    return false;
  }
}

void trace_hub::leave() noexcept {
  stop();
  if (system_gate* const gate = system_.gate()) gate->let_leave();
}

void trace_hub::outside_change::operator()(trace_session* runs) const noexcept {
  // no mutant: the lock orders what it leads to
  hub.system_.outside_trace.store(runs == nullptr ? nullptr : &hub,
                                  release);  // pairs: trace.outside
  if (runs != nullptr) {
    program_memory.traces.fetch_add(1, relaxed);  // relaxed: a hint
  } else {
    program_memory.traces.fetch_sub(1, relaxed);  // relaxed: a hint
  }
}

void trace_hub::sent(const cell& to, origin sender, envelope& e, std::uint64_t now_ns) noexcept {
  bool is_over = false;
  switch_.with_running([&](trace_session* running) {
    if (running == nullptr) return;
    is_over = running->is_over(now_ns);
    running->outside().sent(to, sender, e, now_ns);
  });
  if (is_over) (void)switch_.running();  // ends it
}

void trace_hub::begin(const cell& c, envelope& e, traced_call how, std::uint64_t now_ns) noexcept {
  switch_.with_running([&](trace_session* running) {
    if (running != nullptr) running->outside().begin(c, e, how, now_ns);
  });
}

void trace_hub::end(bool failed, std::uint64_t now_ns) noexcept {
  switch_.with_running([&](trace_session* running) {
    if (running != nullptr) running->outside().end(failed, now_ns);
  });
}

}  // namespace tactor::inline v0::internal
