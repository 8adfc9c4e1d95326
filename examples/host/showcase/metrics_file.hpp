// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/host.hpp"
#include "tactor/observe.hpp"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace showcase {

/// Writes the figures of a system to a file while it lives: about once per second a line, which is
/// a JSON object.
class metrics_file final : private tactor::metrics_sink {
public:
  /// Opens the file; an empty path means none. Prints the reason if the file cannot be opened.
  /// Requires: `system` outlives it.
  metrics_file(tactor::actor_system& system, const std::string& path);
  /// Prints the number of lines that could not be written.
  ~metrics_file();
  metrics_file(const metrics_file&) = delete;
  metrics_file& operator=(const metrics_file&) = delete;

private:
  void take(const tactor::metrics_report& figures) noexcept override;

  struct closer {
    void operator()(std::FILE* file) const noexcept { (void)std::fclose(file); }
  };
  tactor::actor_system& system_;
  std::unique_ptr<std::FILE, closer> file_;  // null: none
  std::uint64_t lost_ = 0;
};

}  // namespace showcase
