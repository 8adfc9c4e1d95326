// SPDX-License-Identifier: BSL-1.0
// No tests: the second file of type_identity.test.cpp.
#include "tactor/core/message/type_identity.hpp"

namespace shop {

struct order {
  int item;
};

}  // namespace shop

namespace tactor::test {
namespace {

struct hidden {
  int item;
};

using hidden_here = hidden;

}  // namespace

struct another_file {
  static type_identity hidden();
  static type_identity order();
};
type_identity another_file::hidden() {
  return identity_of<hidden_here>;
}
type_identity another_file::order() {
  return identity_of<shop::order>;
}

}  // namespace tactor::test
