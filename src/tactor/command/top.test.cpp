// SPDX-License-Identifier: BSL-1.0
#include "tactor/command/top.hpp"

#include "tactor/command/printable.hpp"
#include "tactor/command/real_system.test.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace command {
namespace {

using nlohmann::json;

top_sample sample_at(std::uint64_t time_ns, std::uint64_t handled) {
  return {
      .system = {{"name", "shop"},
                 {"phase", "running"},
                 {"time_ns", time_ns},
                 {"actors", 12'000},
                 {"metrics_level", "actor"},
                 {"sums",
                  {{"actor.messages_handled_total", handled},
                   {"actor.messages_sent_total", handled + 7}}}},
      .workers = {{"time_ns", time_ns},
                  {"workers", json::array({{{"name", "worker-0"}, {"busy_ns", handled * 1000}}})}},
      .actors = {{"time_ns", time_ns},
                 {"actors", json::array({{{"id", "1.1"},
                                          {"path", "/user/\x1b[2Jx"},
                                          {"state", "running"},
                                          {"waiting", 3},
                                          {"handled", handled},
                                          {"busy_ns", handled * 500}}})}},
      .warnings = {{"warnings", json::array({{{"what", "old"}, {"evidence", "\x07 waits"}}})}}};
}

TEST(top, shows_rates_since_the_picture_before) {
  const top_sample before = sample_at(1'000'000'000, 1'000'000);
  const top_sample now = sample_at(3'000'000'000, 3'000'000);
  const lines picture = top_picture(now, &before, {});
  EXPECT_EQ(picture[0], "shop  running  actors 12k  metrics actor  (q quits; sort: w h b r s p)");
  EXPECT_TRUE(picture[1].starts_with("sent 1.0M/s  handled 1.0M/s  waiting -")) << picture[1];
  EXPECT_EQ(picture[3], "worker-0 100%  ");
  EXPECT_EQ(picture[4], "! old: \\x07 waits");
  EXPECT_TRUE(picture[7].contains("1.0M/s   50%  ")) << picture[7];
  EXPECT_TRUE(picture[7].ends_with("running  /user/\\x1b[2Jx")) << picture[7];
  const lines first = top_picture(now, nullptr, {});
  EXPECT_TRUE(first[1].starts_with("sent -/s  handled -/s")) << first[1];
  const lines restarted = top_picture(before, &now, {});  // another program with the same address
  EXPECT_TRUE(restarted[1].starts_with("sent -/s  handled -/s")) << restarted[1];
}

TEST(top, shows_some_number_also_if_a_program_says_nonsense) {
  const top_sample before = sample_at(1, 0);
  top_sample now = sample_at(2, 18'000'000'000'000'000'000U);
  now.workers["workers"][0]["busy_ns"] = 18'000'000'000'000'000'000U;
  const lines picture = top_picture(now, &before, {.rows = 24, .columns = 200});
  EXPECT_TRUE(picture[1].contains("handled 9.0E/s")) << picture[1];
  EXPECT_EQ(picture[3], "worker-0 9000000000000000000%  ");
}

TEST(top, fits_every_screen) {
  const real_system real;
  top_sample now{.system = json::parse(real.part("system")),
                 .workers = json::parse(real.part("workers")),
                 .actors = json::parse(real.part("actors")),
                 .warnings = json::parse(real.part("warnings"))};
  for (int i = 0; i < 200; ++i)
    now.workers["workers"].push_back({{"name", "worker-" + std::to_string(i)}, {"busy_ns", i}});
  for (int i = 0; i < 100; ++i)
    now.warnings["warnings"].push_back({{"what", "x"}, {"evidence", std::string(300, 'y')}});
  for (const screen_size size :
       {screen_size{}, screen_size{.rows = 10, .columns = 20}, screen_size{.rows = 1, .columns = 1},
        screen_size{.rows = 60, .columns = 250}}) {
    const lines picture = top_picture(now, &now, size);
    EXPECT_LE(picture.size(), size.rows);
    for (const std::string& each : picture)
      EXPECT_LE(width_of(each), size.columns) << each;
  }
  (void)top_picture({}, nullptr, {});  // nothing is there
}

}  // namespace
}  // namespace command
