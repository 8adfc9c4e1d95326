// SPDX-License-Identifier: BSL-1.0
//
// The timers of libuv: one thread, resolution 1 ms, a handle from the heap per timer.
#include "workloads.hpp"
#include <uv.h>

#include <new>

namespace timers {
namespace {

class libuv_timers {
public:
  explicit libuv_timers(const setup& wanted) : handles_(wanted.live) { uv_loop_init(&loop_); }
  libuv_timers(const libuv_timers&) = delete;
  libuv_timers& operator=(const libuv_timers&) = delete;
  ~libuv_timers() {
    for (uv_timer_t* each : handles_)
      if (each != nullptr)
        uv_close(as_handle(each), nullptr);  // their memory is freed with the process
    uv_run(&loop_, UV_RUN_DEFAULT);
    uv_loop_close(&loop_);
  }

  template <class Callable>
  void schedule(std::size_t number, nanoseconds delay, const Callable& callable) {
    const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(delay);
    start(number, static_cast<std::uint64_t>(rounded.count()), callable);
  }
  template <class Callable>
  void schedule_at(std::size_t number, clock::time_point moment, const Callable& callable) {
    // libuv counts whole milliseconds of the same clock.
    const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(moment.time_since_epoch());
    start(number, static_cast<std::uint64_t>(rounded.count()) - uv_now(&loop_), callable);
  }
  void cancel(std::size_t number) {
    uv_timer_stop(handles_[number]);
    uv_close(as_handle(handles_[number]), [](uv_handle_t* handle) { ::operator delete(handle); });
    handles_[number] = nullptr;
  }
  void breathe() { uv_run(&loop_, UV_RUN_NOWAIT); }
  template <class Done>
  void run(Done done) {
    while (!done())
      uv_run(&loop_, UV_RUN_ONCE);
  }

private:
  template <class Callable>
  struct timer {
    uv_timer_t handle;  // first: a pointer to it is a pointer to the struct
    Callable callable;
  };

  static uv_handle_t* as_handle(uv_timer_t* timer) {
    return static_cast<uv_handle_t*>(static_cast<void*>(timer));
  }

  template <class Callable>
  void start(std::size_t number, std::uint64_t ms, const Callable& callable) {
    auto* const fresh =
        ::new (::operator new(sizeof(timer<Callable>))) timer<Callable>{{}, callable};
    uv_timer_init(&loop_, &fresh->handle);
    fresh->handle.data = fresh;
    const auto call = [](uv_timer_t* due) { static_cast<timer<Callable>*>(due->data)->callable(); };
    uv_timer_start(&fresh->handle, call, ms, 0);
    handles_[number] = &fresh->handle;
  }

  uv_loop_t loop_{};
  std::vector<uv_timer_t*> handles_;
};

}  // namespace
}  // namespace timers

int main(int argc, char** argv) {
  return timers::run_workload<timers::libuv_timers>(argc, argv);
}
