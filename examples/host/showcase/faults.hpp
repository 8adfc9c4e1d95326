// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "showcase/messages.hpp"

#include <array>

namespace showcase {

/// A fault that can be caused while the showcase runs, and what it does.
struct known_fault {
  fault which;
  const char* name;
  const char* what;
};

inline constexpr std::array faults{
    known_fault{fault::parser_crash, "parser-crash",
                "the first parser fails with its next reading"},
    known_fault{fault::store_slow, "store-slow",
                "the next 300 readings take the store's disk 20 times as long"},
    known_fault{fault::device_silent, "device-silent",
                "the first device falls silent, until its receive timeout wakes it"},
    known_fault{fault::flood, "flood", "every device sends 200 readings at once"}};

constexpr const char* name_of(fault which) {
  for (const known_fault& each : faults)
    if (each.which == which) return each.name;
  return "";
}

}  // namespace showcase
