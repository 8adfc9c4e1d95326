// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/callable_actor.hpp"

#include "tactor/core/actor/actor.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/message/envelope_sink.hpp"
#include "tactor/host/timers/callable_pool.hpp"

namespace tactor::inline v0::internal {
namespace {

class callable_run : public actor<> {
  timer_job* job_;

public:
  explicit callable_run(timer_job* job) : job_(job) {}
  void pre_start(context& ctx) {
    job_->run();
    ctx.stop();
  }
};

}  // namespace

void callable_actors::dispatch(timer_job& job) noexcept {
  using how = class_spawn<callable_run, timer_job*>;
  auto kept = how::keep(&job);
  const spawn_options options{.dispatcher = where_};
  const auto spawned = system_->spawn({.recipe = how::recipe,
                                       .arguments = &kept,
                                       .options = options,
                                       .if_taken = spawn_request::taken_name::is_an_error,
                                       .unlisted = true},
                                      nullptr);
  if (spawned) return;
  const bool for_good = spawned.error() == spawn_error::stopping;
  end_without_running(job, for_good ? post_result::closed : post_result::refused);
}

}  // namespace tactor::inline v0::internal
