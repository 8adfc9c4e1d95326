// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/base/memory_source.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/cell/ask_slot.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/mailbox_limits.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/cell/system_gate.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/dispatch/single_thread_coordinator.hpp"
#include "tactor/core/life/start_stop.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/locked_queue.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/tell_result.hpp"
#include "tactor/core/send/wait_graph.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/turn/turn.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <utility>

namespace tactor::rig {

using namespace tactor::internal;

/// The message that the actors of these tests take.
struct note {
  int number = 0;
};

/// Records what happened, in order. Text and number: on a board there is no memory for more.
class log {
public:
  struct entry {
    char what = ' ';
    int number = 0;
    friend constexpr bool operator==(const entry&, const entry&) noexcept = default;
  };

  void add(char what, int number = 0) noexcept {
    if (size_ < entries_.size()) entries_[size_] = {.what = what, .number = number};
    ++size_;
  }
  void clear() noexcept { size_ = 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] entry operator[](std::size_t i) const noexcept {
    return i < size_ && i < entries_.size() ? entries_[i] : entry{.what = '?'};
  }
  [[nodiscard]] std::size_t count(char what) const noexcept {
    std::size_t found = 0;
    for (std::size_t i = 0; i < size_ && i < entries_.size(); ++i)
      found += entries_[i].what == what ? 1U : 0U;
    return found;
  }
  /// Returns: true if exactly this happened: pairs of what and which number.
  template <class... Entries>
  [[nodiscard]] bool is(Entries... expected) const noexcept {
    const std::array<entry, sizeof...(Entries)> all{expected...};
    if (all.size() != size_) return false;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!(all[i] == entries_[i])) return false;
    return true;
  }

private:
  std::array<entry, 32> entries_{};
  std::size_t size_ = 0;
};

/// The record that all actors of these tests write into: 'h' handled, 'p' post_stop, 'd' dead
/// letter, 'e' ended, 'f' failed, 'x' a reserve was used up.
inline log story;

inline constexpr std::size_t room_in_all = sizeof(void*) == 8 ? 1U << 20 : 6U << 10;
inline constinit page_storage<room_in_all> storage{};
inline constinit static_pages pages{storage.bytes};

/// Services for actors without a system: they are made, run and observed one by one. Without heap.
class system_services final : public tactor::internal::system_services,
                              public tactor::internal::system_reports {
public:
  system_services() noexcept : limits(constants.limits) {
    reports = this;
    if constexpr (port::names_features) features_of_board = &all_features;
    program_memory.pages.provide(pages);
    gate_ = program_memory.gates.take();
    gate_->open(*this, nullptr);
    this_thread().services = this;
    story.clear();
  }
  ~system_services() {
    this_thread().services = nullptr;
    this_thread().sender = {};
    gate_->close();
    program_memory.gates.give_back(*gate_);
  }
  system_services(const system_services&) = delete;
  system_services& operator=(const system_services&) = delete;

  /// An actor that is ready to be run for the first time.
  template <class Actor, class... Arguments>
  [[nodiscard]] typename Actor::ref make(const mailbox_options& options, Arguments... arguments) {
    using how = class_spawn<Actor, Arguments...>;
    auto kept = how::keep(arguments...);
    cell& c = *program_memory.cells.take(this_thread().cells);
    c.parent = nullptr;
    c.guardian = false;
    c.recipe = &how::recipe;
    c.type.store(how::recipe.type, relaxed);  // relaxed: one thread
    c.timed = limits.time.has_value();
    enter_first_stage(c);
    if (how::recipe.keep != nullptr) {
      c.arguments = new_block(this_thread(), how::recipe.arguments);
      how::recipe.keep(&kept, c.arguments);
    }
    const mailbox_limits wanted = mailbox_limits::of(options);
    if (wanted.bounded() && wanted.strategy() == overflow_strategy::drop_oldest) {
      locked_queue* const side_queue = program_memory.side_queues.take();
      side_queue->open(&c, c.tenant, {.capacity = options.capacity});
      c.side_queue.store(side_queue, relaxed);  // relaxed: one thread
    }
    c.coordinator.store(&ready, relaxed);                        // relaxed: one thread
    c.gate.store(gate_, relaxed);                                // relaxed: one thread
    c.limits.store(wanted.bits, relaxed);                        // relaxed: one thread
    c.pressure.store(pressure_word::of(options).bits, relaxed);  // relaxed: one thread
    c.system_limit.store(options.reserve_for_system == mailbox_options::unbounded
                             ? 0
                             : options.reserve_for_system + 1,
                         relaxed);  // relaxed: one thread
    c.box.open();
    ready.register_ready(c);
    return {&c, c.tenant};
  }

  /// One turn of the next cell that is ready. Requires: there is one.
  invoke_result run_one() noexcept { return run_one(limits.messages); }
  invoke_result run_one(std::uint32_t most) noexcept {
    ready_cell* next = nullptr;
    if (ready.drain_ready_cycle({&next, 1}) == 0) port::panic(nothing_ready);
    const std::uint32_t before = std::exchange(limits.messages, most);
    const invoke_result result =
        run_turn({.system = *this, .thread = this_thread(), .actor = static_cast<cell&>(*next)});
    limits.messages = before;
    ready.handle_invoke_result(*next, result);
    return result;
  }
  void run_all() noexcept {
    while (ready.poll_wait_signal() == wait_signal::ready)
      (void)run_one();
  }

  void count(port::counter internal::worker_counters::* /*what*/) noexcept override {}
  void dead_letter(const lost_message& lost) noexcept override {
    const bool seen = lost.payload != nullptr && same_type(lost.operations, operations_of<note>);
    story.add('d', seen ? static_cast<const note*>(lost.payload)->number : 0);
    last_reason = lost.why;
    last_target = lost.target;
    if (on_dead_letter != nullptr) on_dead_letter(lost);
  }
  void reserve_used_up(const actor_ref<>& /*who*/) noexcept override { story.add('x'); }
  void cycle(const internal::wait_cycle& /*found*/) noexcept override {}
  void stuck(const internal::stuck_wait& /*found*/) noexcept override {}
  void pressure(const actor_ref<>& /*who*/, std::uint32_t waiting) noexcept override {
    story.add('P', static_cast<int>(waiting));
  }
  void failed(cell& /*who*/, const message_operations* /*in*/, const failure& /*why*/,
              const verdict& /*said*/) noexcept override {
    story.add('f');
  }
  void escalated(cell& /*who*/, const message_operations* /*in*/,
                 const failure& /*why*/) noexcept override {
    story.add('E');
  }
  void lost(const lost_message& /*what*/, drop_reason /*why*/) noexcept override {}
  void system_failed(cell& /*who*/, const message_operations* /*in*/,
                     const failure& /*why*/) noexcept override {}
  void refused_spawn(const spawn_request& /*wanted*/, const cell* /*parent*/,
                     spawn_error /*why*/) noexcept override {}
  void other_name(const cell& /*of*/, const name_changed& /*what*/) noexcept override {}
  void timer_warnings() noexcept override {}
  void flush() noexcept override {}
  void restarted(cell& /*who*/) noexcept override { story.add('R'); }
  void suspended(cell& /*who*/) noexcept override { story.add('S'); }
  void resumed(cell& who, std::optional<duration> /*after*/) noexcept override {
    story.add('W');
    if (on_resumed != nullptr) on_resumed(who);
  }
  void misused(cell& /*who*/, const char* /*advice*/) noexcept override {
    story.add('m');
    ++misuses;
  }
  void log(const cell& /*who*/, log_level /*level*/, std::string_view /*text*/) noexcept override {}
  void write_path(event_text& /*to*/, const cell& /*of*/) const noexcept override {}
  [[nodiscard]] actor_ref<>
  find(std::string_view /*path*/,
       std::span<const message_operations* const> /*messages*/) noexcept override {
    return {};
  }
  void ended(cell& who) noexcept override {
    story.add('e');
    if (on_ended != nullptr) on_ended(who);
    program_memory.cells.give_back(this_thread().cells, who);
  }
  [[nodiscard]] std::expected<actor_ref<>, spawn_error> spawn(const spawn_request& /*wanted*/,
                                                              cell* /*parent*/) noexcept override {
    return std::unexpected{spawn_error::no_memory};
  }
  void last_child_left() noexcept override {}
  void lock_family() noexcept override {}
  void unlock_family() noexcept override {}
  [[nodiscard]] scheduler& timers() noexcept override { port::panic(not_here); }
  [[nodiscard]] job_dispatcher* callables_of(const cell&) noexcept override { return nullptr; }
  [[nodiscard]] event_stream& events() noexcept override { port::panic(not_here); }
  [[nodiscard]] std::uint64_t now_ns() const noexcept override {
    ++clock_reads;
    return time_ns;
  }
  [[nodiscard]] std::uint64_t stamp_ns() const noexcept override { return time_ns; }
  [[nodiscard]] std::uint64_t measured_ns() const noexcept override { return 0; }
  [[nodiscard]] std::uint64_t next_random() noexcept override { return 0; }

  turn_limits& limits;  // of the next turns
  single_thread_coordinator ready;
  std::uint64_t time_ns = 0;
  mutable std::uint32_t clock_reads = 0;  // of `now_ns`
  std::uint32_t misuses = 0;
  drop_reason last_reason = drop_reason::injected;
  mailbox_index last_target;
  void (*on_dead_letter)(const lost_message&) noexcept = nullptr;
  void (*on_ended)(cell&) noexcept = nullptr;
  void (*on_resumed)(cell&) noexcept = nullptr;

private:
  static constexpr port::panic_code not_here{.module = 6, .id = 90, .advice = "not in this home"};
  static constexpr port::panic_code nothing_ready{
      .module = 6, .id = 91, .advice = "run_one: no actor is ready"};

  system_gate* gate_ = nullptr;
};

/// Writes down what it is sent.
class recorder : public actor<note> {
public:
  void receive(context& /*ctx*/, const note& n) { story.add('h', n.number); }
  void post_stop(context& /*ctx*/) { story.add('p'); }
};

/// Does what the test says with each message, after writing it down.
class scripted : public actor<note> {
public:
  using script = void (*)(context&, int number);
  explicit scripted(script with) : script_(with) {}
  void receive(context& ctx, const note& n) {
    story.add('h', n.number);
    script_(ctx, n.number);
  }
  void post_stop(context& /*ctx*/) { story.add('p'); }

private:
  script script_;
};

/// A message as a sender has it in its hands.
inline envelope& enclosed(int number, std::uint32_t generation) {
  envelope* const e = internal::enclose<note>(this_thread(), note{number});
  e->from = {};
  e->generation = generation;
  e->detail = 0;
  return *e;
}

/// Sends a message in the way the runtime sends its own.
inline tell_result post(const actor_ref<>& to, int number) {
  envelope& e = enclosed(number, to.generation());
  const tell_result result = post_system_reserved(*to.slot(), to.generation(), e);
  if (result != tell_result::ok) discard_envelope(this_thread(), e);
  return result;
}

}  // namespace tactor::rig
