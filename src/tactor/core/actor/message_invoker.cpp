// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/message_invoker.hpp"

#include "tactor/core/actor/answer.hpp"
#include "tactor/core/actor/context.hpp"
#include "tactor/core/actor/delivery.hpp"
#include "tactor/core/actor/life.hpp"
#include "tactor/core/actor/timer_letter.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/core/scheduler/timer_job.hpp"

#include <optional>

namespace tactor::inline v0 {
namespace {

using outcome = invoke_result::outcome;
using left = mailbox_reader::left;

/// Where a turn stands.
enum class step : std::uint8_t {
  go_on,      // the cell is still ours
  parked,     // it is not any more
  suspended,  // the same, and messages wait in it
  stopped,    // it is gone
};

context& context_of(cell& c) noexcept {
  return *std::launder(reinterpret_cast<context*>(&c.ctx));
}

evicting_queue* lane_of(const cell& c) noexcept {
  return c.lane.load(relaxed);  // relaxed: constant while somebody runs the cell
}

outcome outcome_of(step s) noexcept {
  if (s == step::stopped) return outcome::stopped;
  return s == step::suspended ? outcome::suspended : outcome::completed;
}

bool is_ordinary(const cell& c) noexcept {
  const mailbox_word word = c.box.peek();
  return c.ordinary && !word.noticed() && !word.suspended();
}
bool is_plain(const envelope& e, const cell& to) noexcept {
  return e.kind == envelope_kind::message && e.generation == to.tenant;
}

/// What one step on the long way came to.
struct long_step {
  step where = step::go_on;
  bool failed = false;
  std::uint32_t handled = 0;
};

/// The long way through a turn, one step at a time: starting, stopping, requests, timers, limits,
/// stale messages, failures. Out of line, so that the short way stays short.
class long_way {
public:
  long_way(actor_home& home, thread_record& here, cell& c) noexcept
      : home_(home), here_(here), cell_(c) {}

  /// Whatever there is to do next, at most one message.
  [[gnu::noinline]] long_step once() noexcept { return done(take_care()); }
  /// The handler of an ordinary message did not say `done`, or wants its actor to stop.
  [[gnu::noinline]] long_step after_handler(call_result said, envelope& e,
                                            const failure& why) noexcept {
    handled_ = 1;
    if (said != call_result::done) settle(said, e, why);
    return done(finish(e));
  }

private:
  [[nodiscard]] long_step done(step where) const noexcept {
    return {.where = where, .failed = failed_, .handled = handled_};
  }
  void settle(call_result said, envelope& e, const failure& why) noexcept;
  step take_care() noexcept;
  step pass_through(envelope& e) noexcept;
  step attend() noexcept;
  step start() noexcept;
  step take_system_messages() noexcept;
  step handle_timer(envelope& e) noexcept;
  step pass_over(envelope& e) noexcept;
  void receive(envelope& e) noexcept;
  step finish(envelope& e) noexcept;
  step leave(envelope& e) noexcept;
  step nothing_left() noexcept;
  void tidy_up() noexcept;
  step stop(envelope* handled) noexcept {
    return as_step(begin_stop(home_, here_, cell_, handled));
  }
  static step as_step(life_step s) noexcept {
    return s == life_step::ended ? step::stopped : step::go_on;
  }

  actor_home& home_;
  thread_record& here_;
  cell& cell_;
  std::uint32_t handled_ = 0;
  bool failed_ = false;
};

/// A handler failed, or there is none.
void long_way::settle(call_result said, envelope& e, const failure& why) noexcept {
  if (said == call_result::failed) {
    failed_ = true;
    cell_.stop_wanted = true;
    home_.failed(cell_, e.operations, why);
    internal::refuse_answer(here_, e.from, ask_failure::target_failed);
  } else {
    home_.dead_letter({.why = drop_reason::unhandled,
                       .operations = *e.operations,
                       .payload = payload_of(e),
                       .target = {.slot = cell_.slot, .generation = cell_.tenant},
                       .sender = e.from});
    internal::refuse_answer(here_, e.from, ask_failure::no_reply);
  }
}

/// Whatever is not the handling of one ordinary message after the other.
step long_way::take_care() noexcept {
  const bool wanted = cell_.stage == life_stage::starting || cell_.box.peek().noticed();
  if (wanted) {
    if (const step s = attend(); s != step::go_on) return s;
  }
  const bool may = cell_.object != nullptr && !cell_.box.peek().suspended();
  if (!may) return nothing_left();
  evicting_queue* const lane = lane_of(cell_);
  envelope* const e =
      lane == nullptr ? cell_.reader.front(cell_.box) : cell_.reader.front(cell_.box, *lane);
  return e == nullptr ? nothing_left() : pass_through(*e);
}

step long_way::attend() noexcept {
  if (cell_.stage == life_stage::starting) {
    if (const step s = start(); s != step::go_on) return s;
  }
  while (cell_.box.peek().noticed()) {
    cell_.reader.take_notice(cell_.box);
    if (const step s = as_step(look_at_requests(home_, here_, cell_)); s != step::go_on) return s;
    if (const step s = take_system_messages(); s != step::go_on) return s;
  }
  return step::go_on;
}

step long_way::start() noexcept {
  cell_.current = nullptr;
  failure why;
  const call_result made = begin_life(here_, cell_, why);
  if (made == call_result::done && !cell_.stop_wanted) return step::go_on;
  if (made == call_result::failed) {
    failed_ = true;
    home_.failed(cell_, nullptr, why);
  }
  return stop(nullptr);
}

step long_way::take_system_messages() noexcept {
  envelope_chain mail = cell_.reader.take_system(cell_.box);
  step s = step::go_on;
  while (envelope* const e = mail.pop()) {
    cell_.system_waiting.fetch_sub(1, relaxed);  // relaxed: a number
    // Once it has ended, the rest of the cell is somebody else's.
    const bool wanted = s == step::go_on && e->generation == cell_.tenant &&
                        cell_.object != nullptr && cell_.stage != life_stage::stopping;
    if (!wanted) {
      end_as_dead_letter(here_, &cell_, *e, drop_reason::stopped);
      continue;
    }
    receive(*e);
    discard_envelope(here_, *e);
    if (here_.counters != nullptr) here_.counters->system_messages_handled.add(1);
    if (cell_.stop_wanted) s = stop(nullptr);
  }
  return s;
}

step long_way::nothing_left() noexcept {
  const bool suspended = cell_.box.peek().suspended();
  if (cell_.stage == life_stage::draining && !suspended) return stop(nullptr);
  if (!cell_.reader.park(cell_.box)) {
    tidy_up();
    return step::go_on;
  }
  return suspended ? step::suspended : step::parked;
}

/// Takes away what late senders to an earlier tenant have left where this one does not look.
void long_way::tidy_up() noexcept {
  if (lane_of(cell_) == nullptr) {
    if (cell_.box.peek().in_lane()) cell_.reader.forget_lane(cell_.box);
    return;
  }
  envelope_chain strays = cell_.reader.take_strays(cell_.box);
  while (envelope* const e = strays.pop()) {
    leave_mailbox(cell_, *e);
    end_as_dead_letter(here_, &cell_, *e, drop_reason::stopped);
  }
}

step long_way::pass_through(envelope& e) noexcept {
  leave_mailbox(cell_, e);
  if (e.generation != cell_.tenant) return pass_over(e);
  if (e.kind == envelope_kind::timer) return handle_timer(e);
  ++handled_;
  receive(e);
  return finish(e);
}

void long_way::receive(envelope& e) noexcept {
  failure why;
  cell_.current = &e;
  const call_result said = cell_.type->receive(cell_.object, context_of(cell_), e, why);
  if (said != call_result::done) settle(said, e, why);
}

/// A message was handled: it ends, and is left.
step long_way::finish(envelope& e) noexcept {
  if (e.operations->destroy != nullptr) e.operations->destroy(payload_of(e));
  const step s = leave(e);
  free_envelope(here_, e);
  return s;
}

/// The envelope is the job's, and goes on being a link of the mailbox until it is left: only then is
/// the job told that its run is over, for it may be queued again at once.
step long_way::handle_timer(envelope& e) noexcept {
  timer_letter& letter = timer_letter::of(e);
  timer_job& job = letter.job();
  job.hold();
  const std::optional<execution_batch> batch = job.begin();
  if (batch) {
    ++handled_;
    letter.batch = *batch;
    job.take_into(*batch, payload_of(e));
    receive(e);
    if (e.operations->destroy != nullptr) e.operations->destroy(payload_of(e));
  }
  const step s = leave(e);
  if (batch) job.finish({});  // a failing handler is the actor's failure, not the job's
  job.let_go();
  return s;
}

/// A message for an earlier tenant of the slot. It has to be left before it ends.
step long_way::pass_over(envelope& e) noexcept {
  timer_job* const job = e.kind == envelope_kind::timer ? &timer_letter::of(e).job() : nullptr;
  if (job != nullptr) job->hold();
  const step s = leave(e);
  end_as_dead_letter(here_, &cell_, e, drop_reason::stopped);  // it only says where: type-stable
  if (job != nullptr) job->let_go();
  return s;
}

/// Done with the message in front: on to the next one, or the cell is parked or stopped.
step long_way::leave(envelope& e) noexcept {
  if (cell_.stop_wanted) return stop(&e);
  evicting_queue* const lane = lane_of(cell_);
  const bool suspended = cell_.box.peek().suspended();
  const left rest =
      lane == nullptr ? cell_.reader.advance(cell_.box, e) : cell_.reader.advance(cell_.box, *lane);
  if (rest != left::parked) return step::go_on;
  return suspended ? step::suspended : step::parked;
}

}  // namespace

// There are three ways through a message. This is the shortest, for the only message of an actor that
// runs and whose mailbox has no limits: most turns of most actors are nothing else, and the figures
// are about it. What it cannot do it leaves to `go_on`, which knows the short way through many
// messages, and the long way.
invoke_result message_invoker::invoke_batch(cell& c, std::uint32_t most) noexcept {
  thread_record& here = this_thread();
  here.sender = origin::of_actor(c.slot, c.tenant);
  const std::uint32_t sent_before = here.sends;
  envelope* const e = c.ordinary ? c.reader.lone(c.box) : nullptr;
  if (e == nullptr || !is_plain(*e, c)) [[unlikely]]
    return go_on(here, c, {.most = most, .sent_before = sent_before});
  failure why;
  c.current = e;
  const call_result said = c.type->receive(c.object, context_of(c), *e, why);
  if (said != call_result::done || c.stop_wanted) [[unlikely]] {
    c.reader.take_lone(*e);
    return after_handler(here, c, said, why, {.most = most, .sent_before = sent_before});
  }
  if (e->operations->destroy != nullptr) e->operations->destroy(payload_of(*e));
  const left rest = c.reader.leave_lone(c.box, *e);
  free_envelope(here, *e);
  if (rest == left::parked) [[likely]]
    return {.how = outcome::completed, .messages = 1};
  return go_on(here, c, {.most = most, .sent_before = sent_before, .handled = 1});
}

invoke_result message_invoker::after_handler(thread_record& here, cell& c, call_result said,
                                             const failure& why, progress so_far) noexcept {
  const long_step longer = long_way{home_, here, c}.after_handler(said, *c.current, why);
  if (longer.where != step::go_on)
    return {.how = longer.failed ? outcome::failed : outcome_of(longer.where), .messages = 1};
  so_far.handled = 1;
  so_far.failed = longer.failed;
  return go_on(here, c, so_far);
}

// One loop, both ways: what is in registers stays there.
// NOLINTNEXTLINE(readability-function-cognitive-complexity)
invoke_result message_invoker::go_on(thread_record& here, cell& c, progress so_far) noexcept {
  const std::uint64_t until_ns = home_.limits.time ? end_of_turn(*home_.limits.time) : 0;
  const std::uint32_t sent_before = so_far.sent_before;
  std::uint32_t handled = so_far.handled;
  bool failed = so_far.failed;
  while (true) {
    // No clock is read unless there is a limit.
    const bool others_are_due = handled >= so_far.most ||
                                here.sends - sent_before >= home_.limits.sends ||
                                (until_ns != 0 && home_.now_ns() >= until_ns);
    if (others_are_due) return {.how = outcome::yielded, .messages = handled};
    long_step longer;
    envelope* const e = is_ordinary(c) ? c.reader.front(c.box) : nullptr;
    if (e != nullptr && is_plain(*e, c)) [[likely]] {
      failure why;
      c.current = e;
      const call_result said = c.type->receive(c.object, context_of(c), *e, why);
      if (said == call_result::done && !c.stop_wanted) [[likely]] {
        ++handled;
        if (e->operations->destroy != nullptr) e->operations->destroy(payload_of(*e));
        const left rest = c.reader.advance(c.box, *e);
        free_envelope(here, *e);
        if (rest == left::parked) return {.how = outcome::completed, .messages = handled};
        continue;
      }
      longer = long_way{home_, here, c}.after_handler(said, *e, why);
    } else {
      longer = long_way{home_, here, c}.once();
    }
    handled += longer.handled;
    failed = failed || longer.failed;
    if (longer.where != step::go_on)
      return {.how = failed ? outcome::failed : outcome_of(longer.where), .messages = handled};
  }
}

std::uint64_t message_invoker::end_of_turn(duration length) noexcept {
  return home_.now_ns() + static_cast<std::uint64_t>(length.nanoseconds());
}

actor_state message_invoker::state_of(const cell& c) noexcept {
  switch (c.stage) {
  case life_stage::stopped:
    return actor_state::stopped;
  case life_stage::stopping:
    return actor_state::stopping;
  default:
    return c.box.peek().suspended() ? actor_state::suspended : actor_state::running;
  }
}

}  // namespace tactor::inline v0
