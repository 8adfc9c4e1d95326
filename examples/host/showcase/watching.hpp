// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/host.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace showcase {

/// A button of the console's page.
struct button {
  std::string name;
  std::string what;
  std::function<void()> pressed;
};

/// The console of the showcase, if tactor was built with one. Actors can be suspended, resumed and
/// traced from it, faults caused and the load changed.
class watching {
public:
  /// Starts the console. `address`: as the option `--console`. Prints the reason if it cannot
  /// start. Requires: `system` outlives it.
  watching(const tactor::actor_system& system, const std::optional<std::string>& address,
           std::vector<button> buttons);
  ~watching();
  watching(const watching&) = delete;
  watching& operator=(const watching&) = delete;

  /// Returns: the address for a browser, or the path of its socket, and the token for actions;
  /// empty: there is no console.
  [[nodiscard]] std::string address() const;

private:
  struct parts;
  std::unique_ptr<parts> parts_;  // null: there is none
};

}  // namespace showcase
