// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sys/resource.h>

namespace bench {

/// Raises the number of files that this process may open as far as it may itself.
inline void raise_open_files() {
  rlimit now{};
  (void)getrlimit(RLIMIT_NOFILE, &now);
  now.rlim_cur = now.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &now);
}

}  // namespace bench
