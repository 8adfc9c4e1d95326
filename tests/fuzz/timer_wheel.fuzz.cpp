// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/tick.hpp"

#include "timer_wheel_model.hpp"

#include <algorithm>
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

wheel_shape decode_shape(byte_stream& bytes) {
  constexpr std::size_t slots[] = {2, 4, 8, 64, 128, 512};
  constexpr std::size_t overflows[] = {0, 1, 3, 8, 64};
  constexpr std::size_t batches[] = {0, 1, 2, 100};
  constexpr std::uint64_t starts[] = {0, 1, (1ull << 32) - 5, (1ull << 63) - 3,
                                      tick::max().count - 20};
  wheel_shape shape;
  shape.slots = bytes.one_of(slots);
  shape.overflow = bytes.one_of(overflows);
  shape.batch_limit = bytes.one_of(batches);
  shape.start = tick{bytes.one_of(starts)};
  shape.timers = 16;
  return shape;
}

// Near and past deadlines, at the edges of the wheel, equal to other timers, very far.
tick decode_instant(byte_stream& bytes, const wheel_model& model) {
  const std::uint64_t slots = model.shape().slots;
  const std::uint8_t kind = bytes.next();
  const std::uint64_t amount = bytes.next();
  switch (kind % 8) {
  case 0:
  case 1:
    return later_by(model.position(), amount % 8);
  case 2:
    return later_by(model.position(), slots - 1 + amount % 4);
  case 3:
    return later_by(model.position(), slots * (amount % 8) + amount / 8 % 4);
  case 4:
    return model.next_deadline().value_or(model.position());
  case 5:
    return model.deadline(amount % model.shape().timers).value_or(model.position());
  case 6:
    return tick{model.position().count - std::min(model.position().count, amount)};
  default:
    return later_by(model.position(), std::uint64_t{1} << amount % 64);
  }
}

wheel_step decode_step(byte_stream& bytes, const wheel_model& model) {
  using enum wheel_step::action;
  constexpr wheel_step::action actions[] = {insert,  insert,  insert,  cancel,
                                            pop_one, pop_all, catch_up};
  wheel_step step;
  step.what = bytes.one_of(actions);
  if (step.what == insert || step.what == cancel) step.timer = bytes.next() % model.shape().timers;
  if (step.what != cancel) step.when = decode_instant(bytes, model);
  return step;
}

void run(std::span<const std::uint8_t> input) {
  byte_stream bytes{input};
  const wheel_shape shape = decode_shape(bytes);
  wheel_model model{shape};
  wheel_subject subject{shape};
  std::vector<wheel_step> history;
  while (!bytes.empty()) {
    const wheel_step step = decode_step(bytes, model);
    if (!allowed(step, model)) continue;
    history.push_back(step);
    const std::string complaint = perform_on_both(step, model, subject);
    if (complaint.empty()) continue;

    std::cerr << "a wheel of " << shape << '\n';
    for (const wheel_step& each : history)
      std::cerr << "  " << each << '\n';
    std::cerr << "differs from its model: " << complaint << '\n';
    std::abort();
  }
}

}  // namespace
}  // namespace tactor::property

// NOLINTBEGIN(readability-identifier-naming): libFuzzer calls them
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
// NOLINTEND(readability-identifier-naming)
