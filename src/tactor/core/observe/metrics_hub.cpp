// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/observe/metrics_hub.hpp"

#include "tactor/base/lock_guard.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/observe/worker_counters.hpp"

namespace tactor::inline v0::internal {

void metrics_hub::attach(worker_counters& block) noexcept {
  const lock_guard lock{mutex_};
  blocks_.push_back(block);
}

void metrics_hub::detach(worker_counters& block) noexcept {
  const lock_guard lock{mutex_};
  blocks_.erase(block);
  if (ended_ != nullptr) block.add_to(*ended_);  // keeps inv 1
}

metrics_snapshot metrics_hub::scrape() const noexcept {
  const lock_guard lock{mutex_};
  metrics_snapshot sums;
  if (ended_ != nullptr) sums = *ended_;
  for (const worker_counters* each = blocks_.front(); each != nullptr; each = blocks_.next(*each))
    each->add_to(sums);
  return sums;
}

}  // namespace tactor::inline v0::internal
