// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/scheduler.hpp"

#include "scheduler_model.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <span>
#include <string>
#include <vector>

namespace tactor::property {
namespace {

// The bytes one by one; zeros after the end.
class byte_stream {
public:
  explicit byte_stream(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  std::uint8_t next() {
    if (bytes_.empty()) return 0;
    const std::uint8_t first = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return first;
  }
  template <class T, std::size_t Size>
  T one_of(const T (&choices)[Size]) {
    return choices[next() % Size];
  }

private:
  std::span<const std::uint8_t> bytes_;
};

scheduler_shape decode_shape(byte_stream& bytes) {
  constexpr std::size_t quotas[] = {20, 1, 3, 12};
  constexpr std::size_t overflows[] = {64, 0, 1, 2, 4};
  constexpr std::size_t batches[] = {100, 0, 1};
  scheduler_shape shape;
  shape.quota = bytes.one_of(quotas);
  shape.overflow = bytes.one_of(overflows);
  shape.batch_limit = bytes.one_of(batches);
  return shape;
}

void decode_schedule(scheduler_step& step, byte_stream& bytes) {
  constexpr job_mode modes[] = {job_mode::once, job_mode::fixed_rate, job_mode::fixed_delay};
  constexpr missed policies[] = {missed::fold, missed::burst, missed::skip};
  constexpr timer_priority priorities[] = {timer_priority::normal, timer_priority::low};
  constexpr std::uint64_t periods[] = {4, 0, 1, 3, 5, 10, 40, 50};
  constexpr std::uint32_t limits[] = {0xFFFF'FFFF, 1, 3};
  step.mode = bytes.one_of(modes);
  step.amount = bytes.next() % 128;
  step.priority = bytes.one_of(priorities);
  const std::uint8_t flags = bytes.next();
  step.fails = (flags & 7) == 7;
  step.has_hook = (flags & 8) != 0;
  step.runs_at_end = step.mode == job_mode::once && (flags & 16) != 0;
  if (step.mode == job_mode::once) return;
  step.policy = bytes.one_of(policies);
  step.period = bytes.one_of(periods);
  step.backlog_limit = bytes.one_of(limits);
}

scheduler_step decode_step(byte_stream& bytes, const scheduler_model& model) {
  using enum scheduler_step::action;
  constexpr scheduler_step::action actions[] = {
      schedule, schedule, schedule, cancel, drop, advance, jump, poll, run_one, run_all, close};
  scheduler_step step;
  step.what = bytes.one_of(actions);
  if (step.what == schedule) decode_schedule(step, bytes);
  if (step.what == advance || step.what == jump) step.amount = bytes.next();
  if ((step.what == cancel || step.what == drop) && model.jobs() > 0) {
    step.job = bytes.next() % model.jobs();
  }
  return step;
}

[[noreturn]] void complain(const scheduler_shape& shape, const std::vector<scheduler_step>& history,
                           const std::string& complaint) {
  std::cerr << "a scheduler with " << shape << '\n';
  for (const scheduler_step& each : history)
    std::cerr << "  " << each << '\n';
  std::cerr << "differs from its model: " << complaint << '\n';
  std::abort();
}

void run(std::span<const std::uint8_t> input) {
  byte_stream bytes{input};
  const scheduler_shape shape = decode_shape(bytes);
  scheduler_model model{shape};
  scheduler_subject subject{shape};
  std::vector<scheduler_step> history;
  while (!bytes.empty()) {
    const asking asks = bytes.next() % 2 == 0 ? asking::no : asking::yes;
    const scheduler_step step = decode_step(bytes, model);
    if (!model.allows(step)) continue;
    history.push_back(step);
    const std::string complaint = perform_on_both(step, asks, model, subject);
    if (!complaint.empty()) complain(shape, history, complaint);
  }
  const std::string left = subject.complaint_at_the_end();
  if (!left.empty()) complain(shape, history, left);
}

}  // namespace
}  // namespace tactor::property

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

int LLVMFuzzerInitialize(int* /*argc*/, char*** argv) {
  std::cerr << "To replay a failure: " << **argv
            << " <the file named after 'Test unit written to'>\n";
  return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  tactor::property::run({bytes, size});
  return 0;
}
