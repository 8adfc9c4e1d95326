// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/dump_service.hpp"

#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/system/actor_view.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/host/string_sink.hpp"

namespace tactor::inline v0 {

dump_reply dump_service::receive(context& /*ctx*/, const dump_request& wanted) {
  dump_reply reply;
  string_sink to{reply.text};  // a dump that is cut off is better than none
  // The thread that runs an actor is a thread of its system.
  auto& system = static_cast<internal::system_core&>(*internal::this_thread().services);
  internal::dump_system(system, wanted.format, to, wanted.most_actors);
  return reply;
}

}  // namespace tactor::inline v0
