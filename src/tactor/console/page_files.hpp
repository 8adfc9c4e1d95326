// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <span>
#include <string_view>

namespace tactor::inline v0::internal {

/// A file of the console's page, which is part of the library.
struct page_file {
  std::string_view name;  // "app.js"
  std::string_view content;
};

/// Returns: all files of the page. page_files.cmake makes the source of this function from
/// page/dist.
[[nodiscard]] std::span<const page_file> page_files() noexcept;

/// Returns: the content type of a file with this name.
[[nodiscard]] constexpr std::string_view content_type_of(std::string_view name) noexcept {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "application/octet-stream";
}

}  // namespace tactor::inline v0::internal
