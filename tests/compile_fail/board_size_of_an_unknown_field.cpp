// SPDX-License-Identifier: BSL-1.0
// The size of a board's system has a field that does not exist. g++ names the type, clang also the
// field.
// error: to ‘tactor::v0::bare::system_size’
// error: to 'tactor::v0::bare::system_size'
// error: field designator 'envelops' does not refer to any field in type 'system_size'
// names: system_size
#include "tactor/bare.hpp"

#if defined(CORRECT)
constinit tactor::bare::system<{.actors = 1, .envelopes = 8}> board;
#else
constinit tactor::bare::system<{.actors = 1, .envelops = 8}> board;
#endif
