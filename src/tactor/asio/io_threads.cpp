// SPDX-License-Identifier: BSL-1.0
// The threads that run Asio.
#include "tactor/asio/asio_context.hpp"
#include "tactor/asio/tcp.hpp"
#include "tactor/host/os/thread_setup.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <thread>

namespace tactor::inline v0::io {
namespace {

/// Runs the context until it is stopped, also if there is no memory for an operation: that operation has ended, the
/// others continue.
// NOLINTNEXTLINE(bugprone-exception-escape): what else a callback throws ends the program
void run_to_the_end(net::io_context& context) noexcept {
  while (!context.stopped()) {
    try {
      context.run();
    } catch (const std::bad_alloc&) {
      continue;
    }
  }
}

}  // namespace

io_threads::io_threads(std::size_t threads) : parts_(std::make_unique<parts>()) {
  try {
    for (std::size_t number = 0; number < threads; ++number) {
      parts_->threads.emplace_back([this, number] {
        internal::set_up_thread("io", static_cast<std::uint32_t>(number));
        run_to_the_end(parts_->context);
      });
    }
  } catch (...) {
    parts_->context.stop();
    for (std::thread& each : parts_->threads)
      each.join();
    throw;
  }
}
io_threads::~io_threads() {
  parts_->context.stop();
  for (std::thread& each : parts_->threads)
    each.join();
}
std::size_t io_threads::size() const noexcept {
  return parts_->threads.size();
}

}  // namespace tactor::inline v0::io
