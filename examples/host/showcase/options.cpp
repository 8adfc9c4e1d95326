// SPDX-License-Identifier: BSL-1.0
#include "showcase/options.hpp"

#include "showcase/actors.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>

namespace showcase {
// NOLINTNEXTLINE(readability-function-cognitive-complexity): one branch per option
std::expected<options, std::string> parse(std::span<char* const> arguments) {
  options wanted;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--help") {
      wanted.help = true;
    } else if (argument == "--simulated") {
      wanted.simulated = true;
    } else if (argument == "--workers") {
      const std::string_view value = ++i < arguments.size() ? arguments[i] : "";
      const auto workers = number_from<std::uint32_t>(value);
      if (!workers || *workers < 1 || *workers > 256)
        return std::unexpected{but_not("--workers takes a number from 1 to 256", value)};
      wanted.workers = *workers;
    } else if (argument == "--plain") {
      wanted.form = output_form::lines;
    } else if (argument == "--json") {
      wanted.form = output_form::json;
    } else if (argument == "--beacons") {
      const std::string_view value = ++i < arguments.size() ? arguments[i] : "";
      wanted.beacons = number_from<unsigned>(value);
      if (!wanted.beacons || *wanted.beacons > 1'000'000)
        return std::unexpected{but_not("--beacons takes a number from 0 to 1000000", value)};
    } else if (argument == "--load") {
      const std::string_view value = ++i < arguments.size() ? arguments[i] : "";
      const auto load = number_from<unsigned>(value);
      if (!load || *load < 1 || *load > gateway::most_load)
        return std::unexpected{but_not("--load takes a number from 1 to 1024", value)};
      wanted.load = *load;
    } else if (argument == "--input") {
      const std::string_view value = ++i < arguments.size() ? arguments[i] : "";
      const auto port = number_from<std::uint16_t>(value);
      if (!port) return std::unexpected{but_not("--input takes a port from 0 to 65535", value)};
      wanted.input = *port;
    } else if (argument == "--faults") {
      wanted.faults = true;
    } else if (argument == "--no-console") {
      wanted.console = "";
    } else if (argument == "--console") {
      wanted.console = ++i < arguments.size() ? arguments[i] : "";
      if (wanted.console->empty()) return std::unexpected{"--console takes an address"};
    } else if (argument == "--metrics") {
      wanted.metrics = ++i < arguments.size() ? arguments[i] : "";
      if (wanted.metrics.empty()) return std::unexpected{"--metrics takes the name of a file"};
    } else if (argument == "--scenario") {
      wanted.scenario = ++i < arguments.size() ? arguments[i] : "";
    } else if (argument == "--seconds") {
      const std::string_view value = ++i < arguments.size() ? arguments[i] : "";
      wanted.length = length_from(value);
      if (!wanted.length) return std::unexpected{but_not(allowed_length, value)};
    } else if (argument == "--seed") {
      const std::string_view value = ++i < arguments.size() ? arguments[i] : "";
      const auto seed = number_from<std::uint64_t>(value);
      if (!seed) return std::unexpected{but_not("--seed takes a whole number", value)};
      wanted.seed = *seed;
    } else {
      return std::unexpected{"there is no option '" + std::string{argument} + "'"};
    }
  }
  return wanted;
}

}  // namespace showcase
