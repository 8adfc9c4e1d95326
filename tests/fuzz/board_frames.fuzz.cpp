// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/observe/board_frame.hpp"
#include "tactor/host/snapshot/frame_decoder.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <span>
#include <vector>

namespace tactor::property {
namespace {

namespace board_frame = internal::board_frame;
using byte_list = std::vector<std::byte>;

/// Adds a whole frame: with a checksum, encoded.
void add_frame(byte_list& to, std::span<const std::byte> contents) {
  const std::uint16_t sum = board_frame::checksum(contents);
  byte_list whole{contents.begin(), contents.end()};
  whole.push_back(static_cast<std::byte>(sum & 0xFFU));
  whole.push_back(static_cast<std::byte>(sum >> 8U));
  std::size_t code = to.size();
  to.push_back(std::byte{1});
  for (const std::byte each : whole) {
    if (each == std::byte{0}) {
      code = to.size();
      to.push_back(std::byte{1});
    } else {
      to.push_back(each);
      to[code] = static_cast<std::byte>(std::to_integer<unsigned>(to[code]) + 1);
    }
  }
  to.push_back(std::byte{0});
}

/// A whole snapshot without actors.
void add_snapshot(byte_list& to) {
  const auto byte_of = [](auto value) { return static_cast<std::byte>(value); };
  byte_list begin{std::byte{board_frame::version}, byte_of(board_frame::kind::begin), std::byte{9}};
  begin.resize(begin.size() + 7, std::byte{5});
  add_frame(to, begin);
  byte_list sums{std::byte{board_frame::version}, byte_of(board_frame::kind::sums), std::byte{10},
                 std::byte{0}};
  sums.resize(sums.size() + board_frame::sums, std::byte{7});
  add_frame(to, sums);
  add_frame(to, byte_list{std::byte{board_frame::version}, byte_of(board_frame::kind::end),
                          std::byte{11}, std::byte{0}});
}

/// Half of the inputs are the stream itself; the others are contents of frames, each after its
/// length: a checksum is hard to guess.
byte_list stream_of(std::span<const std::byte> input) {
  byte_list stream;
  if (input.empty()) return stream;
  const bool raw = std::to_integer<unsigned>(input[0]) % 2 == 0;
  input = input.subspan(1);
  if (raw) return {input.begin(), input.end()};
  while (!input.empty()) {
    const std::size_t wanted = std::to_integer<std::size_t>(input[0]) % board_frame::longest;
    input = input.subspan(1);
    const std::size_t length = std::min(wanted, input.size());
    add_frame(stream, input.first(length));
    input = input.subspan(length);
  }
  return stream;
}

struct outcome {
  std::size_t snapshots = 0;
  std::uint64_t last_number = 0;
  frame_faults faults;
  friend bool operator==(const outcome&, const outcome&) = default;
};
outcome decode(std::span<const std::byte> stream, std::size_t piece) {
  outcome all;
  frame_decoder decoder;
  while (!stream.empty()) {
    std::span<const std::byte> next = stream.first(std::min(piece, stream.size()));
    stream = stream.subspan(next.size());
    while (const board_snapshot* const found = decoder.take(next)) {
      ++all.snapshots;
      all.last_number = found->number;
    }
  }
  all.faults = decoder.faults();
  return all;
}

void check(bool holds, const char* what) {
  if (holds) return;
  std::cerr << what << '\n';
  std::abort();
}

void run(std::span<const std::byte> input) {
  byte_list stream = stream_of(input);
  const outcome at_once = decode(stream, stream.size() + 1);
  check(at_once == decode(stream, 1), "bytes one by one are not the same as all at once");
  stream.push_back(std::byte{0});
  add_snapshot(stream);
  const outcome with_good = decode(stream, 64);
  check(with_good.snapshots == at_once.snapshots + 1 && with_good.last_number == 5,
        "a whole snapshot was not found after other bytes");
}

}  // namespace
}  // namespace tactor::property

// NOLINTBEGIN(readability-identifier-naming): libFuzzer calls them
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  tactor::property::run(std::as_bytes(std::span{bytes, size}));
  return 0;
}
// NOLINTEND(readability-identifier-naming)
