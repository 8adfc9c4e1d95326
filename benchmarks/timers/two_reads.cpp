// SPDX-License-Identifier: BSL-1.0
//
// two_reads steady LIVE PAIRS THREADS: what the memory allows. A cancel of a random timer reads the
// caller's handle, which tells where the timer's record is, and then the record. This does that and
// nothing else: handles of 8 bytes in small pages, records of one cache line in large pages. Each
// pair waits for the one before, as it does behind a locked instruction.
#include "workloads.hpp"
#include <sys/mman.h>

#include <cstdlib>
#include <memory>

namespace timers {
namespace {

struct alignas(64) line {
  std::uint64_t zero = 0;
};

constexpr std::size_t large_page = std::size_t{2} << 20;

/// Null: no memory.
line* take_lines(std::size_t count) {
  const std::size_t bytes = (count * sizeof(line) + large_page - 1) / large_page * large_page;
  void* const taken = std::aligned_alloc(large_page, bytes);
  if (taken == nullptr) return nullptr;
  (void)::madvise(taken, bytes, MADV_HUGEPAGE);
  auto* const lines = static_cast<line*>(taken);
  std::uninitialized_default_construct_n(lines, count);
  return lines;
}

int read_pairs(std::size_t live, std::size_t pairs) {
  line* const records = take_lines(live);
  if (records == nullptr) return EXIT_FAILURE;
  std::mt19937 random{1};
  std::vector<const volatile std::uint64_t*> handles(live);
  for (std::size_t each = 0; each < live; ++each)
    handles[each] = &records[each].zero;
  std::ranges::shuffle(handles, random);
  std::vector<std::uint32_t> chosen(pairs);
  std::uniform_int_distribution<std::uint32_t> any{0, static_cast<std::uint32_t>(live - 1)};
  for (std::uint32_t& each : chosen)
    each = any(random);

  const stopwatch reading;
  std::uint64_t read = 0;  // stays 0: only so that the next address depends on it
  for (const std::uint32_t number : chosen)
    read = *handles[number + read];
  print("pair_ns", reading.ns_each(pairs));
  print("released_pair_ns", reading.ns_each(pairs));
  print("own_cpu_ns", reading.own_cpu_ns_each(pairs));
  print("cpu_ns", reading.cpu_ns_each(pairs));
  std::free(records);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace timers

int main(int argc, char** argv) {
  if (argc < 4 || std::string_view{argv[1]} != "steady") {
    std::fprintf(stderr, "usage: %s steady LIVE PAIRS\n", argv[0]);
    return 2;
  }
  return timers::read_pairs(std::strtoull(argv[2], nullptr, 10),
                            std::strtoull(argv[3], nullptr, 10));
}
