// SPDX-License-Identifier: BSL-1.0
#pragma once

// Connections of actors, on Asio. Component `asio`. This header does not include Asio itself;
// tactor/asio/asio_context.hpp does.

#include "tactor/version.hpp"  // IWYU pragma: export (first: it checks the standard)

// IWYU pragma: begin_exports
#include "tactor/actor.hpp"
#include "tactor/asio/byte_stream.hpp"
#include "tactor/asio/connection.hpp"
#include "tactor/asio/io_threads.hpp"
#include "tactor/asio/memory_stream.hpp"
#include "tactor/asio/tcp.hpp"
// IWYU pragma: end_exports
