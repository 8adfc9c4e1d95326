// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/asio/byte_stream.hpp"

#include <cstddef>
#include <memory>
#include <utility>

namespace tactor::inline v0::io {

/// The limits of each end of a `memory_pair`.
struct memory_limits {
  std::size_t queue = 65536;   // bytes that wait for writing; more is `backpressure`
  std::size_t window = 65536;  // bytes that the peer has not taken, as in the buffers of a network
};

/// Makes two connected streams without a network: each reads the bytes that the other writes. In a
/// simulation they stand in for sockets, so that the seed determines the run.
///
/// They end as TCP connections do. An end that is closed before it has taken all bytes resets the
/// connection: at the peer, a `flush` of bytes that were still queued and a `finish` end with
/// `connection_reset`, and so does `readable`, after the bytes that have come. An end that was
/// closed after it had taken all bytes, or finished, is the end of the stream. Bytes that come
/// after `stop_reading` fill the window; `finish` discards them. Unlike a socket, an end whose peer
/// has closed refuses already the first `write`, and bytes are where they belong when a call
/// returns.
[[nodiscard]] std::pair<std::shared_ptr<byte_stream>, std::shared_ptr<byte_stream>>
memory_pair(const memory_limits& limits = {});

}  // namespace tactor::inline v0::io
