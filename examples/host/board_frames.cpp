// SPDX-License-Identifier: BSL-1.0

// Reads what a board has sent (examples/cortex_m/observed.cpp) from the standard input, and writes
// what can be seen of it as JSON, a line for each part of each snapshot.
#include "tactor/observe.hpp"

#include <cstddef>
#include <iostream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

namespace {

struct standard_output final : tactor::text_sink {
  void write(std::string_view piece) noexcept override { std::cout << piece; }
};

}  // namespace

int main() {
  const std::string read{std::istreambuf_iterator<char>{std::cin}, {}};
  standard_output to;
  const tactor::frame_faults faults = tactor::write_snapshots(std::as_bytes(std::span{read}), to);
  std::cerr << faults.damaged << " damaged, " << faults.unknown << " unknown, " << faults.missing
            << " missing frames\n";
  return 0;
}
