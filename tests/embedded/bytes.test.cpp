// SPDX-License-Identifier: BSL-1.0

// The bytes of memory that a system takes for one more actor, timer or message. A message takes 32:
// the five flags of a mailbox are below the address of an envelope, so envelopes are at multiples
// of 32.
#include "tactor/bare.hpp"
#include "tactor/core/send/runtime_memory.hpp"

#include "embedded/interrupt_board.hpp"
#include <gtest/gtest.h>

#include <cstddef>

namespace tactor {
namespace {

using few = bare::system<{.actors = 8, .envelopes = 8, .timers = 8}>;
using more_actors = bare::system<{.actors = 16, .envelopes = 8, .timers = 8}>;
using more_messages = bare::system<{.actors = 8, .envelopes = 16, .timers = 8}>;
using more_timers = bare::system<{.actors = 8, .envelopes = 8, .timers = 16}>;
using few_once = bare::system<{.actors = 8, .envelopes = 8, .timers = 8, .periodic = 0}>;
using more_once = bare::system<{.actors = 8, .envelopes = 8, .timers = 16, .periodic = 0}>;
using with_priorities = bare::system<{.actors = 8, .envelopes = 8, .timers = 8, .priorities = 8}>;
constexpr std::size_t actor_bytes = (sizeof(more_actors) - sizeof(few)) / 8;
constexpr std::size_t message_bytes = (sizeof(more_messages) - sizeof(few)) / 8;
constexpr std::size_t timer_and_message_bytes = (sizeof(more_timers) - sizeof(few)) / 8;
constexpr std::size_t once_and_message_bytes = (sizeof(more_once) - sizeof(few_once)) / 8;
// Memory that does not depend on the numbers of actors, messages and timers: the system, its loop,
// the guardian, the wheel, and what is outside of the system.
constexpr std::size_t outside_bytes =
    sizeof(internal::runtime_memory) + sizeof(internal::thread_record) +
    sizeof(internal::system_gate) + sizeof(void*);  // the panic handler's address
template <std::size_t Slots>
constexpr std::size_t fixed_bytes =
    sizeof(bare::system<{
               .actors = 8, .envelopes = 8, .timers = 8, .periodic = 0, .wheel_slots = Slots}>) -
    8 * actor_bytes - 8 * once_and_message_bytes - 8 * message_bytes + outside_bytes;
constexpr std::size_t bytes_of_priorities = sizeof(with_priorities) - sizeof(few);

TEST(bytes, of_an_actor_a_timer_and_a_message) {
  embedded::print("an actor of up to 32 bytes ", actor_bytes);
  embedded::print("of these, storage of the actor ", internal::cell::storage_size);
  embedded::print("a queued message of 8 bytes ", message_bytes);
  embedded::print("a timer and its message of 8 bytes ", timer_and_message_bytes);
  embedded::print("a timer that is not periodic, and its message ", once_and_message_bytes);
  embedded::print("a record of a timer ", sizeof(internal::timer_record));
  embedded::print("its plan ", sizeof(internal::timer_plan));
  embedded::print("8 priorities ", bytes_of_priorities);
  embedded::print("fixed, with a wheel of 64 slots ", fixed_bytes<64>);
  embedded::print("fixed, with a wheel of 32 slots ", fixed_bytes<32>);
  embedded::print("of these, outside of the system ", outside_bytes);
  EXPECT_LE(actor_bytes, 168u);
  EXPECT_LE(message_bytes, 32u);
  EXPECT_LE(timer_and_message_bytes, 256u);
  EXPECT_LE(once_and_message_bytes, 176u);
  EXPECT_LE(bytes_of_priorities,
            96u);  // 64, and what alignment leaves unused: a system takes a multiple of 32
  EXPECT_LE(fixed_bytes<64>, 1760u);
  EXPECT_LE(fixed_bytes<32>, 1632u);
}

}  // namespace
}  // namespace tactor
