// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/command/console.hpp"
#include "tactor/command/views.hpp"

#include <nlohmann/json.hpp>

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace command {

/// The content of a file: parts of a snapshot, of a system or of a board, or the text of a dump.
struct stored {
  std::vector<nlohmann::json> parts;
  std::string text;  // only if there are no parts
};

/// Reads a file; "-" is `in`. Of the frames of a board it reads the newest snapshot.
[[nodiscard]] result<stored> open_file(const std::string& name, std::istream& in);
/// Shows the parts one below the other with headings, or the text.
[[nodiscard]] lines stored_view(const stored& what);
/// Checks whether a file can most likely be written, and changes nothing.
[[nodiscard]] result<void> check_writable(const std::string& name);
/// Writes a file, in place of an old one.
[[nodiscard]] result<void> write_file(const std::string& name, std::string_view text);

/// Returns: all parts of the snapshot of a console, one JSON object in each line.
[[nodiscard]] result<std::string> everything(const console& of);

}  // namespace command
