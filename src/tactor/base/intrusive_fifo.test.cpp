// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/intrusive_fifo.hpp"

#include <gtest/gtest.h>

#include <array>

namespace tactor {

using namespace tactor::internal;

namespace {

struct element {
  port::plain<element*> next;
};

TEST(intrusive_fifo, gives_elements_in_the_order_in_which_they_were_pushed) {
  std::array<element, 3> all;
  intrusive_fifo<element> subject;
  EXPECT_TRUE(subject.empty());
  EXPECT_EQ(subject.front(), nullptr);
  EXPECT_EQ(subject.pop(), nullptr);
  for (int round = 0; round < 2; ++round) {
    for (element& each : all)
      subject.push(each);
    EXPECT_FALSE(subject.empty());
    EXPECT_EQ(subject.front(), all.data());
    for (element& each : all)
      EXPECT_EQ(subject.pop(), &each);
    EXPECT_EQ(subject.pop(), nullptr);
  }
}

TEST(intrusive_fifo, an_element_is_erased_wherever_it_stands) {
  for (std::size_t gone = 0; gone < 3; ++gone) {
    std::array<element, 4> all;
    intrusive_fifo<element> subject;
    for (std::size_t i = 0; i < 3; ++i)
      subject.push(all[i]);
    subject.erase(all[gone]);
    subject.push(all[3]);
    for (std::size_t i = 0; i < 4; ++i) {
      if (i == gone) continue;
      EXPECT_EQ(subject.pop(), &all[i]) << gone;
    }
    EXPECT_TRUE(subject.empty());
  }
}

TEST(intrusive_fifo, the_only_element_is_erased) {
  element only;
  intrusive_fifo<element> subject;
  subject.push(only);
  subject.erase(only);
  EXPECT_TRUE(subject.empty());
  subject.push(only);
  EXPECT_EQ(subject.pop(), &only);
}

TEST(intrusive_fifo, a_counted_one_knows_its_size) {
  std::array<element, 2> all;
  counted_fifo<element> subject;
  for (element& each : all)
    subject.push(each);
  EXPECT_EQ(subject.size(), 2u);
  EXPECT_EQ(subject.pop(), all.data());
  EXPECT_EQ(subject.size(), 1u);
  EXPECT_EQ(subject.front(), &all[1]);
  EXPECT_EQ(subject.pop(), &all[1]);
  EXPECT_EQ(subject.pop(), nullptr);
  EXPECT_EQ(subject.size(), 0u);
  EXPECT_TRUE(subject.empty());
}

}  // namespace
}  // namespace tactor
