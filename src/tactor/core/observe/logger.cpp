// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/observe/logger.hpp"

#include "tactor/core/observe/log_limit.hpp"
#include "tactor/core/observe/log_record.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tactor::inline v0 {

logger::logger(const log_config& config) noexcept
    : sink_(config.sink), limit_(config.limit), least_(std::to_underlying(config.least)) {}

void logger::write(const log_record& record) noexcept {
  if (!wants(record.level)) return;
  const auto verdict = throttles_[std::to_underlying(record.kind)].admit(limit_, record.time_ns);
  if (verdict.left_out != 0) say_left_out(record.kind, verdict.left_out, record.time_ns);
  if (verdict.admitted) sink_.write(record);
}

void logger::report_left_out(std::uint64_t now_ns) noexcept {
  for (std::size_t i = 0; i != log_kinds; ++i) {
    const std::uint32_t number = throttles_[i].take_left_out(limit_, now_ns);
    if (number != 0) say_left_out(static_cast<log_kind>(i), number, now_ns);
  }
}

// Whatever the level: the records it speaks of were bad enough.
void logger::say_left_out(log_kind kind, std::uint32_t number,
                          std::uint64_t now_ns) const noexcept {
  const log_field fields[] = {{"kind", to_text(kind)}, {"number", number}};
  sink_.write({.level = log_level::warning,
               .kind = kind,
               .time_ns = now_ns,
               .actor = {},
               .text = "left out as there were too many",
               .fields = fields});
}

}  // namespace tactor::inline v0
