// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/observe/metrics_hub.hpp"

#include "tactor/base/lock_guard.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/observe/scheduler_metrics.hpp"
#include "tactor/core/observe/worker_counters.hpp"

#include <cstddef>
#include <cstdint>

namespace tactor::inline v0::internal {
namespace {

static_assert(sizeof(metrics_snapshot) ==
                  (16 + drop_reasons + 5) * sizeof(std::uint64_t) + sizeof(scheduler_metrics),
              "`add` must know every member");

void add(metrics_snapshot& sums, const worker_counters& block) noexcept {
  sums.messages_sent += block.messages_sent.value();
  sums.messages_handled += block.messages_handled.value();
  sums.system_messages_handled += block.system_messages_handled.value();
  sums.turns += block.turns.value();
  sums.yields += block.yields.value();
  sums.actors_started += block.actors_started.value();
  sums.actors_stopped += block.actors_stopped.value();
  sums.failures += block.failures.value();
  sums.restarts += block.restarts.value();
  sums.suspensions += block.suspensions.value();
  sums.resumes += block.resumes.value();
  sums.suspended_ns += block.suspended_ns.value();
  sums.resumes_timed += block.resumes_timed.value();
  sums.resume_latency_ns += block.resume_latency_ns.value();
  sums.mailbox_pressure += block.mailbox_pressure.value();
  sums.dead_letters_suppressed += block.dead_letters_suppressed.value();
  for (std::size_t i = 0; i != drop_reasons; ++i)
    sums.dead_letters[i] += block.dead_letters[i].value();
}

}  // namespace

void metrics_hub::attach(worker_counters& block) noexcept {
  const lock_guard lock{mutex_};
  blocks_.push_back(block);
}

void metrics_hub::detach(worker_counters& block) noexcept {
  const lock_guard lock{mutex_};
  blocks_.erase(block);
  if (ended_ != nullptr) add(*ended_, block);  // keeps inv 1
}

metrics_snapshot metrics_hub::scrape() const noexcept {
  const lock_guard lock{mutex_};
  metrics_snapshot sums;
  if (ended_ != nullptr) sums = *ended_;
  for (const worker_counters* each = blocks_.front(); each != nullptr; each = blocks_.next(*each))
    add(sums, *each);
  return sums;
}

}  // namespace tactor::inline v0::internal
