// SPDX-License-Identifier: BSL-1.0
// A program of another project that uses the component asio.
#include "tactor/asio/asio.hpp"

int main() {
  tactor::io::io_threads threads;
  auto listener = tactor::io::tcp_listener::listen(threads, "127.0.0.1", 0);
  return listener && listener->port() != 0 ? 0 : 1;
}
