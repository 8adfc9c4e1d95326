// SPDX-License-Identifier: BSL-1.0
// A coroutine of standalone Asio that posts a question to another strand and awaits the answer, one
// after the other: what `co_await ctx.ask` is beside. Without a timeout, which an ask always has.
//
//   peer_asio_strands ask|ask_co_spawn COUNT THREADS      prints one line of JSON
#include "../actors/measuring.hpp"
#include <asio.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

using number = std::uint64_t;
using strand = asio::strand<asio::io_context::executor_type>;

/// The leanest form: one post there, one dispatch back.
asio::awaitable<void> asks(strand oracle, number count) {
  for (number i = 0; i < count; ++i) {
    const number answer =
        co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(number)>(
            [&oracle, i](auto handler) {
              asio::post(oracle, [handler = std::move(handler), i]() mutable {
                const auto back = asio::get_associated_executor(handler);
                asio::dispatch(back, [handler = std::move(handler), answer = i + 1]() mutable {
                  std::move(handler)(answer);
                });
              });
            },
            asio::use_awaitable);
    if (answer != i + 1) std::abort();
  }
}

asio::awaitable<number> answer(number question) {
  co_return question + 1;
}
/// The form of the documentation: the answer is a coroutine of the other strand.
asio::awaitable<void> asks_by_co_spawn(strand oracle, number count) {
  for (number i = 0; i < count; ++i)
    if (co_await asio::co_spawn(oracle, answer(i), asio::use_awaitable) != i + 1) std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s ask|ask_co_spawn COUNT THREADS\n", argv[0]);
    return 2;
  }
  const std::string_view form = argv[1];
  const number count = std::strtoull(argv[2], nullptr, 10);
  const int threads = std::atoi(argv[3]);
  asio::io_context io{threads};
  const strand asker{io.get_executor()};
  const strand oracle{io.get_executor()};
  const auto failed = [](const std::exception_ptr& why) {
    if (why) std::abort();
  };
  const double spent = bench::processor_ns();
  const std::int64_t begun = bench::now_ns();
  if (form == "ask") {
    asio::co_spawn(asker, asks(oracle, count), failed);
  } else {
    asio::co_spawn(asker, asks_by_co_spawn(oracle, count), failed);
  }
  std::vector<std::jthread> others;
  for (int i = 1; i < threads; ++i)
    others.emplace_back([&io] { io.run(); });
  io.run();
  others.clear();
  const auto each = static_cast<double>(count);
  std::printf("{\"workload\": \"asio_%s\", \"count\": %llu, \"workers\": %d, \"ns\": %.2f, "
              "\"cpu_ns\": %.2f}\n",
              argv[1], static_cast<unsigned long long>(count), threads,
              static_cast<double>(bench::now_ns() - begun) / each,
              (bench::processor_ns() - spent) / each);
  return 0;
}
