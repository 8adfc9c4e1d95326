// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/coroutine/task_list.hpp"

#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/send/timer_envelope.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <optional>
#include <utility>

namespace tactor::inline v0::internal {
call_result task_list::run(thread_record& here, cell& c, running_task& task, void* frame,
                           failure& why) noexcept {
  task.next = frame;
  waits_since_ns = 0;
  look_ns_ = never_ns;
  while (!task.failed) {
    void* next_frame = std::exchange(task.next, nullptr);
    if (next_frame == nullptr && task.to_begin != nullptr)
      next_frame = std::exchange(task.to_begin, task.to_begin->sibling)->frame;
    if (next_frame == nullptr) break;
    resume_frame(next_frame);
  }
  if (!task.failed && !task.ended) {
    if (!task.linked) {
      task.linked = true;
      tasks_.push_back(task);
      ++count;
      if (!task.reentrant) ++exclusive;
    }
    if (!task.reentrant && task.ready == 0) waits = true;
    return call_result::awaiting;
  }
  return end_task(here, c, task, why);
}

/// Ends a task that has come to its end, or failed.
call_result task_list::end_task(thread_record& here, cell& c, running_task& task,
                                failure& why) noexcept {
  call_result said = call_result::failed;
  if (!task.failed) {
    said = task.finish(task, why);
  } else if (&why != &here.failures.why) {
    why = here.failures.why;
  }
  leave(task);
  destroy_frame(task.frame);
  tell_if_over(c);
  return said;
}

call_result task_list::run_and_suspend(thread_record& here, cell& c, running_task& task,
                                       void* frame, failure& why) noexcept {
  const call_result said = run(here, c, task, frame, why);
  if (waits) suspend_for_await({*here.services, here, c}, waits_since_ns);
  return said;
}

void task_list::leave(running_task& task) noexcept {
  if (!std::exchange(task.linked, false)) return;
  tasks_.erase(task);
  --count;
  if (!task.reentrant) --exclusive;
}

void task_list::tell_if_over(cell& c) noexcept {
  if (count != 0 || when_over == nullptr) return;
  if (c.object != nullptr) when_over(c.object);
  when_over = nullptr;
}

task_step task_list::run_ready(thread_record& here, cell& c, failure& why) noexcept {
  awaited& first = *ready_list_.front();
  running_task& task = *first.task;
  void* const frame = first.frame;
  envelope* const message = task.message;
  forget(first);
  set_current(here, c, message);
  // The other path, `run_with`, is not taken while a trace runs.
  std::optional<call_span> span;
  if (message != nullptr) span.emplace(here, c, *message, traced_call::resumed);
  const call_result said = run_and_suspend(here, c, task, frame, why);
  if (span) span->set_failed(said == call_result::failed);
  if (ready) (void)c.box.give_notice();  // for the next one; the cell is running
  return {.said = said, .message = said == call_result::awaiting ? nullptr : message};
}

/// Records the message whose coroutine resumes.
inline void task_list::set_current(thread_record& here, cell& c, envelope* message) noexcept {
  c.current = message;
  // relaxed: a hint
  here.handling.store(message == nullptr ? nullptr : message->operations, relaxed);
}

void task_list::complete(const turn_context& in, awaited& what, std::uint64_t asked_ns) noexcept {
  running_task& task = *what.task;
  cell& c = task.owner;
  forget_wait(what);
  make_ready(what);
  if (task.reentrant) {
    (void)c.box.give_notice();  // the cell is running
    return;
  }
  waits = false;
  resume(in, suspend_reason::await_external, asked_ns);
}

awaited* task_list::end_ask(const turn_context& in, envelope& answer) noexcept {
  ask_slot& slot = program_memory.asks[answer.from.index()];
  if (!slot.take()) {
    end_late_answer(in.thread, answer);
    return nullptr;
  }
  awaited& what = *slot.as<ask_of_coroutine>().what;
  what.slot = nullptr;
  program_memory.asks.give_back(in.thread.asks, slot);
  if (answer.operations == &operations_of<not_answered>) {
    what.why = static_cast<not_answered*>(payload_of(answer))->why;
    const std::uint64_t end_ns = std::min(in.system.now_ns(), what.deadline_ns);
    what.waited_ns = end_ns > what.began_ns ? end_ns - what.began_ns : 0;  // it was read quickly
    discard_envelope(in.thread, answer);
  } else {
    what.answer = &answer;
  }
  return &what;
}

bool task_list::take_answer(const turn_context& in, envelope& answer) noexcept {
  awaited* const what = end_ask(in, answer);
  if (what != nullptr) complete(in, *what, 0);
  return what != nullptr;
}

task_step task_list::run_with(const turn_context& in, envelope& answer, failure& why) noexcept {
  cell& c = in.actor;
  awaited* const what = end_ask(in, answer);
  if (what == nullptr) return {.said = call_result::unhandled};
  running_task& task = *what->task;
  envelope* const message = task.message;
  forget(*what);
  waits = false;
  end_await(in);
  set_current(in.thread, c, message);
  const call_result said = run(in.thread, c, task, what->frame, why);
  if (ready) (void)c.box.give_notice();  // for the next one; the cell is running
  return {.said = said, .message = said == call_result::awaiting ? nullptr : message};
}

/// Returns: the signal with this key that has been awaited for longest; null if there is none.
awaited_signal* task_list::first_with(signal_key key) const noexcept {
  awaited_signal* const found =
      signals_.first_not([key](const awaited_signal& each) { return each.key.value < key.value; });
  return found != nullptr && found->key == key ? found : nullptr;
}

bool task_list::take_signal(const turn_context& in, signal_key key,
                            std::uint64_t asked_ns) noexcept {
  bool taken = false;
  while (awaited_signal* const what = first_with(key)) {
    taken = true;
    what->signalled = true;
    complete(in, *what, asked_ns);
  }
  return taken;
}

void task_list::expire(const turn_context& in, std::uint64_t now_ns) noexcept {
  for (awaited* first = timed_.first(); first != nullptr && first->deadline_ns <= now_ns;
       first = timed_.first()) {
    close_slot(in.thread, *first);
    first->why = ask_failure::timed_out;
    first->waited_ns = first->deadline_ns - first->began_ns;
    first->timed_out = true;
    complete(in, *first, first->deadline_ns);
  }
  if (!waits || look_ns_ > now_ns) return;
  look_ns_ = never_ns;
  if (program_features().wait_walks != nullptr) program_features().wait_walks->begin(in);
}

std::uint64_t task_list::next_deadline_ns() const noexcept {
  const awaited* const first = timed_.first();
  if (first == nullptr) return 0;
  return waits && look_ns_ < first->deadline_ns ? look_ns_ : first->deadline_ns;
}

sole_wait task_list::awaited_alone() const noexcept {
  const auto is_only = [](const auto* one, const auto* left, const auto* right) {
    return one != nullptr && left == nullptr && right == nullptr;
  };
  if (!waits || count != 1 || untimed_ != 0) return {};
  if (timed_.empty()) {
    const awaited_signal* const only = signals_.root();
    if (only == nullptr || !is_only(only, only->left_by_key, only->right_by_key)) return {};
    return {.what = sole_wait::kind::signal, .key = only->key};
  }
  const awaited& only = *timed_.root();
  if (!is_only(&only, only.left, only.right) || !signals_.empty() || only.slot == nullptr)
    return {};
  const auto& record = only.slot->as<ask_of_coroutine>();
  if (record.target == nullptr) return {};
  return {.what = sole_wait::kind::answer,
          .question = only.slot->as_origin(),
          .target = {record.target, record.target_generation},
          .deadline_ns = only.deadline_ns};
}

bool task_list::is_to_answer(origin question) const noexcept {
  for (const running_task* each = tasks_.front(); each != nullptr; each = tasks_.next(*each)) {
    const envelope* const message = each->message;
    if (message != nullptr && message->from == question) return !message->passed_on();
  }
  return false;
}

void task_list::copy_message(thread_record& here) noexcept {
  running_task& task = *tasks_.back();
  const envelope& original = *task.message;
  envelope* copy = nullptr;
  if (void* const block = new_block(here, *original.operations)) {
    std::byte* const start =
        static_cast<std::byte*>(block) - payload_offset(original.operations->alignment);
    copy = std::launder(reinterpret_cast<envelope*>(start));
    copy->kind = original.kind;
    copy->detail = 0;
    copy->from = original.from;
    copy->generation = original.generation;
  }
  task.message = copy;  // null: the coroutine has no sender from now on
}

void task_list::release_message(thread_record& here, envelope& message) noexcept {
  if (message.kind != envelope_kind::timer) return discard_envelope(here, message);
  timer_job& job = timer_envelope::of(message).job();
  if (message.operations->destroy != nullptr) message.operations->destroy(payload_of(message));
  message.set_state(0);  // the job sends it again
  job.finish({});
  job.let_go();
}

void task_list::end(thread_record& here, cell& c, ask_failure why) noexcept {
  const bool ended = std::exchange(here.ending, c.stage == lifecycle_stage::stopping);
  while (!tasks_.empty()) {
    running_task& task = *tasks_.front();
    envelope* const message = task.message;
    leave(task);
    destroy_frame(task.frame);
    if (message == nullptr) continue;
    refuse_answer(here, message->from, why);
    if (c.filtered && message->kind != envelope_kind::system)
      program_features().middleware->tell_destroyed(*here.services, c, *message);
    release_message(here, *message);
  }
  here.ending = ended;
  waits = false;
  yields = false;
  lets_pass = false;
  tell_if_over(c);
}

}  // namespace tactor::inline v0::internal
