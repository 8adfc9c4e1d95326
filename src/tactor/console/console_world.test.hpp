// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/console/console.hpp"
#include "tactor/console/console_client.test.hpp"
#include "tactor/host/actor_system.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tactor::internal {

inline void ignore_records(const log_record& /*what*/) noexcept {}

inline system_config quiet() {
  return {.name = "shop", .workers = 1, .log = {.sink = ignore_records}};
}

/// A system with a console on a Unix socket of its own.
struct console_world {
  explicit console_world(console_options options = {}) {
    std::string name = (std::filesystem::temp_directory_path() / "tactor-XXXXXX").string();
    folder = ::mkdtemp(name.data());
    if (options.address.empty()) options.address = folder + "/a.sock";
    auto started = start_console(system, options);
    EXPECT_TRUE(started) << started.error().text;
    if (started) shown.emplace(std::move(*started));
  }
  console_world(const console_world&) = delete;
  console_world& operator=(const console_world&) = delete;
  ~console_world() {
    shown.reset();
    std::filesystem::remove_all(folder);
  }
  [[nodiscard]] console_client connect() const { return console_client{shown->address()}; }

  std::string folder;
  actor_system system{quiet()};
  std::optional<console> shown;
};

inline bool contains(const std::string& text, std::string_view piece) {
  return text.find(piece) != std::string::npos;
}

/// By another program's judgement.
inline bool is_json(const std::string& text) {
  std::FILE* const checker = ::popen("python3 -c 'import json,sys; json.load(sys.stdin)'", "w");
  (void)std::fputs(text.c_str(), checker);
  return ::pclose(checker) == 0;
}

}  // namespace tactor::internal
