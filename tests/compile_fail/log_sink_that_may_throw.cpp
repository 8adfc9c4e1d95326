// SPDX-License-Identifier: BSL-1.0
// A lambda as log sink that is not noexcept.
// error: a log sink does not throw: write [](const tactor::log_record& record) noexcept { ... }
// names: log_sink
#include "tactor/core/observe/log_sink.hpp"

#if defined(CORRECT)
const tactor::log_sink sink = [](const tactor::log_record&) noexcept {};
#else
const tactor::log_sink sink = [](const tactor::log_record&) {};
#endif
