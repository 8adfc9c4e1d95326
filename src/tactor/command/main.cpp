// SPDX-License-Identifier: BSL-1.0
#include "tactor/command/address.hpp"
#include "tactor/command/run.hpp"

#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <thread>

namespace {

/// Waits for `most`, 0: for ever, or for SIGINT or SIGTERM. Requires: both are blocked.
void until_interrupted(std::chrono::seconds most) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  const timespec time{.tv_sec = most.count(), .tv_nsec = 0};
  if (most.count() == 0) {
    int which = 0;
    (void)sigwait(&ends, &which);
  } else {
    (void)sigtimedwait(&ends, nullptr, &time);
  }
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const char* const token =
        std::getenv("TACTOR_TOKEN");  // NOLINT(concurrency-mt-unsafe): one thread
    const int status =
        command::run(count, arguments,
                     {.in = std::cin,
                      .out = std::cout,
                      .errors = std::cerr,
                      .folder = command::folder_of_consoles(),
                      .token = token == nullptr ? "" : token,
                      .wait = [](std::chrono::seconds time) { std::this_thread::sleep_for(time); },
                      .rest = until_interrupted});
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
