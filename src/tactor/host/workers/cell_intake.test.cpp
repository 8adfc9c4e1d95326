// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/workers/cell_intake.hpp"

#include "tactor/core/dispatch/ready_queue_coordinator.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <span>
#include <thread>
#include <vector>

namespace tactor::inline v0::host {

using namespace tactor::internal;

namespace {

TEST(cell_intake, gives_all_cells_in_the_order_in_which_they_came) {
  std::array<ready_cell, 3> cells;
  cell_intake intake;
  EXPECT_TRUE(intake.empty());
  EXPECT_EQ(intake.take_all().size, 0u);
  EXPECT_TRUE(intake.push(cells[0])) << "it was empty";
  EXPECT_FALSE(intake.push(cells[1]));
  EXPECT_FALSE(intake.push(cells[2]));
  EXPECT_EQ(intake.size(), 3u);
  EXPECT_FALSE(intake.empty());

  const cell_intake::chain taken = intake.take_all();
  EXPECT_EQ(taken.size, 3u);
  EXPECT_EQ(taken.oldest, &cells[0]);
  EXPECT_EQ(cells[0].next.get(), &cells[1]);
  EXPECT_EQ(cells[1].next.get(), &cells[2]);
  EXPECT_EQ(cells[2].next.get(), nullptr);
  EXPECT_EQ(taken.newest, &cells[2]);
  EXPECT_EQ(intake.size(), 0u);
  EXPECT_TRUE(intake.push(cells[0])) << "it is empty again";
}

TEST(cell_intake, gives_each_cell_of_several_threads_once_and_those_of_a_thread_in_order) {
  constexpr std::size_t threads = 4;
  constexpr std::size_t each_has = 5000;
  std::vector<ready_cell> cells(threads * each_has);
  cell_intake intake;
  std::vector<std::jthread> senders;
  for (std::size_t i = 0; i < threads; ++i)
    senders.emplace_back([&, i] {
      for (ready_cell& each : std::span{cells}.subspan(i * each_has, each_has))
        (void)intake.push(each);
    });
  std::array<std::size_t, threads> next{};
  for (std::size_t count = 0; count < cells.size();) {
    const cell_intake::chain taken = intake.take_all();
    count += taken.size;
    for (ready_cell* each = taken.oldest; each != nullptr; each = each->next.get()) {
      const auto number = static_cast<std::size_t>(each - cells.data());
      EXPECT_EQ(number % each_has, next[number / each_has]++);
    }
  }
  EXPECT_TRUE(intake.empty());
}

}  // namespace
}  // namespace tactor::inline v0::host
