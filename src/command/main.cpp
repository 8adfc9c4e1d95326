// SPDX-License-Identifier: BSL-1.0
#include "command/address.hpp"
#include "command/run.hpp"

#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <thread>

int main(int count, char** arguments) {
  try {
    const char* const token =
        std::getenv("TACTOR_TOKEN");  // NOLINT(concurrency-mt-unsafe): one thread
    const int status = command::run(
        count, arguments,
        {.in = std::cin,
         .out = std::cout,
         .errors = std::cerr,
         .folder = command::folder_of_consoles(),
         .token = token == nullptr ? "" : token,
         .wait = [](std::chrono::seconds time) { std::this_thread::sleep_for(time); }});
    std::cout.flush();
    if (!std::cout) {
      std::cerr << "tactor: the output cannot be written\n";
      return 2;
    }
    return status;
  } catch (const std::exception& error) {
    std::cerr << "tactor: " << error.what() << '\n';
    return 2;
  }
}
