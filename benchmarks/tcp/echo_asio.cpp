// SPDX-License-Identifier: BSL-1.0
// What the echo service of echo_tactor.cpp is compared with: plain Asio. `tcp_echo_asio THREADS`
// prints its port and serves until its standard input ends. With several threads each connection
// has a strand.
#include "open_files.hpp"
#include <asio.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace {

using asio::ip::tcp;

class echo : public std::enable_shared_from_this<echo> {
public:
  explicit echo(tcp::socket socket) : socket_(std::move(socket)) {
    socket_.set_option(tcp::no_delay{true});
  }
  void read() {
    socket_.async_read_some(asio::buffer(room_),
                            [self = shared_from_this()](std::error_code error, std::size_t size) {
                              if (!error) self->write(size);
                            });
  }

private:
  void write(std::size_t size) {
    asio::async_write(socket_, asio::buffer(room_, size),
                      [self = shared_from_this()](std::error_code error, std::size_t) {
                        if (!error) self->read();
                      });
  }

  tcp::socket socket_;
  std::array<char, 1024> room_;
};

void accept(asio::io_context& context, tcp::acceptor& acceptor, bool with_strand) {
  const auto take = [&context, &acceptor, with_strand](std::error_code error, auto socket) {
    if (!error) std::make_shared<echo>(tcp::socket{std::move(socket)})->read();
    accept(context, acceptor, with_strand);
  };
  if (with_strand) {
    acceptor.async_accept(asio::make_strand(context), take);
  } else {
    acceptor.async_accept(take);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const int threads = count > 1 ? std::atoi(arguments[1]) : 1;
  bench::raise_open_files();
  asio::io_context context{threads};
  tcp::acceptor acceptor{context, {asio::ip::make_address("127.0.0.1"), 0}};
  acceptor.listen(asio::socket_base::max_listen_connections);
  accept(context, acceptor, threads > 1);
  std::vector<std::jthread> running;
  for (int i = 0; i < threads; ++i)
    running.emplace_back([&context] { context.run(); });
  std::printf("%u\n", static_cast<unsigned>(acceptor.local_endpoint().port()));
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  context.stop();
}
