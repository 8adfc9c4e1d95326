// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0 {

class timer_job;

/// What became of a message that a timer sent.
enum class post_result : std::uint8_t {
  accepted,  // it will be begun or discarded later
  refused,   // this one is a dead letter; the receiver lives
  closed,    // this one is a dead letter; the receiver is gone for good
};

/// Where a timer's message goes when it is due: a mailbox. Called by the driver, so it must not run
/// user code, wait or allocate without bound.
class envelope_sink {
public:
  /// Unless it is accepted, the job is not the sink's: the scheduler settles it.
  [[nodiscard]] virtual post_result post(timer_job& message) noexcept = 0;

protected:
  ~envelope_sink() = default;
};

}  // namespace tactor::inline v0
