// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"

#include <cstdint>

// A source of its own: on a board, what reports on timers needs nothing else of them.
namespace tactor::inline v0 {

using namespace internal;

std::uint64_t timer_job::id() const noexcept {
  const auto& record = static_cast<const timer_record&>(*this);
  return std::uint64_t{record.tenancy.get()} << 32 | (record.store().index_of(record) + 1);
}

}  // namespace tactor::inline v0
