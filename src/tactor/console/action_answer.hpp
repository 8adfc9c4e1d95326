// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/console/request/console_request.hpp"
#include "tactor/console/string_sink.hpp"
#include "tactor/host/snapshot/json_writer.hpp"
#include "tactor/host/snapshot/snapshot.hpp"

#include <string_view>

namespace tactor::inline v0::internal {

/// The answer to an action that was done: its name, and what `add(json_writer&)` writes. Throws: std::bad_alloc.
template <class Add>
console_response answer_done(std::string_view what, Add add) {
  console_response made;
  string_sink to{made.body};
  json_writer out{to};
  out.open('{');
  out.number("version", snapshot_version);
  out.text("done", what);
  add(out);
  out.close('}');
  to.write("\n");
  to.check();
  return made;
}

}  // namespace tactor::inline v0::internal
