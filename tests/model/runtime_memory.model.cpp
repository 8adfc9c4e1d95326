// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/send/runtime_memory.hpp"

#include "tactor/base/memory_source.hpp"
#include "tactor/core/cell/thread_waiting.hpp"
#include "tactor/port/port.hpp"

#include "scenario.hpp"
#include <gtest/gtest.h>

#include <cstddef>

// The first system provides what the memory of the program needs, while another thread uses it.
namespace tactor::model {

using namespace tactor::internal;

namespace {

// Made by the thread that provides it.
class fresh_source final : public page_source, public block_source {
public:
  void make() { made_.set(true); }
  [[nodiscard]] void* allocate(std::size_t /*bytes*/, std::size_t /*alignment*/) noexcept override {
    require(made_.get(), "the source is not made yet");
    return this;
  }
  void release(void* /*block*/, std::size_t /*size*/, std::size_t /*alignment*/) noexcept override {
    require(made_.get(), "the source is not made yet");
  }

private:
  port::plain<bool> made_;
};

struct fresh_waiting : thread_waiting {
  port::plain<bool> made;
};

struct provide_against_use {
  static constexpr unsigned threads = 2;
  runtime_memory memory;
  fresh_source source;
  fresh_waiting waiting{};

  void thread(unsigned index) {
    if (index == 0) {
      source.make();
      waiting.made.set(true);
      memory.pages.provide(source);
      memory.blocks.provide(source);
      memory.provide(waiting);
      return;
    }
    if (const auto* const how = static_cast<const fresh_waiting*>(memory.waiting()))
      require(how->made.get(), "it is not made yet");
    if (void* const block = memory.blocks.allocate(1, 1)) memory.blocks.release(block, 1, 1);
    (void)memory.pages.allocate(1, 1);
  }
};

// spec: K3
TEST(runtime_memory_model, what_is_provided_is_complete) {
  EXPECT_TRUE(passes(explore<provide_against_use>()));
}

}  // namespace
}  // namespace tactor::model
