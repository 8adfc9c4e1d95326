// SPDX-License-Identifier: BSL-1.0
#include "tactor/command/stored.hpp"

#include "tactor/command/fields.hpp"
#include "tactor/command/printable.hpp"
#include "tactor/observe.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <istream>
#include <iterator>
#include <optional>
#include <span>
#include <sstream>
#include <system_error>
#include <utility>

namespace command {
namespace {

using nlohmann::json;

problem problem_with(const std::string& file, const std::string& why) {
  return {.text = printable(file) + ": " + why};
}
std::string last_error() {
  return std::generic_category().message(errno);
}

bool is_folder(const std::string& name) {
  std::error_code ignored;
  return std::filesystem::is_directory(name, ignored);
}

/// Returns: the newest snapshot among the frames of a board, a part in each line.
result<std::string> newest_of(const std::string& name, const std::string& frames) {
  std::string written;
  tactor::string_sink to{written};
  const tactor::frame_faults faults = tactor::write_snapshots(std::as_bytes(std::span{frames}), to);
  to.check();
  const std::size_t begin = written.rfind(R"({"version":1,"part":"system")");
  if (begin != written.npos) return written.substr(begin);
  return std::unexpected{
      problem_with(name, "no whole snapshot of a board: " + std::to_string(faults.damaged) +
                             " damaged, " + std::to_string(faults.unknown) + " unknown, " +
                             std::to_string(faults.missing) + " missing frames")};
}

result<stored> read(const std::string& name, std::istream& in) {
  std::string all{std::istreambuf_iterator<char>{in}, {}};
  if (in.bad()) return std::unexpected{problem_with(name, "it cannot be read")};
  if (all.contains('\0')) {  // ends each frame of a board; text has none
    auto newest = newest_of(name, all);
    if (!newest) return std::unexpected{newest.error()};
    all = *std::move(newest);
  }
  stored what;
  std::istringstream rows{all};
  for (std::string row; std::getline(rows, row);) {
    if (row.find_first_not_of(" \t\r") == row.npos) continue;
    json part = json_in(row);
    if (!part.is_object()) break;
    const std::optional<std::uint64_t> version = number_in(part, "version");
    if (!version || *version != console::version)
      return std::unexpected{problem_with(
          name, version ? "version " + std::to_string(*version) + "; this command reads version " +
                              std::to_string(console::version)
                        : "JSON, but no snapshot: it has no version")};
    what.parts.push_back(std::move(part));
  }
  if (what.parts.empty()) what.text = std::move(all);
  if (what.parts.empty() && !what.text.starts_with("system: "))
    return std::unexpected{problem_with(name, "neither a snapshot nor a dump")};
  return what;
}

}  // namespace

result<stored> open_file(const std::string& name, std::istream& in) {
  if (name == "-") return read("standard input", in);
  if (is_folder(name)) return std::unexpected{problem_with(name, "it is a folder")};
  std::ifstream file{name, std::ios::binary};
  if (!file) return std::unexpected{problem_with(name, last_error())};
  return read(name, file);
}

lines stored_view(const stored& what) {
  lines page;
  if (what.parts.empty()) {
    std::istringstream rows{what.text};
    for (std::string row; std::getline(rows, row);)
      page.push_back(printable(row));
    return page;
  }
  for (const json& each : what.parts) {
    if (what.parts.size() > 1) {
      if (!page.empty()) page.emplace_back();
      page.push_back(printable("== " + text_in(each, "part")));
    }
    for (std::string& row : view_of(each))
      page.push_back(std::move(row));
  }
  return page;
}

result<void> check_writable(const std::string& name) {
  if (is_folder(name)) return std::unexpected{problem_with(name, "it is a folder")};
  std::string folder = std::filesystem::path{name}.parent_path().string();
  if (folder.empty()) folder = ".";
  const bool is_there = ::access(name.c_str(), F_OK) == 0;
  if (::access(is_there ? name.c_str() : folder.c_str(), W_OK) == 0) return {};
  return std::unexpected{problem_with(name, last_error())};
}

result<void> write_file(const std::string& name, std::string_view text) {
  std::ofstream file{name, std::ios::binary | std::ios::trunc};
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) return std::unexpected{problem_with(name, last_error())};
  return {};
}

result<std::string> everything(const console& of) {
  std::string all;
  for (const std::string_view name :
       std::array<std::string_view, 9>{"system", "workers", "actors", "tree", "timers",
                                       "dead_letters", "failures", "warnings", "shutdown"}) {
    const auto part = of.part(name, {{"limit", "1000"}});
    if (!part) return std::unexpected{part.error()};
    all += one_line(*part) + "\n";
  }
  return all;
}

}  // namespace command
