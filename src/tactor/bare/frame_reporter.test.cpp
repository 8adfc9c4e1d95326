// SPDX-License-Identifier: BSL-1.0
#include "tactor/bare/frame_reporter.hpp"

#include "tactor/bare/counter_clock.hpp"
#include "tactor/bare/system.hpp"
#include "tactor/core/actor/actor.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tactor::bare {
namespace {

struct framed_note {};
struct framed_clerk : actor<framed_note> {
  void receive(context&, const framed_note&) {}
};

constexpr system_size framed_size{.actors = 2, .envelopes = 4, .timers = 1};

/// Takes so many bytes at each call.
class slow_line final : public byte_sink {
public:
  std::size_t write(std::span<const std::byte> bytes) noexcept override {
    longest = bytes.size() > longest ? bytes.size() : longest;
    const std::size_t count = bytes.size() < at_once ? bytes.size() : at_once;
    for (const std::byte each : bytes.first(count)) {
      ++size;
      if (each == std::byte{0}) ++frames;
    }
    return count;
  }
  std::size_t at_once = 1'000;
  std::size_t longest = 0;
  std::size_t size = 0;
  std::size_t frames = 0;  // a zero byte ends each, and is in none
};

constinit slow_line line;
constinit system<framed_size> board;
constinit frame_reporter<framed_size> reporter{line};
std::uint32_t no_time() noexcept {
  return 0;
}
constinit counter_clock stopped_clock{no_time, 1'000'000};

void begin() {
  static bool started = false;
  if (!started) board.start(stopped_clock);
  started = true;
  line = {};
}

constexpr std::size_t frames_without_actors = 3;  // begin, sums, end

TEST(frame_reporter, writes_nothing_before_it_is_asked) {
  begin();
  EXPECT_FALSE(reporter.write_some(board));
  EXPECT_EQ(line.size, 0u);
}

TEST(frame_reporter, writes_a_piece_at_a_time_and_a_frame_for_each_actor) {
  begin();
  const auto made = board.try_spawn<framed_clerk>(spawn_options{});
  ASSERT_TRUE(made.has_value());
  while (board.poll()) {
  }
  reporter.request();
  std::size_t calls = 1;
  while (reporter.write_some(board))
    ++calls;
  EXPECT_EQ(line.frames, frames_without_actors + 1);
  EXPECT_EQ(line.longest, 16u);
  EXPECT_GE(calls * 16, line.size);
  EXPECT_FALSE(reporter.write_some(board));  // one request, one snapshot
  board.stop(*made);
  while (board.poll()) {
  }
  EXPECT_EQ(reporter.lost(), 0u);
}

TEST(frame_reporter, never_waits_for_a_sink_and_counts_what_it_could_not_write) {
  begin();
  line.at_once = 0;
  reporter.request();
  EXPECT_FALSE(reporter.write_some(board));  // nothing else to do than to wait
  EXPECT_FALSE(reporter.write_some(board));
  reporter.request();
  reporter.request();
  EXPECT_EQ(reporter.lost(), 2u);

  line.at_once = 1;  // what was begun is written
  while (reporter.write_some(board)) {
  }
  EXPECT_EQ(line.frames, frames_without_actors);
  reporter.request();
  EXPECT_EQ(reporter.lost(), 2u);
  while (reporter.write_some(board)) {
  }
  EXPECT_EQ(line.frames, 2 * frames_without_actors);
}

TEST(frame_reporter, is_called_by_run_before_each_turn_and_before_it_sleeps) {
  begin();
  const auto made = board.try_spawn<framed_clerk>(spawn_options{});
  ASSERT_TRUE(made.has_value());
  made->tell(framed_note{});
  int calls = 0;
  board.run([](auto) { board.begin_stop(); },
            [&calls] {
              ++calls;
              return calls < 10;  // has more to write
            });
  EXPECT_GE(calls, 10);
  EXPECT_TRUE(board.stopped());
}

}  // namespace
}  // namespace tactor::bare
