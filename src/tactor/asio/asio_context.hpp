// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/asio/io_threads.hpp"

// Asio itself, standalone or of Boost, for programs that call it themselves.
#if defined(TACTOR_ASIO_BOOST)
#include <boost/asio.hpp>
#else
#include <asio.hpp>
#endif

#include <system_error>
#include <thread>
#include <vector>

namespace tactor::inline v0::io {

#if defined(TACTOR_ASIO_BOOST)
namespace net = boost::asio;
/// The error type of Asio.
using net_error = boost::system::error_code;
#else
namespace net = ::asio;
/// The error type of Asio.
using net_error = std::error_code;
#endif

/// The context of Asio and the threads that run it.
struct io_threads::parts {
  net::io_context context;
  net::executor_work_guard<net::io_context::executor_type> work = net::make_work_guard(context);
  std::vector<std::thread> threads;
};

/// Returns: the context that these threads run.
[[nodiscard]] inline net::io_context& context_of(io_threads& on) noexcept {
  return on.with().context;
}

}  // namespace tactor::inline v0::io
