// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/exceptions.hpp"
#include "tactor/port/port.hpp"
#include "tactor/testkit/seed.hpp"

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace tactor::inline v0::testkit {

namespace panics {
inline constexpr port::panic_code expectation{
    .module = 6, .id = 8, .advice = "a probe's expectation was not met; the line above says which"};
}  // namespace panics

/// An expectation that was not met. Its text says what was expected, what came, and the seed.
// NOLINTNEXTLINE(misc-include-cleaner): <string> has it; tests of core may not include <exception>
class unmet_expectation : public std::exception {
public:
  explicit unmet_expectation(std::string text) noexcept : text_(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

private:
  std::string text_;
};

inline namespace TACTOR_EXCEPTION_MODE {

/// Ends the test: throws where exceptions are on, panics where they are off.
[[noreturn]] inline void expectation_failed(seed from, std::string_view verb,
                                            std::string_view wanted, std::string_view came) {
  std::string text{verb};
  text.append(" ").append(wanted).append(", got ").append(came);
  text.append(" (seed ").append(std::to_string(from.value)).append(")");
#if defined(__cpp_exceptions)
  throw unmet_expectation{std::move(text)};
#else
  std::fprintf(stderr, "%s\n", text.c_str());
  port::panic(panics::expectation);
#endif
}

}  // namespace TACTOR_EXCEPTION_MODE
}  // namespace tactor::inline v0::testkit
