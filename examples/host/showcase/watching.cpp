// SPDX-License-Identifier: BSL-1.0
#include "showcase/watching.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#ifdef SHOWCASE_HAS_CONSOLE
#include "tactor/console/console.hpp"
#endif

namespace showcase {

#ifdef SHOWCASE_HAS_CONSOLE

struct watching::parts {
  tactor::console console;
};

watching::watching(const tactor::actor_system& system, const std::optional<std::string>& address,
                   std::vector<button> buttons) {
  if (address && address->empty()) return;
  std::vector<tactor::program_action> actions;
  for (button& each : buttons)
    actions.push_back({std::move(each.name), std::move(each.what), std::move(each.pressed)});
  auto started = tactor::start_console(system, {.address = address.value_or("127.0.0.1:0"),
                                                .capabilities = {.trace = true, .control = true},
                                                .actions = std::move(actions)});
  if (started) {
    parts_ = std::make_unique<parts>(parts{std::move(*started)});
  } else {
    std::fprintf(stderr, "showcase: no console: %s\n", started.error().text.c_str());
  }
}

std::string watching::address() const {
  if (!parts_) return {};
  const std::string page = parts_->console.url();
  return (page.empty() ? parts_->console.address() : page) + "  token " + parts_->console.token();
}

#else

struct watching::parts {};

watching::watching(const tactor::actor_system&, const std::optional<std::string>& address,
                   std::vector<button>) {
  if (address && !address->empty())
    std::fputs("showcase: there is no console: install libboost1.81-dev and build again\n", stderr);
}
std::string watching::address() const {
  return {};
}

#endif

watching::~watching() = default;

}  // namespace showcase
