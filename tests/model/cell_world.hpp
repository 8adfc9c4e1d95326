// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/mailbox_limits.hpp"
#include "tactor/core/cell/mailbox_registry.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/life/start_stop.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/send.hpp"
#include "tactor/core/send/wait_graph.hpp"
#include "tactor/core/turn/turn.hpp"
#include "tactor/port/port.hpp"

#include "scenario.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <expected>
#include <memory>
#include <new>
#include <optional>
#include <span>

namespace tactor::model {

using namespace tactor::internal;

// A slot and its tenants, on the real delivery, turns and lifecycle; only the system is a stub.

struct slip {
  unsigned nothing = 0;
};

// A message, and what happened to it.
struct alignas(envelope_alignment) item {
  envelope head;
  port::plain<unsigned> text;
  unsigned handled = 0;
  unsigned dead = 0;

  void write() {
    head.operations = &operations_of<slip>;
    head.kind = envelope_kind::message;
    head.size_class = 0;
    text.set(1);
  }
  void read() {
    require(text.get() == 1, "not a message any more");
    text.set(1);  // only the reader writes it
  }
  static item& of(envelope& e) { return *reinterpret_cast<item*>(&e); }
  static item& of_payload(const void* payload) {
    const auto* const bytes = static_cast<const std::byte*>(payload);
    auto* const head = const_cast<std::byte*>(bytes - payload_offset(alignof(slip)));
    return *reinterpret_cast<item*>(head);
  }
};

// A ready queue for one cell.
class desk final : public ready_queue_coordinator {
public:
  desk() = default;
  desk(const desk&) = delete;
  desk& operator=(const desk&) = delete;
  ~desk() = default;

  void register_ready(ready_cell& ready) noexcept override {
    require(open_, "made ready in a system that is gone");
    require(queued_.exchange(&ready, release) == nullptr, "made ready twice");
  }
  void unregister(ready_cell& /*gone*/) noexcept override {}
  [[nodiscard]] std::size_t drain_ready_cycle(std::span<ready_cell*> out) noexcept override {
    out[0] = queued_.exchange(nullptr, acquire);
    return out[0] == nullptr ? 0 : 1;
  }
  [[nodiscard]] wait_signal poll_wait_signal() noexcept override { return wait_signal::pending; }
  void handle_invoke_result(ready_cell& ran, const invoke_result& result) noexcept override {
    if (has_more(result)) register_ready(ran);
  }
  [[nodiscard]] ready_queue_usage usage() noexcept override { return {}; }

  [[nodiscard]] cell* take() {
    ready_cell* taken = nullptr;
    if (drain_ready_cycle({&taken, 1}) == 0) return nullptr;
    return static_cast<cell*>(taken);
  }
  void close() { open_ = false; }

private:
  port::atomic<ready_cell*> queued_;
  bool open_ = true;
};

// The actor of these scenarios.
struct tenant {
  std::uint32_t generation;
  port::plain<unsigned>* state;  // detects two workers at once, or without an order
};

inline call_result receive(void* actor, context& /*ctx*/, envelope& e, failure& /*why*/) noexcept {
  const tenant& who = *static_cast<tenant*>(actor);
  who.state->set(who.state->get() + 1);
  item& mail = item::of(e);
  mail.read();
  require(e.generation == who.generation, "reached another tenant");
  ++mail.handled;
  return call_result::done;
}
inline call_result construct(const void* /*arguments*/, void* storage, cell& of,
                             failure& why) noexcept;

inline constexpr actor_type tenant_type{.receive = receive,
                                        .pre_start = nullptr,
                                        .post_stop = nullptr,
                                        .pre_restart = nullptr,
                                        .post_restart = nullptr,
                                        .messages = {},
                                        .instance = operations_of<tenant>};
inline constexpr actor_recipe tenant_recipe{.type = &tenant_type,
                                            .construct = construct,
                                            .keep = nullptr,
                                            .arguments = operations_of<slip>};

// The services of an actor's system.
class town final : public system_services, public system_reports {
public:
  town() noexcept { reports = this; }
  town(const town&) = delete;
  town& operator=(const town&) = delete;
  ~town() = default;

  void count(port::counter tactor::internal::worker_counters::* /*what*/) noexcept override {}
  void dead_letter(const lost_message& lost) noexcept override {
    item& mail = item::of_payload(lost.payload);
    mail.read();
    ++mail.dead;
  }
  void reserve_used_up(const actor_ref<>& /*who*/) noexcept override {
    require(false, "a system message was refused");
  }
  void cycle(const wait_cycle& /*found*/) noexcept override {}
  void stuck(const stuck_wait& /*found*/) noexcept override {}
  void pressure(const actor_ref<>& /*who*/, std::uint32_t /*waiting*/) noexcept override {}
  void failed(cell& /*who*/, const message_operations* /*in*/, const failure& /*why*/,
              const tactor::internal::verdict& /*said*/) noexcept override {
    require(false, "an actor failed");
  }
  void escalated(cell& /*who*/, const message_operations* /*in*/,
                 const failure& /*why*/) noexcept override {
    std::terminate();
  }
  void lost(const lost_message& /*what*/, drop_reason /*why*/) noexcept override {}
  void system_failed(cell& /*who*/, const message_operations* /*in*/,
                     const failure& /*why*/) noexcept override {}
  void refused_spawn(const spawn_request& /*wanted*/, const cell* /*parent*/,
                     spawn_error /*why*/) noexcept override {}
  void other_name(const cell& /*of*/, const name_changed& /*what*/) noexcept override {}
  void timer_warnings() noexcept override {}
  void flush() noexcept override {}
  void restarted(cell& /*who*/) noexcept override { ++restarts; }
  void suspended(cell& /*who*/) noexcept override {}
  void resumed(cell& /*who*/, std::optional<duration> /*after*/) noexcept override {}
  void misused(cell& /*who*/, const char* /*advice*/) noexcept override { std::terminate(); }
  void log(const cell& /*who*/, log_level /*level*/, std::string_view /*text*/) noexcept override {}
  void write_path(event_text& /*to*/, const cell& /*of*/) const noexcept override {}
  [[nodiscard]] actor_ref<>
  find(std::string_view /*path*/,
       std::span<const message_operations* const> /*messages*/) noexcept override {
    return {};
  }
  void ended(cell& who) noexcept override {
    last_ended = &who;
    ended_generation = who.tenant;
  }
  [[nodiscard]] std::expected<actor_ref<>, spawn_error> spawn(const spawn_request& /*wanted*/,
                                                              cell* /*parent*/) noexcept override {
    std::terminate();
  }
  void last_child_left() noexcept override { std::terminate(); }
  void lock_family() noexcept override { family.lock(); }
  void unlock_family() noexcept override { family.unlock(); }
  [[nodiscard]] scheduler& timers() noexcept override { std::terminate(); }
  [[nodiscard]] job_dispatcher* callables_of(const cell&) noexcept override { return nullptr; }
  [[nodiscard]] event_stream& events() noexcept override { std::terminate(); }
  [[nodiscard]] std::uint64_t now_ns() const noexcept override { return 0; }
  [[nodiscard]] std::uint64_t stamp_ns() const noexcept override { return 0; }
  [[nodiscard]] std::uint64_t measured_ns() const noexcept override { return 0; }
  [[nodiscard]] std::uint64_t next_random() noexcept override { return 0; }

  port::plain<unsigned> state;
  port::mutex family;
  const cell* last_ended = nullptr;
  std::uint32_t ended_generation = 0;
  unsigned restarts = 0;
};

inline call_result construct(const void* /*arguments*/, void* storage, cell& of,
                             failure& /*why*/) noexcept {
  town& services = static_cast<town&>(*this_thread().services);
  ::new (storage) tenant{.generation = of.tenant, .state = &services.state};
  return call_result::done;
}

// Spawns like a system, up to the opening. Returns: the generation.
inline std::uint32_t move_in(const cell& slot, cell* parent, std::uint32_t capacity) {
  cell* const c = program_memory.cells.take(this_thread().cells);
  require(c == &slot, "another slot");
  require(c->tenant % 2 == 1, "the tenant before has not ended");
  c->parent = parent;
  c->type.store(&tenant_type, release);  // pairs: cell.type
  c->recipe = &tenant_recipe;
  c->stage = lifecycle_stage::starting;
  c->ctx.owner = c;
  const mailbox_options mail{.capacity = capacity, .overflow = overflow_strategy::reject};
  c->limits.store(mailbox_limits::of(mail).bits, relaxed);  // relaxed: opening publishes it
  return c->tenant;
}

// The memory of the program and the records of threads: new for each schedule. All threads share
// one record here: it holds nothing that is shared in the product.
struct fresh_runtime {
  fresh_runtime() {
    std::construct_at(&program_memory);
    std::construct_at(&this_thread());
  }
  fresh_runtime(const fresh_runtime&) = delete;
  fresh_runtime& operator=(const fresh_runtime&) = delete;
  ~fresh_runtime() {
    std::destroy_at(&this_thread());
    std::destroy_at(&program_memory);
  }
};

// Memory of the runtime. A scenario has only its own, and freed blocks must not be given out again.
template <class T>
struct alignas(envelope_alignment) block_of {
  envelope head;
  std::byte payload[sizeof(T) + envelope_alignment] = {};

  T& make() {
    head.operations = &operations_of<T>;
    head.size_class = 0;
    return *::new (payload_of(head)) T;
  }
};

// A world with one slot.
struct house {
  fresh_runtime runtime;
  town services;
  cell slot;
  desk first_desk;
  desk second_desk;

  void before() {
    this_thread().services = &services;
    require(this_thread().cells.try_put(slot), "no capacity for a slot");
  }
  std::uint32_t make(std::uint32_t capacity = mailbox_options::unbounded) {
    return move_in(slot, nullptr, capacity);
  }
  void open(desk& where) {
    slot.coordinator.store(&where, relaxed);  // relaxed: opening publishes it
    slot.box.open();
    where.register_ready(slot);
  }
  // One turn, if the slot is ready. Returns: whether the tenant has ended.
  bool run(desk& where) {
    cell* const c = where.take();
    if (c == nullptr) return false;
    services.state.set(services.state.get() + 1);
    const invoke_result result =
        run_turn({.system = services, .thread = this_thread(), .actor = *c});
    if (result.how == invoke_result::outcome::stopped) {
      program_memory.cells.give_back(this_thread().cells, *c);
      return true;
    }
    where.handle_invoke_result(*c, result);
    return false;
  }
  void tell(std::uint32_t generation, item& mail) {
    mail.write();
    static_cast<void>(send(this_thread(), &slot, generation, mail.head));
  }
  // Like a sender that checked the generation long ago.
  void tell_late(std::uint32_t generation, item& mail) {
    mail.write();
    mail.head.generation = generation;
    switch (slot.box.push(mail.head)) {
    case push_result::queued:
      return;
    case push_result::make_ready:
      return make_ready(slot);
    case push_result::closed:
      mail.read();
      ++mail.dead;
    }
  }
};

}  // namespace tactor::model
