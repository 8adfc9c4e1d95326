// SPDX-License-Identifier: BSL-1.0
// The standard headers that a program with the intended use of the library includes anyway.
#include <chrono>
#include <coroutine>
#include <expected>
#include <string>

int main() {}
