// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/message_invoker.hpp"

#include "tactor/core/actor/answer.hpp"
#include "tactor/core/actor/context.hpp"
#include "tactor/core/actor/delivery.hpp"
#include "tactor/core/actor/life.hpp"
#include "tactor/core/actor/mailbox_limits.hpp"
#include "tactor/core/actor/open_asks.hpp"
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
  step handle_answer(envelope& e) noexcept;
  bool go_on_with(envelope& answer) noexcept;
  void end_due_asks() noexcept;
  void end_first_ask(ask_failure why_none, std::uint64_t now_ns) noexcept;
  void fail(const message_operations* in, const failure& why) noexcept;
  step take_strays() noexcept;
  bool take_stray(envelope& e) noexcept;
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
    fail(e.operations, why);
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

void long_way::fail(const message_operations* in, const failure& why) noexcept {
  failed_ = true;
  cell_.stop_wanted = true;
  home_.failed(cell_, in, why);
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
  if (lane != nullptr && cell_.box.peek().newest() != nullptr) return take_strays();
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
  here_.handling.store(nullptr, relaxed);  // relaxed: a hint
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
  if (cell_.stage == life_stage::draining && !suspended)
    return as_step(end_drained(home_, here_, cell_));
  if (!cell_.reader.park(cell_.box)) {
    tidy_up();
    return step::go_on;
  }
  return suspended ? step::suspended : step::parked;
}

/// Takes away what late senders to an earlier tenant have left where this one does not look.
void long_way::tidy_up() noexcept {
  if (lane_of(cell_) == nullptr && cell_.box.peek().in_lane()) cell_.reader.forget_lane(cell_.box);
}

/// What lies in the queue beside the lane: what the runtime owes the actor, which goes past all
/// limits, and what late senders to an earlier tenant have left there.
step long_way::take_strays() noexcept {
  envelope_chain strays = cell_.reader.take_strays(cell_.box);
  while (envelope* const e = strays.pop()) {
    leave_mailbox(cell_, *e);
    if (cell_.stop_wanted || !take_stray(*e))
      end_as_dead_letter(here_, &cell_, *e, drop_reason::stopped);
  }
  return cell_.stop_wanted ? stop(nullptr) : step::go_on;
}

/// Returns: false if nobody wants it.
bool long_way::take_stray(envelope& e) noexcept {
  if (e.kind == envelope_kind::answer) {
    if (!go_on_with(e)) return false;
    discard_envelope(here_, e);
    return true;
  }
  if (e.kind != envelope_kind::timer || e.generation != cell_.tenant || !internal::is_about_asks(e))
    return false;
  timer_job& job = timer_letter::of(e).job();
  if (!job.begin()) return true;
  end_due_asks();
  job.finish({});
  return true;
}

step long_way::pass_through(envelope& e) noexcept {
  leave_mailbox(cell_, e);
  if (e.kind == envelope_kind::answer) return handle_answer(e);
  if (e.generation != cell_.tenant) return pass_over(e);
  if (e.kind == envelope_kind::timer) return handle_timer(e);
  ++handled_;
  receive(e);
  return finish(e);
}

void long_way::receive(envelope& e) noexcept {
  failure why;
  cell_.current = &e;
  here_.handling.store(e.operations, relaxed);  // relaxed: a hint
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
  if (batch && internal::is_about_asks(e)) {
    end_due_asks();
  } else if (batch) {
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

step long_way::handle_answer(envelope& e) noexcept {
  return go_on_with(e) ? finish(e) : pass_over(e);
}

/// Calls the continuation that waits for it. There is no current message: it has been handled.
/// Returns: false if none does.
bool long_way::go_on_with(envelope& answer) noexcept {
  cell_.current = nullptr;
  here_.handling.store(answer.operations, relaxed);  // relaxed: a hint
  failure why;
  const call_result said = internal::take_answer(here_, home_, cell_, answer, why);
  if (said == call_result::unhandled) return false;
  ++handled_;
  if (said == call_result::failed) fail(answer.operations, why);
  return true;
}

/// The timer of the actor's questions has fired.
void long_way::end_due_asks() noexcept {
  const std::uint64_t now_ns = home_.now_ns();
  internal::alarm_has_rung(cell_);
  while (!cell_.stop_wanted && internal::has_due_ask(cell_, now_ns))
    end_first_ask(ask_failure::timed_out, now_ns);
  if (cell_.stop_wanted || internal::set_next_alarm(home_, cell_, now_ns)) return;
  // There is no timer for the others: better an end now than none.
  while (!cell_.stop_wanted && internal::has_due_ask(cell_, ~std::uint64_t{0}))
    end_first_ask(ask_failure::refused, now_ns);
}

void long_way::end_first_ask(ask_failure why_none, std::uint64_t now_ns) noexcept {
  cell_.current = nullptr;
  here_.handling.store(nullptr, relaxed);  // relaxed: a hint
  failure why;
  if (internal::end_first_ask(here_, cell_, why_none, now_ns, why) == call_result::failed)
    fail(nullptr, why);
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

/// Notices that a turn lasts long without reading the clock for every message.
class slice_watch {
public:
  explicit slice_watch(std::uint64_t length_ns) noexcept
      : length_ns_(length_ns), next_look_(length_ns == 0 ? never : 1) {}

  [[nodiscard]] bool is_over(std::uint32_t handled, actor_home& home) noexcept {
    return handled >= next_look_ && look(handled, home.now_ns());
  }

private:
  static constexpr std::uint32_t never = ~std::uint32_t{0};

  bool look(std::uint32_t handled, std::uint64_t now_ns) noexcept {
    if (began_ns_ == 0) began_ns_ = now_ns;
    const std::uint64_t passed = now_ns - began_ns_;
    // Twice as many messages may take twice as long: not when that would be too long.
    next_look_ = passed > length_ns_ / 4 ? handled + 1 : 2 * handled;
    return passed >= length_ns_;
  }

  std::uint64_t length_ns_;
  std::uint64_t began_ns_ = 0;
  std::uint32_t next_look_;
};

/// An actor that uses up a turn of so many messages does not keep up with those who send.
constexpr std::uint32_t a_flood = 256;

/// Tells senders whether the cell keeps up. A hint, and a late one may be the next tenant's.
void note_behind(cell& c, bool is_behind) noexcept {
  const mailbox_limits now{c.limits.load(relaxed)};  // relaxed: a hint
  if (now.behind() == is_behind) return;
  if (is_behind) {
    c.limits.fetch_or(mailbox_limits::behind_bit, relaxed);  // relaxed: a hint
  } else {
    c.limits.fetch_and(~mailbox_limits::behind_bit, relaxed);  // relaxed: a hint
  }
}

}  // namespace

// There are three ways through a message. This is the shortest, for the only message of an actor that
// runs and whose mailbox has no limits: most turns of most actors are nothing else, and the figures
// are about it. What it cannot do it leaves to `go_on`, which knows the short way through many
// messages, and the long way.
invoke_result message_invoker::invoke(thread_record& here, cell& c) noexcept {
  here.sender = origin::of_actor(c.slot, c.tenant);
  envelope* const e = c.ordinary ? c.reader.lone(c.box) : nullptr;
  if (e == nullptr || !is_plain(*e, c)) [[unlikely]] {
    const bool answer = e != nullptr && e->kind == envelope_kind::answer;
    return answer ? take_lone_answer(here, c, *e) : go_on(here, c, 0, false);
  }
  c.current = e;
  here.handling.store(e->operations, relaxed);  // relaxed: a hint
  const call_result said = c.type->receive(c.object, context_of(c), *e, here.why);
  if (said != call_result::done || c.stop_wanted) [[unlikely]] {
    c.reader.take_lone(*e);
    return after_handler(here, c, said);
  }
  if (e->operations->destroy != nullptr) e->operations->destroy(payload_of(*e));
  if (!c.reader.try_leave_lone(c.box, *e)) [[unlikely]]
    return leave_after_all(here, c, *e);
  free_envelope(here, *e);
  return {.how = outcome::completed, .messages = 1};
}

invoke_result message_invoker::leave_after_all(thread_record& here, cell& c, envelope& e) noexcept {
  const left rest = c.reader.leave_after_all(c.box, e);
  free_envelope(here, e);
  if (rest == left::parked) return {.how = outcome::completed, .messages = 1};
  return go_on(here, c, 1, false);
}

// The same for an answer that is all there is.
invoke_result message_invoker::take_lone_answer(thread_record& here, cell& c,
                                                envelope& e) noexcept {
  c.current = nullptr;
  here.handling.store(e.operations, relaxed);  // relaxed: a hint
  const call_result said = internal::take_answer(here, home_, c, e, here.why);
  if (said == call_result::unhandled) return go_on(here, c, 0, false);
  if (said != call_result::done || c.stop_wanted) [[unlikely]] {
    c.reader.take_lone(e);
    c.current = &e;
    return after_handler(here, c, said);
  }
  if (e.operations->destroy != nullptr) e.operations->destroy(payload_of(e));
  if (!c.reader.try_leave_lone(c.box, e)) return leave_after_all(here, c, e);
  free_envelope(here, e);
  return {.how = outcome::completed, .messages = 1};
}

invoke_result message_invoker::invoke_batch(cell& c, std::uint32_t most) noexcept {
  thread_record& here = this_thread();
  here.turn_limit = most;
  const invoke_result result = invoke(here, c);
  here.turn_limit = 0;
  return result;
}

invoke_result message_invoker::after_handler(thread_record& here, cell& c,
                                             call_result said) noexcept {
  const failure why = here.why;  // others may fail before this is told
  const long_step longer = long_way{home_, here, c}.after_handler(said, *c.current, why);
  if (longer.where != step::go_on)
    return {.how = longer.failed ? outcome::failed : outcome_of(longer.where), .messages = 1};
  return go_on(here, c, 1, longer.failed);
}

// One loop, both ways: what is in registers stays there.
// NOLINTNEXTLINE(readability-function-cognitive-complexity, readability-function-size)
invoke_result message_invoker::go_on(thread_record& here, cell& c, std::uint32_t handled,
                                     bool failed) noexcept {
  const std::uint64_t until_ns = home_.limits.time ? end_of_turn(*home_.limits.time) : 0;
  slice_watch slice{home_.limits.slice_ns};
  const std::uint32_t most = here.turn_limit != 0 ? here.turn_limit : home_.limits.messages;
  const std::uint32_t sent_before =
      here.sends;  // what a message that came alone sent is its own affair
  while (true) {
    // No clock is read unless there is a limit.
    const bool others_are_due = handled >= most || here.sends - sent_before >= home_.limits.sends ||
                                (until_ns != 0 && home_.now_ns() >= until_ns) ||
                                slice.is_over(handled, home_);
    if (others_are_due) {
      if (handled >= most && handled >= a_flood) note_behind(c, true);
      return {.how = outcome::yielded, .messages = handled};
    }
    long_step longer;
    envelope* const e = is_ordinary(c) ? c.reader.front(c.box) : nullptr;
    if (e != nullptr && is_plain(*e, c)) [[likely]] {
      failure why;
      c.current = e;
      here.handling.store(e->operations, relaxed);  // relaxed: a hint
      const call_result said = c.type->receive(c.object, context_of(c), *e, why);
      if (said == call_result::done && !c.stop_wanted) [[likely]] {
        ++handled;
        if (e->operations->destroy != nullptr) e->operations->destroy(payload_of(*e));
        const left rest = c.reader.advance(c.box, *e);
        free_envelope(here, *e);
        if (rest == left::parked) {
          note_behind(c, false);
          return {.how = outcome::completed, .messages = handled};
        }
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
