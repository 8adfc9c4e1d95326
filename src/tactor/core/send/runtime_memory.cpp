// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/send/runtime_memory.hpp"

namespace tactor::inline v0::internal {

constinit runtime_memory program_memory;
constinit TACTOR_THREAD_LOCAL thread_record current_thread_record;
constinit const thread_record interrupt_record;

}  // namespace tactor::inline v0::internal
