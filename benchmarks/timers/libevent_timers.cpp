// SPDX-License-Identifier: BSL-1.0
//
// The timers of libevent: one thread, its default clock, an event from the heap per timer. A
// callback gets one pointer, so the callables are in an array of the caller.
#include "workloads.hpp"
#include <event2/event.h>

#include <cstring>

namespace timers {
namespace {

class libevent_timers {
public:
  explicit libevent_timers(const setup& wanted)
      : base_(event_base_new()), events_(wanted.live), callables_(wanted.live) {}
  libevent_timers(const libevent_timers&) = delete;
  libevent_timers& operator=(const libevent_timers&) = delete;
  ~libevent_timers() {
    for (event* each : events_)
      if (each != nullptr) event_free(each);
    event_base_free(base_);
  }

  template <class Callable>
  void schedule(std::size_t number, nanoseconds delay, const Callable& callable) {
    static_assert(sizeof(Callable) == sizeof(callable_storage) &&
                  std::is_trivially_copyable_v<Callable>);
    std::memcpy(&callables_[number], &callable, sizeof callable);
    const auto call = [](evutil_socket_t, short, void* room_of_it) {
      (*static_cast<Callable*>(room_of_it))();
    };
    events_[number] = event_new(base_, -1, 0, call, &callables_[number]);
    const auto us = std::chrono::ceil<std::chrono::microseconds>(delay).count();
    const timeval after{.tv_sec = us / 1'000'000, .tv_usec = us % 1'000'000};
    evtimer_add(events_[number], &after);
  }
  template <class Callable>
  void schedule_at(std::size_t number, clock::time_point moment, const Callable& callable) {
    schedule(number, moment - clock::now(), callable);
  }
  void cancel(std::size_t number) {
    evtimer_del(events_[number]);
    event_free(events_[number]);
    events_[number] = nullptr;
  }
  void breathe() { event_base_loop(base_, EVLOOP_NONBLOCK); }
  template <class Done>
  void run(Done done) {
    while (!done())
      event_base_loop(base_, EVLOOP_ONCE);
  }

private:
  struct alignas(8) callable_storage {
    std::byte bytes[16];
  };

  event_base* base_;
  std::vector<event*> events_;
  std::vector<callable_storage> callables_;
};

}  // namespace
}  // namespace timers

int main(int argc, char** argv) {
  return timers::run_workload<timers::libevent_timers>(argc, argv);
}
