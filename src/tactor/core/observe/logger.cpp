// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/observe/logger.hpp"

#include "tactor/core/observe/log_limit.hpp"
#include "tactor/core/observe/log_record.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace tactor::inline v0::internal {

logger::logger(const log_config& config, std::string_view system) noexcept
    : sink_(config.sink),
      system_(system),
      limit_(config.limit),
      min_level_(std::to_underlying(config.min_level)) {}

void logger::write(const log_record& record) noexcept {
  if (admits(record.level, record.kind, record.time_ns)) write_admitted(record);
}

bool logger::admits(log_level level, log_kind kind, std::uint64_t now_ns) noexcept {
  if (!wants(level)) return false;
  const auto verdict = throttles_[std::to_underlying(kind)].admit(limit_, now_ns);
  if (verdict.left_out != 0) say_left_out(kind, verdict.left_out, now_ns);
  return verdict.admitted;
}

void logger::report_left_out(std::uint64_t now_ns) noexcept {
  for (std::size_t i = 0; i != log_kinds; ++i) {
    const std::uint32_t number = throttles_[i].take_left_out(limit_, now_ns);
    if (number != 0) say_left_out(static_cast<log_kind>(i), number, now_ns);
  }
}

void logger::report_all_left_out(std::uint64_t now_ns) noexcept {
  for (std::size_t i = 0; i != log_kinds; ++i) {
    const std::uint32_t number = throttles_[i].take_all_left_out();
    if (number != 0) say_left_out(static_cast<log_kind>(i), number, now_ns);
  }
}

// At any level: the records left out were severe enough.
void logger::say_left_out(log_kind kind, std::uint32_t number,
                          std::uint64_t now_ns) const noexcept {
  const log_field fields[] = {{"kind", to_text(kind)}, {"number", number}};
  write_admitted({.level = log_level::warning,
                  .kind = kind,
                  .time_ns = now_ns,
                  .text = "records left out: too many in one interval",
                  .fields = fields});
}

}  // namespace tactor::inline v0::internal
