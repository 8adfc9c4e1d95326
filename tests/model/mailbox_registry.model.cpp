// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/cell/mailbox_registry.hpp"

#include "tactor/base/memory_source.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/port/port.hpp"

#include "scenario.hpp"
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>

// One system makes slots while another reads all there are.
namespace tactor::model {

using namespace tactor::internal;

namespace {

alignas(cell) std::byte page_of_cells[sizeof(cell) * mailbox_registry::first_page];

class one_page final : public page_source {
public:
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t /*alignment*/) noexcept override {
    require(bytes == sizeof page_of_cells, "more than one page");
    return page_of_cells;
  }
};

struct make_against_read {
  static constexpr unsigned threads = 2;
  one_page pages;
  mailbox_registry registry{pages};
  mailbox_registry::cache cache;

  void thread(unsigned index) {
    if (index == 0) {
      require(registry.take(cache) != nullptr, "no slot");
      return;
    }
    const std::uint32_t made = registry.made();
    if (made == 0) return;
    const cell* const last = registry.at(made - 1);
    require(last != nullptr, "a slot that was made is not found");
    (void)last->generation();  // refuted if it is not constructed yet
  }
  void after() { std::destroy_n(reinterpret_cast<cell*>(page_of_cells), registry.made()); }
};

TEST(mailbox_registry_model, slots_that_count_as_made_may_be_read) {
  EXPECT_TRUE(passes(explore<make_against_read>()));
}

}  // namespace
}  // namespace tactor::model
