// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/send/wait_graph.hpp"

#include "tactor/base/memory_source.hpp"
#include "tactor/core/cell/cell.hpp"

#include "scenario.hpp"
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace tactor::model {

using namespace tactor::internal;

namespace {

class no_pages final : public page_source {
public:
  [[nodiscard]] void* allocate(std::size_t /*bytes*/, std::size_t /*alignment*/) noexcept override {
    return nullptr;
  }
};

// Three actors, each of which starts to wait for the next at the same time.
struct three_in_a_cycle {
  static constexpr unsigned threads = 3;
  no_pages memory;
  wait_graph graph{memory};
  std::array<cell, threads> cells;
  std::array<wait_node, threads> nodes;
  std::array<wait_edge, threads> edges;
  std::array<wait_cycle, threads> cycles;
  std::array<bool, threads> waits{};

  void before() {
    for (std::uint32_t i = 0; i < threads; ++i) {
      cells[i].slot = i;
      nodes[i].who = &cells[i];
      nodes[i].generation = 1;
      edges[i].to = &cells[(i + 1) % threads];
      edges[i].generation = 1;
    }
  }
  void thread(unsigned index) {
    waits[index] = graph.add(nodes[index], edges[index], cycles[index]);
  }
  void after() {
    unsigned refused = 0;
    for (unsigned i = 0; i < threads; ++i) {
      if (waits[i]) {
        graph.remove(nodes[i], edges[i]);
        continue;
      }
      ++refused;
      require(cycles[i].size == threads, "the cycle has another size");
      for (unsigned place = 0; place < threads; ++place)
        require(cycles[i].actors[place] == actor_ref<>{&cells[(i + place) % threads], 1},
                "another actor");
    }
    require(refused == 1, "none is refused, or more than the last");
  }
};

// One of two actors that wait for each other gives up at the same time.
struct one_gives_up {
  static constexpr unsigned threads = 2;
  no_pages memory;
  wait_graph graph{memory};
  std::array<cell, threads> cells;
  std::array<wait_node, threads> nodes;
  std::array<wait_edge, threads> edges;
  bool waits = false;

  void before() {
    for (std::uint32_t i = 0; i < threads; ++i) {
      cells[i].slot = i;
      nodes[i].who = &cells[i];
      nodes[i].generation = 1;
      edges[i].to = &cells[1 - i];
      edges[i].generation = 1;
    }
    wait_cycle none;
    require(graph.add(nodes[0], edges[0], none), "refused");
  }
  void thread(unsigned index) {
    wait_cycle found;
    if (index == 0) {
      graph.remove(nodes[0], edges[0]);
    } else {
      waits = graph.add(nodes[1], edges[1], found);
    }
  }
  void after() {
    wait_cycle found;
    require(graph.add(nodes[0], edges[0], found) != waits, "the edges are not what was added");
  }
};

// spec: M4f K3
TEST(wait_graph_model, of_actors_that_close_a_cycle_exactly_one_is_refused) {
  EXPECT_TRUE(passes(explore<three_in_a_cycle>(preemptions(3))));
}

// spec: M4f K3
TEST(wait_graph_model, an_actor_that_gives_up_leaves_no_edge) {
  EXPECT_TRUE(passes(explore<one_gives_up>()));
}

}  // namespace
}  // namespace tactor::model
