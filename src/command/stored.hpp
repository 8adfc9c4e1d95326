// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "command/console.hpp"
#include "command/views.hpp"
#include <nlohmann/json.hpp>

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace command {

/// What a file holds: parts of a snapshot, of a system or of a board, or the text of a dump.
struct stored {
  std::vector<nlohmann::json> parts;
  std::string text;  // only if there are no parts
};

/// Reads a file; "-" is `in`. Of what a board has sent, its newest snapshot.
[[nodiscard]] result<stored> open_file(const std::string& name, std::istream& in);
/// The parts one below the other with headings, or the text.
[[nodiscard]] lines stored_view(const stored& what);
/// Whether a file can most likely be written. Changes nothing.
[[nodiscard]] result<void> check_writable(const std::string& name);
/// Replaces a file.
[[nodiscard]] result<void> write_file(const std::string& name, std::string_view text);

/// All parts of the snapshot of a console, one JSON object in each line.
[[nodiscard]] result<std::string> everything(const console& of);

}  // namespace command
