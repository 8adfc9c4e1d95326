// SPDX-License-Identifier: BSL-1.0
// What a program includes anyway that uses the library as it is meant to be used.
#include <chrono>
#include <coroutine>
#include <expected>
#include <string>

int main() {}
