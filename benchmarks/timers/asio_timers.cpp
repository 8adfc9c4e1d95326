// SPDX-License-Identifier: BSL-1.0
//
// The timers of Boost.Asio: a steady_timer from the heap per timer, one thread runs the context.
#include "workloads.hpp"
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>

namespace timers {
namespace {

class asio_timers {
public:
  explicit asio_timers(const setup& wanted) : timers_(wanted.live) {}

  template <class Callable>
  void schedule(std::size_t number, nanoseconds delay, const Callable& callable) {
    timers_[number] = std::make_unique<boost::asio::steady_timer>(context_, delay);
    wait(number, callable);
  }
  template <class Callable>
  void schedule_at(std::size_t number, clock::time_point moment, const Callable& callable) {
    timers_[number] = std::make_unique<boost::asio::steady_timer>(context_, moment);
    wait(number, callable);
  }
  void cancel(std::size_t number) {
    timers_[number]->cancel();
    timers_[number] = nullptr;
  }
  void breathe() { context_.poll(); }
  template <class Done>
  void run(Done done) {
    while (!done())
      context_.run_one();
  }

private:
  template <class Callable>
  void wait(std::size_t number, const Callable& callable) {
    timers_[number]->async_wait([callable](const boost::system::error_code& error) {
      if (!error) callable();
    });
  }

  boost::asio::io_context context_;
  std::vector<std::unique_ptr<boost::asio::steady_timer>> timers_;
};

}  // namespace
}  // namespace timers

int main(int argc, char** argv) {
  return timers::run_workload<timers::asio_timers>(argc, argv);
}
