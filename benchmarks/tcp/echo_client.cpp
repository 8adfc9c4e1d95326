// SPDX-License-Identifier: BSL-1.0
// Load for an echo service: `tcp_echo_client PORT CONNECTIONS SECONDS` prints one line of JSON.
// Each connection sends 64 bytes and, when they have come back, sends them again. One thread,
// epoll.
#include "open_files.hpp"
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr std::size_t request = 64;

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

int connect_to(std::uint16_t port) {
  const int made = socket(AF_INET, SOCK_STREAM, 0);
  if (made < 0) fail("tcp_echo_client: socket");
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(made, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
    fail("tcp_echo_client: connect");
  const int on = 1;
  (void)setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return made;
}

struct peer {
  int socket;
  std::size_t missing = request;  // bytes of the answer
};

/// Processor time of this process.
double cpu_seconds() {
  timespec spent{};
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) / 1e9;
}

void ask(const peer& whom) {
  static constexpr std::array<char, request> bytes{};
  if (send(whom.socket, bytes.data(), request, MSG_NOSIGNAL) != request)
    fail("tcp_echo_client: send");
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::fprintf(stderr, "usage: %s PORT CONNECTIONS SECONDS\n", arguments[0]);
    return 2;
  }
  bench::raise_open_files();
  const auto port = static_cast<std::uint16_t>(std::atoi(arguments[1]));
  std::vector<peer> peers(static_cast<std::size_t>(std::atoi(arguments[2])));
  const int ready = epoll_create1(0);
  for (peer& each : peers) {
    each.socket = connect_to(port);
    epoll_event wanted{.events = EPOLLIN, .data = {.ptr = &each}};
    if (epoll_ctl(ready, EPOLL_CTL_ADD, each.socket, &wanted) != 0) fail("tcp_echo_client: epoll");
  }
  for (const peer& each : peers)
    ask(each);

  using clock = std::chrono::steady_clock;
  const double seconds = std::atof(arguments[3]);
  std::uint64_t answers = 0;
  const std::uint64_t before = 2 * peers.size();  // not counted
  clock::time_point begin{};
  std::array<epoll_event, 256> events{};
  for (;;) {
    const int found = epoll_wait(ready, events.data(), events.size(), -1);
    for (int i = 0; i < found; ++i) {
      peer& whom = *static_cast<peer*>(events[static_cast<std::size_t>(i)].data.ptr);
      std::array<char, request> room;
      const auto size = recv(whom.socket, room.data(), whom.missing, MSG_DONTWAIT);
      if (size <= 0) fail("tcp_echo_client: recv");
      whom.missing -= static_cast<std::size_t>(size);
      if (whom.missing != 0) continue;
      whom.missing = request;
      if (++answers == before) begin = clock::now();
      ask(whom);
    }
    if (answers < before) continue;
    const std::chrono::duration<double> took = clock::now() - begin;
    if (took.count() < seconds) continue;
    std::printf("{\"connections\": %zu, \"requests\": %llu, \"requests_per_s\": %.0f, "
                "\"client_cpu_s\": %.3f}\n",
                peers.size(), static_cast<unsigned long long>(answers),
                static_cast<double>(answers - before) / took.count(), cpu_seconds());
    return 0;
  }
}
