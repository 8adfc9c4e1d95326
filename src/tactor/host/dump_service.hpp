// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/actor.hpp"
#include "tactor/core/scheduler/dump.hpp"

#include <cstddef>
#include <string>

namespace tactor::inline v0 {

/// The answer to a `dump_request`.
struct dump_reply {
  static constexpr const char* type_name = "tactor::dump_reply";
  std::string text;
};

/// Asks a `dump_service` for a dump of its system.
struct dump_request {
  static constexpr const char* type_name = "tactor::dump_request";
  using reply = dump_reply;

  dump_format format = dump_format::text;
  std::size_t most_actors = actors_in_a_dump;
};

/// Answers with a dump of the system in which it runs.
///
///     const auto dumps = system.spawn<tactor::dump_service>("dump");
///     const auto reply = system.ask(dumps, tactor::dump_request{}, 1s).get();
class dump_service : public actor<dump_request> {
public:
  /// Writes the dump, within a tick, and answers with it.
  dump_reply receive(context& ctx, const dump_request& wanted);
};

}  // namespace tactor::inline v0
