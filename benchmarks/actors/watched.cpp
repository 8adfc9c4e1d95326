// SPDX-License-Identifier: BSL-1.0
// What it costs a system that someone watches it: two actors play ping-pong on one worker; in every
// second round a client on another processor reads /metrics once a second and a stream of events.
//
//   actors_watched [ROUNDS] [SECONDS]      default: 5 rounds of each kind, 3 s each
#include "tactor/console/console.hpp"
#include "tactor/host.hpp"

#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;

/// Of the calling thread.
double processor_seconds() {
  timespec now{};
  (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// The time between two handlers, in eighths of powers of two of counter ticks. One thread writes.
struct gaps {
  std::array<std::uint64_t, 512> count{};
  std::uint64_t last = 0;
  std::uint64_t handled = 0;
  std::uint64_t timed = 0;  // of these, until `worked_until`
  double worked_from = 0;   // of the worker's processor time, which other programs do not disturb
  double worked_until = 0;

  void note() {
    if (handled++ % 65536 == 0) note_processor_time();
    const std::uint64_t now = __builtin_ia32_rdtsc();
    const std::uint64_t gap = now - std::exchange(last, now) + 8;
    const unsigned power = static_cast<unsigned>(std::bit_width(gap)) - 1;
    ++count[power * 8 + ((gap >> (power - 3)) & 7)];
  }
  void note_processor_time() {
    worked_until = processor_seconds();
    if (handled == 1) worked_from = worked_until;
    timed = handled - 1;
  }
  [[nodiscard]] double per_processor_second() const {
    return static_cast<double>(timed) / (worked_until - worked_from);
  }
  [[nodiscard]] std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t each : count)
      sum += each;
    return sum;
  }
  /// The ticks that all but one gap in a thousand stay below.
  [[nodiscard]] double p999() const {
    std::uint64_t left = total() / 1000;
    for (std::size_t i = count.size(); i-- > 0;) {
      if (count[i] > left) return static_cast<double>((8 + i % 8) << (i / 8)) / 8;
      left -= count[i];
    }
    return 0;
  }
};

struct ball {
  tactor::actor_ref<ball> back;
};

class player : public tactor::actor<ball> {
public:
  explicit player(gaps* to) : to_(to) {}
  void receive(context& ctx, const ball& b) {
    to_->note();
    b.back.tell(ball{ctx.self()});
  }

private:
  gaps* to_;
};

void stay_on(std::size_t processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  (void)::sched_setaffinity(0, sizeof one, &one);
}

int connect_to(const std::string& path) {
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  std::memcpy(at.sun_path, path.c_str(), std::min(path.size(), sizeof at.sun_path - 1));
  const int made = ::socket(AF_UNIX, SOCK_STREAM, 0);
  if (made < 0 || ::connect(made, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0) {
    std::perror("actors_watched: connect");
    std::exit(1);
  }
  return made;
}

void ask_for(int socket, std::string_view what) {
  const std::string text =
      "GET " + std::string{what} + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  (void)!::write(socket, text.data(), text.size());
}

std::size_t read_all(int socket) {
  std::array<char, 65536> some{};
  std::size_t sum = 0;
  for (ssize_t got = 0; (got = ::read(socket, some.data(), some.size())) > 0;)
    sum += static_cast<std::size_t>(got);
  ::close(socket);
  return sum;
}

/// Watches until `ends`. Returns: the bytes it got.
std::size_t watch(const std::string& path, const std::atomic<bool>& ends) {
  stay_on(1);
  const int events = connect_to(path);
  ask_for(events, "/api/v1/events");
  std::thread reader{[events] {
    stay_on(1);
    (void)read_all(events);
  }};
  std::size_t sum = 0;
  while (!ends) {
    const int once = connect_to(path);
    ask_for(once, "/metrics");
    sum += read_all(once);
    for (int i = 0; i < 20 && !ends; ++i)
      std::this_thread::sleep_for(50ms);
  }
  (void)::shutdown(events, SHUT_RDWR);
  reader.join();
  return sum;
}

struct round_result {
  double per_second;
  double per_processor_second;
  double p999_ticks;
};

/// `start` has made the actors; counts for a while.
round_result measure(bool watched, std::chrono::seconds length) {
  static gaps counted;  // outlives the system, and is only read when no actor runs
  counted = {};
  const tactor::actor_system system{{.workers = 1, .dispatchers = {.pin_workers = true}}};
  const std::string path = "/tmp/tactor-watched-" + std::to_string(::getpid()) + ".sock";
  stay_on(1);  // the console's thread, too
  const auto console = tactor::start_console(system, {.address = path});
  if (!console) {
    std::fprintf(stderr, "actors_watched: %s\n", console.error().text.c_str());
    std::exit(1);
  }
  const auto one = system.spawn<player>("one", &counted);
  const auto two = system.spawn<player>("two", &counted);
  std::atomic<bool> ends = false;
  std::size_t got = 0;
  std::thread client;
  if (watched) client = std::thread{[&] { got = watch(path, ends); }};
  const auto begun = std::chrono::steady_clock::now();
  one.tell(ball{two});
  std::this_thread::sleep_for(length);
  system.stop(one);
  system.stop(two);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  ends = true;
  if (client.joinable()) client.join();
  if (watched && got == 0) std::fputs("actors_watched: the client got nothing\n", stderr);
  (void)const_cast<tactor::actor_system&>(system).shutdown(5s);
  return {.per_second = static_cast<double>(counted.total()) / took.count(),
          .per_processor_second = counted.per_processor_second(),
          .p999_ticks = counted.p999()};
}

double median(std::vector<double> of) {
  std::ranges::sort(of);
  return of[of.size() / 2];
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 5;
  const std::chrono::seconds length{count > 2 ? std::atoi(arguments[2]) : 3};
  std::array<std::vector<double>, 2> speed;
  std::array<std::vector<double>, 2> work;
  std::array<std::vector<double>, 2> gap;
  for (int i = 0; i < 2 * rounds; ++i) {
    const std::size_t watched = static_cast<std::size_t>(i) % 2;
    const round_result found = measure(watched == 1, length);
    speed[watched].push_back(found.per_second);
    work[watched].push_back(found.per_processor_second);
    gap[watched].push_back(found.p999_ticks);
    std::printf("%s %.3f M messages/s, %.3f M per second of the worker's processor time, p99.9 of "
                "the gaps %.0f ticks\n",
                watched == 1 ? "watched" : "alone  ", found.per_second / 1e6,
                found.per_processor_second / 1e6, found.p999_ticks);
  }
  std::printf("watched / alone: %.4f of the throughput, %.4f of it per processor time, %.3f of the "
              "gaps\n",
              median(speed[1]) / median(speed[0]), median(work[1]) / median(work[0]),
              median(gap[1]) / median(gap[0]));
  return 0;
}
