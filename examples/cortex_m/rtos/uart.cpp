// SPDX-License-Identifier: BSL-1.0

// Lines for frames and for a dump of a board: compiled, not run. See examples/cortex_m/observed.cpp
// for a program that uses one.
#include "tactor/bare.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace {

constexpr tactor::bare::system_size size{.actors = 1, .envelopes = 2, .timers = 0};
constinit tactor::bare::system<size> board;

/// The registers of a UART: ready (1: it takes a byte) and data.
volatile std::uint32_t& uart(std::uint32_t offset) {
  return *reinterpret_cast<volatile std::uint32_t*>(0x4000'4000 + offset);
}
bool uart_has_room() {
  return (uart(4) & 1) == 0;
}
void uart_send(std::byte value) {
  uart(0) = std::to_integer<std::uint32_t>(value);
}

class uart_line final : public tactor::bare::byte_sink {
  std::size_t write(std::span<const std::byte> bytes) noexcept override {
    std::size_t taken = 0;
    while (taken < bytes.size() && uart_has_room())
      uart_send(bytes[taken++]);
    return taken;  // the rest is offered again
  }
};
constinit uart_line line;
constinit tactor::bare::frame_reporter<size> frames{line};
class console final : public tactor::text_sink {
  void write(std::string_view piece) noexcept override {
    for (const char each : piece) {
      while (!uart_has_room()) {
      }
      uart_send(std::byte(each));
    }
  }
};

}  // namespace

void run_observed();
void run_observed() {
  frames.request();  // in an actor, by a timer
  board.run([](auto) { tactor::bare::wait_for_interrupt(); },
            [] { return frames.write_some(board); });
}

void show_all();
void show_all() {
  console out;
  board.dump(tactor::dump_format::json, out);
}
