// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/send/runtime_memory.hpp"

#include "threads_of_ours.hpp"
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tactor::stress {

using namespace tactor::internal;

/// Nothing is leaked: every block and slot that was ever made can be allocated again, without one
/// more. That is exact. How many were made is not: that depends on how far threads run ahead of
/// each other, which the machine decides. Requires: systems have been destroyed, and threads that
/// used them joined.
inline void expect_all_memory_is_back() {
  wait_for_threads_to_end();
  thread_record& here = this_thread();
  for (unsigned size_class = 0; size_class < envelope_size_classes; ++size_class) {
    const std::size_t made = program_memory.envelopes.blocks_made(size_class);
    std::vector<envelope*> all(made);
    for (envelope*& each : all)
      each = program_memory.envelopes.allocate(here.envelopes, size_class);
    EXPECT_EQ(program_memory.envelopes.blocks_made(size_class), made)
        << "blocks of size class " << size_class << " are kept";
    for (envelope* const each : all)
      program_memory.envelopes.release(here.envelopes, *each);
  }
  const std::uint32_t made = program_memory.cells.made();
  std::vector<cell*> all(made);
  for (cell*& each : all)
    each = program_memory.cells.take(here.cells);
  EXPECT_EQ(program_memory.cells.made(), made) << "slots are kept";
  for (cell* const each : all) {
    program_memory.cells.end_tenancy(*each);
    program_memory.cells.give_back(here.cells, *each);
  }
}

}  // namespace tactor::stress
