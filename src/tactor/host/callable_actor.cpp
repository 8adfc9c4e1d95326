// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/callable_actor.hpp"

#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/unlisted_actor.hpp"
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
  unlisted_actor<callable_run, timer_job*> runs{&job};
  const auto spawned = runs.spawn(*system_, {.dispatcher = where_});
  if (spawned) return;
  const bool for_good = spawned.error() == spawn_error::stopping;
  end_without_running(job, for_good ? post_result::closed : post_result::refused);
}

}  // namespace tactor::inline v0::internal
