// SPDX-License-Identifier: BSL-1.0
// Shared by the programs of peers that are in no registry.
#pragma once
#include "../actors/measuring.hpp"

#include <ctime>
namespace bench {
/// A `work` that is called, and may be none.
struct job {
  explicit job(std::uint64_t ns = 0) : length(ns), of(std::chrono::nanoseconds{ns}) {}
  void operator()() const noexcept {
    if (length != 0) of.run();
  }
  std::uint64_t length;
  work of;
};
/// The processor time of the process.
inline double cpu_ns() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}
struct args {
  std::string workload;
  std::uint64_t count;
  std::uint32_t workers;
  std::uint64_t param;
};
inline args args_of(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s WORKLOAD COUNT WORKERS [PARAM]\n", argv[0]);
    std::exit(2);
  }
  return {argv[1], std::strtoull(argv[2], nullptr, 10),
          static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10)),
          argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 0};
}
inline void say(const args& of, const std::string& figures) {
  std::printf("{\"workload\": \"%s\", \"count\": %llu, \"workers\": %u, \"param\": %llu, %s, "
              "\"peak_mb\": %.1f}\n",
              of.workload.c_str(), static_cast<unsigned long long>(of.count), of.workers,
              static_cast<unsigned long long>(of.param), figures.c_str(), peak_mb());
  std::fflush(stdout);
}
}  // namespace bench
