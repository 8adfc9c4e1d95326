// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/dump_service.hpp"

#include "tactor/base/text_sink.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/system/system_core.hpp"

#include <new>
#include <string_view>

namespace tactor::inline v0 {
namespace {

class text_of_string final : public text_sink {
public:
  explicit text_of_string(std::string& to) noexcept : to_(to) {}
  void write(std::string_view piece) noexcept override {
    try {
      to_.append(piece);
    } catch (const std::bad_alloc&) {
      return;  // what fits is better than nothing
    }
  }

private:
  std::string& to_;
};

}  // namespace

dump_reply dump_service::receive(context& /*ctx*/, const dump_request& wanted) {
  dump_reply reply;
  text_of_string to{reply.text};
  // The thread that runs an actor is a thread of its system.
  auto& system = static_cast<internal::system_core&>(*internal::this_thread().services);
  system.dump(wanted.format, to, wanted.most_actors);
  return reply;
}

}  // namespace tactor::inline v0
