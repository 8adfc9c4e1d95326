// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/trace/trace_hub.hpp"

#include "tactor/core/actor/cell/runtime_memory.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"

#include <chrono>
#include <exception>

namespace tactor::inline v0::internal {
namespace {

/// What has to be added to a time of the system for a time since 1970; 0 for a clock of tests.
std::int64_t to_unix_ns(const system_core& system) noexcept {
  if (system.clock().kind() != clock_kind::realtime) return 0;
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::nanoseconds{since_1970}.count() - static_cast<std::int64_t>(system.now_ns());
}

}  // namespace

trace_hub::~trace_hub() {
  // relaxed: a number
  if (own_ != nullptr) program_memory.traces.fetch_sub(1, relaxed);
}

bool trace_hub::start(const trace_options& options) noexcept {
  const std::scoped_lock lock{mutex_};
  end_if_over();
  if (own_ != nullptr) return false;
  try {
    auto fresh =
        std::make_shared<trace_session>(system_, options, system_.now_ns(), to_unix_ns(system_));
    trace_buffer* const own = fresh->join(outside_);
    if (own == nullptr) return false;
    last_ = std::move(fresh);
    own_ = own;
  } catch (const std::exception&) {
    return false;
  }
  // no mutant: the lock orders what it leads to
  system_.outside_trace.store(this, release);   // pairs: trace.outside
  program_memory.traces.fetch_add(1, relaxed);  // relaxed: a hint
  changes_.fetch_add(1, relaxed);               // relaxed: a hint
  return true;
}

void trace_hub::stop() noexcept {
  const std::scoped_lock lock{mutex_};
  if (own_ != nullptr) end_now();
}

bool trace_hub::is_running() noexcept {
  return running() != nullptr;
}

std::shared_ptr<trace_session> trace_hub::last() noexcept {
  const std::scoped_lock lock{mutex_};
  return last_;
}

std::shared_ptr<trace_session> trace_hub::running() noexcept {
  const std::scoped_lock lock{mutex_};
  end_if_over();
  return own_ == nullptr ? nullptr : last_;
}

/// Under the lock.
void trace_hub::end_if_over() noexcept {
  if (own_ != nullptr && last_->is_over(system_.now_ns())) end_now();
}
void trace_hub::end_now() noexcept {
  own_ = nullptr;
  system_.outside_trace.store(nullptr, relaxed);  // relaxed: nothing is published
  program_memory.traces.fetch_sub(1, relaxed);    // relaxed: a hint
  changes_.fetch_add(1, relaxed);                 // relaxed: a hint
}

void trace_hub::sent(const cell& to, origin sender, envelope& e, std::uint64_t now_ns) noexcept {
  const std::scoped_lock lock{mutex_};
  end_if_over();
  if (own_ != nullptr) own_->sent(to, sender, e, now_ns);
}

void trace_hub::begin(const cell& c, envelope& e, std::uint64_t now_ns) noexcept {
  const std::scoped_lock lock{mutex_};
  if (own_ != nullptr) return own_->begin(c, e, now_ns);
  if (e.kind == envelope_kind::traced) e.kind = envelope_kind::message;
}

void trace_hub::end(bool failed, std::uint64_t now_ns) noexcept {
  const std::scoped_lock lock{mutex_};
  if (own_ != nullptr) own_->end(failed, now_ns);
}

void trace_seat::change() noexcept {
  seen_ = traces_->changes();
  buffer_ = nullptr;
  session_ = traces_->running();
  if (session_ != nullptr) buffer_ = session_->join(thread_name_);
}

}  // namespace tactor::inline v0::internal
