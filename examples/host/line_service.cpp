// SPDX-License-Identifier: BSL-1.0
// A key-value service over TCP with one actor per connection, and a load that proves its accounts.
//
//   line_service serve PORT          the service; SIGTERM ends it gracefully
//   line_service load CONNECTIONS    service and clients as two processes, over loopback
//
// Commands are lines: "set KEY VALUE", "get KEY", "add KEY NUMBER". Each is answered with one line.
#include "line_service.hpp"

#include "tactor/asio/asio.hpp"
#include "tactor/host.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace {

struct connect_to {
  std::uint16_t port = 0;
};
struct send_on {};

/// Sends commands and counts their answers: one at first, then packs of them until the service
/// ends.
class load_client : public tactor::actor<connect_to, send_on> {
public:
  load_client(tactor::io::io_threads* on, std::latch* begun, std::latch* busy, std::latch* ended,
              std::atomic<std::uint64_t>* answers)
      : on_(on), begun_(begun), busy_(busy), ended_(ended), answers_(answers) {}

  tactor::task<void> receive(context& ctx, connect_to to) {
    auto connected = co_await tactor::io::tcp_connect(ctx, *on_, "127.0.0.1", to.port, 60s);
    if (connected) peer_ = std::move(*connected);
    (void)co_await exchange(ctx, 1);
    begun_->count_down();
  }
  tactor::task<void> receive(context& ctx, send_on) {
    bool lives = co_await exchange(ctx, 3);
    busy_->count_down();
    while (lives)
      lives = co_await exchange(ctx, 3);
    peer_.close();
    ended_->count_down();
  }

private:
  tactor::task<bool> exchange(tactor::context& ctx, int commands) {
    std::string lines;
    for (int i = 0; i < commands; ++i)
      lines += "add total 1\n";
    (void)peer_.write(lines);
    for (int i = 0; i < commands; ++i) {
      const auto answer = co_await peer_.read_line(ctx, 60s);
      if (!answer) co_return false;
      answers_->fetch_add(1);
    }
    co_return true;
  }

  tactor::io::io_threads* on_;
  std::latch* begun_;
  std::latch* busy_;
  std::latch* ended_;
  std::atomic<std::uint64_t>* answers_;
  tactor::io::connection peer_;
};

/// Raises the number of files that this process may open. Returns: false if it is too low.
bool may_open(std::uint64_t files) {
  rlimit now{};
  (void)getrlimit(RLIMIT_NOFILE, &now);
  if (now.rlim_cur < files) {
    now.rlim_cur = now.rlim_max < files ? now.rlim_max : files;
    (void)setrlimit(RLIMIT_NOFILE, &now);
  }
  if (now.rlim_cur >= files) return true;
  std::fprintf(stderr,
               "line_service: %llu connections need %llu open files, but the hard limit is %llu: "
               "raise it (ulimit -Hn), or use fewer connections\n",
               static_cast<unsigned long long>(files - 100), static_cast<unsigned long long>(files),
               static_cast<unsigned long long>(now.rlim_max));
  return false;
}

/// Serves until SIGTERM. `report`, if not negative, gets the port and, at the end, how many
/// commands were accepted.
int serve(std::uint16_t port, int report) {
  sigset_t end;
  sigemptyset(&end);
  sigaddset(&end, SIGTERM);
  sigaddset(&end, SIGINT);
  pthread_sigmask(SIG_BLOCK, &end, nullptr);  // before there are threads

  service_counts counts;
  tactor::io::io_threads threads;
  tactor::actor_system system{{.name = "lines"}};
  auto listener = tactor::io::tcp_listener::listen(threads, "127.0.0.1", port);
  if (!listener) {
    std::fprintf(stderr, "line_service: cannot listen: %s\n", listener.error().message().c_str());
    return 1;
  }
  const std::uint64_t at = listener->port();
  std::printf("line_service: listens at 127.0.0.1:%u\n", static_cast<unsigned>(at));
  std::fflush(stdout);
  if (report >= 0 && write(report, &at, sizeof at) != sizeof at) return 1;
  const auto store = system.spawn<key_store>("store");
  const auto front = system.spawn(
      "service",
      [store, &counts, kept = std::make_shared<tactor::io::tcp_listener>(std::move(*listener))] {
        return line_service{store, kept, &counts};
      });
  int signal = 0;
  (void)sigwait(&end, &signal);
  front.tell(finish{});
  const bool complete = system.shutdown(30s).complete;
  const std::uint64_t accepted = counts.accepted;
  std::printf("line_service: %llu connections, %llu commands, %s\n",
              static_cast<unsigned long long>(counts.connections),
              static_cast<unsigned long long>(accepted), complete ? "complete" : "NOT complete");
  if (report >= 0 && write(report, &accepted, sizeof accepted) != sizeof accepted) return 1;
  return complete ? 0 : 1;
}

int load(int connections) {
  if (!may_open(static_cast<std::uint64_t>(connections) + 100)) return 2;
  int report[2] = {};
  if (pipe(report) != 0) return 1;
  const pid_t service = fork();  // before there are threads
  if (service == 0) return serve(0, report[1]);
  std::uint64_t port = 0;
  if (read(report[0], &port, sizeof port) != sizeof port) return 1;

  std::atomic<std::uint64_t> answers = 0;
  std::latch begun{connections};
  std::latch busy{connections};
  std::latch ended{connections};
  tactor::io::io_threads threads;
  tactor::actor_system system;
  std::vector<tactor::actor_ref<connect_to, send_on>> clients;
  for (int i = 0; i < connections; ++i) {
    clients.push_back(system.spawn<load_client>("", &threads, &begun, &busy, &ended, &answers));
    clients.back().tell(connect_to{static_cast<std::uint16_t>(port)});
  }
  begun.wait();
  for (const auto& each : clients)
    each.tell(send_on{});
  busy.wait();
  kill(service, SIGTERM);  // while all send
  ended.wait();
  std::uint64_t accepted = 0;
  const bool reported = read(report[0], &accepted, sizeof accepted) == sizeof accepted;
  int status = 0;
  (void)waitpid(service, &status, 0);
  std::printf("line_service: clients got %llu answers to %llu accepted commands\n",
              static_cast<unsigned long long>(answers.load()),
              static_cast<unsigned long long>(accepted));
  const bool served = answers >= static_cast<std::uint64_t>(connections);
  return reported && status == 0 && served && answers == accepted ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  const std::string mode = count > 1 ? words[1] : "";
  const int number = count > 2 ? std::atoi(words[2]) : -1;
  if (mode == "serve" && number >= 0) return serve(static_cast<std::uint16_t>(number), -1);
  if (mode == "load" && number > 0) return load(number);
  std::fprintf(stderr, "usage: line_service serve PORT | line_service load CONNECTIONS\n");
  return 2;
}
