// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/request/console_request.hpp"

#include "tactor/base/json_writer.hpp"
#include "tactor/host/string_sink.hpp"

namespace tactor::inline v0::internal {

console_response answer_with(const std::function<void(text_sink&)>& write) {
  console_response answer;
  string_sink to{answer.body};
  write(to);
  to.check();
  return answer;
}

console_response object_with(const std::function<void(json_writer&)>& write) {
  return answer_with([&write](text_sink& to) {
    json_writer out{to};
    out.open('{');
    write(out);
    out.close('}');
    to.write("\n");
  });
}

console_response refusal_of(unsigned status, std::string_view error, std::string_view advice) {
  console_response answer = object_with([&](json_writer& out) {
    out.text("error", error);
    out.text("advice", advice);
  });
  answer.status = status;
  return answer;
}

}  // namespace tactor::inline v0::internal
