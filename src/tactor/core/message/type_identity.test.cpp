// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/message/type_identity.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>

namespace shop {

struct order {
  int item;
};
struct quote {
  int item;
};
template <class Content>
struct box {
  Content content;
};
struct renamed {
  static constexpr const char* type_name = "shop.parcel";
};

}  // namespace shop

namespace tactor::test {

/// In type_identity_elsewhere.test.cpp, which is linked with this file.
struct another_file {
  static type_identity hidden();
  static type_identity order();
};

namespace {

struct hidden {
  int item;
};
struct hidden_but_named {
  static constexpr const char* type_name = "shop.parcel";
};

struct larger {
  static constexpr std::string_view type_name = "shop.parcel";
  std::uint64_t weight;
};

type_identity local_of_one_function() {
  struct ping {};
  return identity_of<ping>;
}
type_identity local_of_another_function() {
  struct ping {};
  return identity_of<ping>;
}

static_assert(identity_of<shop::order> == identity_of<shop::order>);
static_assert(identity_of<shop::order> != identity_of<shop::quote>);
static_assert(sizeof(type_identity) == 4 * sizeof(void*));

TEST(type_identity, tells_types_apart_by_their_names) {
  EXPECT_EQ(identity_of<shop::order>, identity_of<shop::order>);
  EXPECT_NE(identity_of<shop::order>, identity_of<shop::quote>);
  EXPECT_NE(identity_of<shop::box<shop::order>>, identity_of<shop::box<shop::quote>>);
  EXPECT_NE(identity_of<int>, identity_of<unsigned>);
}

TEST(type_identity, does_not_depend_on_where_it_is_asked_for) {
  EXPECT_EQ(identity_of<shop::order>, another_file::order());
}

TEST(type_identity, needs_no_address_for_a_type_that_all_files_share) {
  EXPECT_EQ(identity_of<shop::order>.key, nullptr);
  EXPECT_EQ(identity_of<shop::box<shop::box<shop::order*>>>.key, nullptr);
  EXPECT_EQ(identity_of<shop::box<void (*)(shop::order, int)>>.key, nullptr);
  EXPECT_EQ(identity_of<shop::box<unsigned long>>.key, nullptr);
}

TEST(type_identity, keeps_types_of_one_name_in_two_anonymous_namespaces_apart) {
  EXPECT_EQ(identity_of<hidden>.name, another_file::hidden().name);
  EXPECT_EQ(identity_of<hidden>.hash, another_file::hidden().hash);
  EXPECT_NE(identity_of<hidden>, another_file::hidden());
  EXPECT_EQ(identity_of<hidden>, identity_of<hidden>);
}

TEST(type_identity, keeps_types_of_one_name_in_two_functions_apart) {
  EXPECT_NE(local_of_one_function(), local_of_another_function());
  EXPECT_EQ(local_of_one_function(), local_of_one_function());
}

TEST(type_identity, gives_a_key_to_whatever_a_hidden_type_is_part_of) {
  const auto lambda = [] {};
  EXPECT_NE(identity_of<shop::box<hidden>>.key, nullptr);
  EXPECT_NE(identity_of<shop::box<void (*)(hidden)>>.key, nullptr);
  EXPECT_NE(identity_of<decltype(lambda)>.key, nullptr);
}

TEST(type_identity, of_a_type_that_fixes_its_name_depends_on_that_alone) {
  EXPECT_TRUE(identity_of<shop::renamed>.name == "shop.parcel");
  EXPECT_EQ(identity_of<shop::renamed>, identity_of<hidden_but_named>);
}

TEST(type_identity, differs_where_two_types_of_one_name_differ_in_size) {
  EXPECT_NE(identity_of<shop::renamed>, identity_of<larger>);
}

// spec: A6
TEST(type_identity, has_a_name_for_people) {
  EXPECT_TRUE(type_name_of<shop::order> == "shop::order");
  EXPECT_TRUE(type_name_of<shop::box<shop::order>> == "shop::box<shop::order>");
  EXPECT_EQ(type_name_of<shop::order>.data()[type_name_of<shop::order>.size()], '\0');
}

}  // namespace
}  // namespace tactor::test
