// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/snapshot/board_frames.hpp"

#include "tactor/bare/counter_clock.hpp"
#include "tactor/bare/frame_buffer.hpp"
#include "tactor/bare/frame_reporter.hpp"
#include "tactor/bare/system.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/observe/board_frame.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;

struct string_sink final : text_sink {
  void write(std::string_view piece) noexcept override { text += piece; }
  std::string text;
};
using byte_list = std::vector<std::byte>;
struct list_sink final : bare::byte_sink {
  std::size_t write(std::span<const std::byte> piece) noexcept override {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
    return piece.size();
  }
  byte_list bytes;
};

struct sent_note {};
struct sent_clerk : actor<sent_note> {
  void receive(context&, const sent_note&) {}
};

constexpr bare::system_size sent_size{
    .actors = 3, .envelopes = 8, .timers = 2, .name = 8, .suspended = 1, .suspension_commands = 2};
std::uint32_t milliseconds_now = 0;
std::uint32_t read_milliseconds() noexcept {
  return milliseconds_now;
}
constinit bare::counter_clock board_clock{read_milliseconds, 1'000'000};
constinit bare::system<sent_size> board;
list_sink written;
constinit bare::frame_reporter<sent_size> frames{
    written, +[]() noexcept { return bare::stack_use{100, 1000}; }};

void run_board() {
  while (board.poll()) {
  }
}
byte_list snapshot_of_board() {
  written.bytes.clear();
  frames.request();
  while (frames.write_some(board)) {
  }
  return written.bytes;
}
/// A board with a suspended actor that two messages wait for; of five, three were refused.
void start_board() {
  static bool started = false;
  if (started) return;
  started = true;
  board.start(board_clock);
  const auto desk = board.try_spawn<sent_clerk>({.name = "desk", .mailbox = {.capacity = 2}});
  ASSERT_TRUE(desk.has_value());
  ASSERT_TRUE(board.try_spawn<sent_clerk>("other").has_value());
  ASSERT_TRUE(board.schedule_once(1h, *desk, sent_note{}).has_value());
  milliseconds_now = 5000;
  ASSERT_TRUE(board.suspend(*desk).has_value());
  run_board();
  for (int n = 0; n < 5; ++n)
    (void)desk->tell(sent_note{});
  run_board();
  milliseconds_now = 7000;
}

/// Decodes all of it, in pieces of that size.
std::vector<board_snapshot> decode(const byte_list& bytes, frame_faults& faults,
                                   std::size_t piece = 1'000'000) {
  std::vector<board_snapshot> found;
  frame_decoder decoder;
  for (std::span<const std::byte> rest = bytes; !rest.empty();) {
    std::span<const std::byte> next = rest.first(std::min(piece, rest.size()));
    rest = rest.subspan(next.size());
    while (const board_snapshot* const done = decoder.take(next))
      found.push_back(*done);
  }
  faults = decoder.faults();
  return found;
}
std::string json_of(const board_snapshot& of, const snapshot_query& wanted) {
  string_sink to;
  write_snapshot(of, {}, wanted, to);
  return to.text;
}

TEST(board_frames, bring_what_the_board_has_into_the_same_snapshots) {
  start_board();
  frame_faults faults;
  for (const std::size_t piece : {1'000'000u, 1u, 7u}) {
    const auto found = decode(snapshot_of_board(), faults, piece);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(faults, frame_faults{});
    EXPECT_EQ(found[0].sums, board.metrics());
    EXPECT_EQ(found[0].live, 2U);
    const std::string actors = json_of(found[0], {.part = snapshot_part::actors});
    EXPECT_TRUE(actors.contains(
        R"("path":"/user/desk","type":")" + std::string{type_name_of<sent_clerk>} +
        R"(","state":"suspended","reasons":["user_defined"],"suspended_for_ns":2000000000,)"
        R"("waiting":2,"oldest_ns":null,"capacity":2,)"))
        << actors;
    EXPECT_TRUE(actors.contains(R"("matching":2,"offset":0,)")) << actors;
    const std::string dead = json_of(found[0], {.part = snapshot_part::dead_letters});
    EXPECT_TRUE(dead.contains(R"("total":3,)")) << dead;
    const std::string timers = json_of(found[0], {.part = snapshot_part::timers});
    EXPECT_TRUE(timers.contains(R"("active_total":1,)")) << timers;
    const std::string only = json_of(found[0], {.part = snapshot_part::board});
    EXPECT_TRUE(only.contains(R"("stack_used":100,"stack_size":1000,)")) << only;
    EXPECT_TRUE(only.contains(R"("path":"/user/desk","deepest":2})")) << only;
  }
}

TEST(board_frames, have_the_documented_fields_in_every_part) {
  start_board();
  string_sink lines;
  EXPECT_EQ(write_snapshots(snapshot_of_board(), lines), frame_faults{});
  const std::string file =
      testing::TempDir() + "tactor_board_frames_" + std::to_string(::getpid()) + ".jsonl";
  // A query for one actor needs its path.
  frame_faults faults;
  const auto found = decode(snapshot_of_board(), faults);
  std::ofstream{file} << lines.text
                      << json_of(found.at(0), {.part = snapshot_part::actor, .path = "/user/desk"});
  const std::string check = "python3 " TACTOR_CHECK_SNAPSHOT " " + file;
  EXPECT_EQ(std::system(check.c_str()), 0);
  (void)std::remove(file.c_str());
}

TEST(board_frames, with_a_wrong_or_missing_byte_are_counted_and_yield_no_wrong_snapshot) {
  start_board();
  const byte_list before = snapshot_of_board();
  const byte_list good = snapshot_of_board();
  const byte_list after = snapshot_of_board();
  frame_faults faults;
  for (std::size_t at = 0; at < good.size(); ++at)
    for (const int how : {0, 1, 2, 3}) {
      byte_list bad = good;
      if (how < 3)
        bad[at] ^= std::byte{static_cast<unsigned char>(how == 0 ? 0xFF : how == 1 ? 1 : 0x80)};
      if (how == 3) bad.erase(bad.begin() + static_cast<std::ptrdiff_t>(at));
      byte_list all = before;
      all.insert(all.end(), bad.begin(), bad.end());
      all.insert(all.end(), after.begin(), after.end());
      const auto found = decode(all, faults);
      EXPECT_GE(faults.damaged, 1U) << at << " " << how;
      ASSERT_GE(found.size(), 1U);
      EXPECT_EQ(found.front().number + 2, decode(after, faults).at(0).number);
      for (const board_snapshot& each : found) {
        EXPECT_EQ(each.sums, found.front().sums);
        EXPECT_EQ(each.actors.size(), 2U);
      }
    }
}

TEST(board_frames, between_garbage_and_cut_frames_are_found) {
  start_board();
  std::minstd_rand random{7};  // NOLINT(cert-msc51-cpp): the same each time
  const byte_list good = snapshot_of_board();
  byte_list all;
  for (int n = 0; n < 20'000; ++n)
    all.push_back(static_cast<std::byte>(random()));
  all.push_back(std::byte{0});
  all.insert(all.end(), good.begin(), good.end());
  all.insert(all.end(), good.begin(), good.begin() + 20);  // the board was reset
  all.push_back(std::byte{0});
  all.insert(all.end(), good.begin(), good.end());
  frame_faults faults;
  EXPECT_EQ(decode(all, faults).size(), 2U);
  EXPECT_GT(faults.damaged, 50U);
}

/// A frame of any contents.
byte_list frame_with(std::uint8_t version, bare::internal::board_frame::kind kind,
                     std::uint8_t number) {
  bare::internal::frame_buffer frame;
  frame.begin(kind, number);
  frame.number(1);
  frame.finish();
  byte_list made{frame.rest().begin(), frame.rest().end()};
  if (version == bare::internal::board_frame::version) return made;
  // version, kind, number, field: none is zero, so the code says nothing else
  made[1] = std::byte{version};
  const std::uint16_t sum = bare::internal::board_frame::checksum(std::span{made}.subspan(1, 4));
  made[5] = static_cast<std::byte>(sum & 0xFFU);
  made[6] = static_cast<std::byte>(sum >> 8U);
  return made;
}

TEST(board_frames, of_other_versions_and_kinds_are_counted_as_unknown) {
  using kind = bare::internal::board_frame::kind;
  frame_faults faults;
  EXPECT_TRUE(decode(frame_with(2, kind::begin, 1), faults).empty());
  EXPECT_EQ(faults, (frame_faults{.unknown = 1}));
  EXPECT_TRUE(decode(frame_with(1, static_cast<kind>(77), 1), faults).empty());
  EXPECT_EQ(faults, (frame_faults{.unknown = 1}));
  // Its fields are cut off: only one number is there.
  EXPECT_TRUE(decode(frame_with(1, kind::begin, 1), faults).empty());
  EXPECT_EQ(faults, (frame_faults{.damaged = 1}));
}

TEST(board_frames, that_are_missing_are_counted_and_their_snapshot_is_left_out) {
  start_board();
  const byte_list whole = snapshot_of_board();
  const auto second = std::find(whole.begin(), whole.end(), std::byte{0}) + 1;
  const auto third = std::find(second, whole.end(), std::byte{0}) + 1;
  byte_list cut{whole.begin(), second};
  cut.insert(cut.end(), third, whole.end());
  frame_faults faults;
  EXPECT_TRUE(decode(cut, faults).empty());
  EXPECT_EQ(faults, (frame_faults{.missing = 1}));
}

/// A frame with these numbers.
byte_list frame_of(bare::internal::board_frame::kind kind, std::uint8_t number,
                   const std::vector<std::uint64_t>& fields) {
  bare::internal::frame_buffer frame;
  frame.begin(kind, number);
  for (const std::uint64_t each : fields)
    frame.number(each);
  frame.finish();
  return {frame.rest().begin(), frame.rest().end()};
}

// A program that knows one sum more than the firmware left out every snapshot.
TEST(board_frames, of_older_firmware_have_fewer_sums_and_those_of_newer_firmware_more) {
  using kind = bare::internal::board_frame::kind;
  const auto sums_sent = [](std::size_t count) {
    byte_list bytes = frame_of(kind::begin, 0, {5, 7, 0, 2, 0, 100, 1000});
    std::uint8_t number = 1;
    for (std::size_t first = 0; first < count; ++number) {
      std::vector<std::uint64_t> fields{first};
      for (; first < count && fields.size() < 10; ++first)
        fields.push_back(first + 1);
      const byte_list frame = frame_of(kind::sums, number, fields);
      bytes.insert(bytes.end(), frame.begin(), frame.end());
    }
    const byte_list end = frame_of(kind::end, number, {0});
    bytes.insert(bytes.end(), end.begin(), end.end());
    return bytes;
  };
  constexpr std::size_t last = 52;  // the index of the worst drift
  constexpr std::size_t known = bare::internal::board_frame::sums;
  for (const std::size_t sent : {last, known, known + 1}) {
    frame_faults faults;
    const auto found = decode(sums_sent(sent), faults);
    ASSERT_EQ(found.size(), 1U) << sent;
    EXPECT_EQ(faults, frame_faults{});
    EXPECT_EQ(found[0].sums.messages_sent, 1U);
    EXPECT_EQ(found[0].sums.timers.drift_worst_ns, sent == last ? 0U : last + 1);
  }
}

// A figure that was added to one list used to change the indices of all lists behind it.
TEST(board_frames, keep_the_index_of_each_sum_when_a_list_grows) {
  namespace frame = internal::board_frame;
  metrics_snapshot of;
  EXPECT_EQ(frame::sum_at(of, 0), &of.messages_sent);
  EXPECT_EQ(frame::sum_at(of, 16), &of.ready_queue_depth);
  EXPECT_EQ(frame::sum_at(of, 21), of.dead_letters.data());
  EXPECT_EQ(frame::sum_at(of, 37), &of.timers.scheduled_total);
  EXPECT_EQ(frame::sum_at(of, 52), &of.timers.drift_worst_ns);

  using place = frame::place;  // of the 54th to the 58th figure
  EXPECT_EQ(frame::place_of(53), (place{.list = 0, .at = 16}));
  EXPECT_EQ(frame::place_of(54), (place{.list = 1, .at = 5}));
  EXPECT_EQ(frame::place_of(55), (place{.list = 2, .at = 16}));
  EXPECT_EQ(frame::place_of(56), (place{.list = 3, .at = 16}));
  EXPECT_EQ(frame::place_of(57), (place{.list = 0, .at = 17}));
}

TEST(board_frames, have_one_index_for_every_sum) {
  metrics_snapshot of;
  std::set<std::uint64_t*> found;
  for (std::size_t index = 0; index != internal::board_frame::sums + 8; ++index) {
    std::uint64_t* const sum = internal::board_frame::sum_at(of, index);
    if (sum != nullptr) {
      EXPECT_TRUE(found.insert(sum).second) << index;
    }
  }
  EXPECT_EQ(found.size() * sizeof(std::uint64_t), sizeof of);
}

/// The frames of a snapshot.
std::vector<byte_list> frames_of(const byte_list& snapshot) {
  std::vector<byte_list> all(1);
  for (const std::byte each : snapshot) {
    all.back().push_back(each);
    if (each == std::byte{0}) all.emplace_back();
  }
  all.pop_back();
  return all;
}

TEST(board_frames, of_two_snapshots_are_never_taken_for_one) {
  start_board();
  const auto first = frames_of(snapshot_of_board());
  const auto second = frames_of(snapshot_of_board());
  ASSERT_EQ(first.size(), 5U);  // begin, sums, two actors, end
  byte_list mixed;
  for (std::size_t i = 0; i < 3; ++i)
    mixed.insert(mixed.end(), first[i].begin(), first[i].end());
  for (std::size_t i = 3; i < 5; ++i)
    mixed.insert(mixed.end(), second[i].begin(), second[i].end());
  frame_faults faults;
  EXPECT_TRUE(decode(mixed, faults).empty());
  EXPECT_EQ(faults, (frame_faults{.missing = 5}));
}

/// The bytes that the example for boards writes in QEMU: each board writes exactly these.
TEST(board_frames, of_the_example_are_decoded_to_exactly_this) {
  byte_list bytes;
  std::ifstream digits{TACTOR_OBSERVED ".hex"};
  for (char high = 0, low = 0; digits >> high >> low;)
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string{high, low}, nullptr, 16)));
  string_sink lines;
  EXPECT_EQ(write_snapshots(bytes, lines), frame_faults{});
  std::ifstream file{TACTOR_OBSERVED ".jsonl"};
  const std::string expected{std::istreambuf_iterator<char>{file}, {}};
  EXPECT_EQ(lines.text, expected);
}

}  // namespace
}  // namespace tactor
