// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/text_writer.hpp"
#include "tactor/host/snapshot/frame_decoder.hpp"
#include "tactor/host/snapshot/snapshot.hpp"

#include <cstddef>
#include <span>

namespace tactor::inline v0 {

/// Writes one part of a snapshot of a board, as `actor_system::write_snapshot` does of a system of
/// this program. Throws: std::bad_alloc.
void write_snapshot(const board_snapshot& of, const frame_faults& faults,
                    const snapshot_query& wanted, text_sink& to);

/// Writes all parts but `actor` of each snapshot in `bytes`, a line each. Returns: what was wrong
/// with the bytes. Throws: std::bad_alloc.
frame_faults write_snapshots(std::span<const std::byte> bytes, text_sink& to);

}  // namespace tactor::inline v0
