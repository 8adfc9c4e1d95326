// SPDX-License-Identifier: BSL-1.0
#pragma once

// Asio itself, and the context of `io_threads`, for programs that call Asio themselves. Needs Asio's headers.

#include "tactor/version.hpp"  // IWYU pragma: export (first: it checks the standard)

// IWYU pragma: begin_exports
#include "tactor/asio/asio_context.hpp"
// IWYU pragma: end_exports
