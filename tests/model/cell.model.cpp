// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/cell.hpp"

#include "tactor/core/actor/actor_ref.hpp"
#include "tactor/core/actor/actor_type.hpp"
#include "tactor/core/actor/cell_store.hpp"
#include "tactor/core/actor/delivery.hpp"
#include "tactor/core/actor/home.hpp"
#include "tactor/core/actor/life.hpp"
#include "tactor/core/actor/mailbox_limits.hpp"
#include "tactor/core/actor/message_invoker.hpp"
#include "tactor/core/actor/runtime_memory.hpp"
#include "tactor/core/actor/thread_record.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/mailbox/mailbox_options.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/port/port.hpp"

#include "scenario.hpp"
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <expected>
#include <memory>
#include <span>

namespace tactor::model {
namespace {

// A slot and its tenants, on the real delivery, invoker and life; only the system is not there.

struct slip {
  unsigned nothing = 0;
};

// A message, and what became of it.
struct alignas(envelope_alignment) letter {
  envelope head;
  port::cell<unsigned> text;
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
    text.set(1);  // it is the reader's alone
  }
  static letter& of(envelope& e) { return *reinterpret_cast<letter*>(&e); }
  static letter& of_payload(const void* payload) {
    const auto* const bytes = static_cast<const std::byte*>(payload);
    auto* const head = const_cast<std::byte*>(bytes - payload_offset(alignof(slip)));
    return *reinterpret_cast<letter*>(head);
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

// What an actor does in these scenarios.
struct tenant {
  std::uint32_t generation;
  port::cell<unsigned>* state;  // notices two who run the slot at once, or without an order
};

call_result receive(void* actor, context& /*ctx*/, envelope& e, failure& /*why*/) noexcept {
  const tenant& who = *static_cast<tenant*>(actor);
  who.state->set(who.state->get() + 1);
  letter& mail = letter::of(e);
  mail.read();
  require(e.generation == who.generation, "reached another tenant");
  ++mail.handled;
  return call_result::done;
}
call_result construct(const void* /*arguments*/, void* room, cell& of, failure& why) noexcept;

constexpr actor_type tenant_type{.receive = receive,
                                 .pre_start = nullptr,
                                 .post_stop = nullptr,
                                 .messages = {},
                                 .instance = operations_of<tenant>};
constexpr actor_recipe tenant_recipe{.type = &tenant_type,
                                     .construct = construct,
                                     .keep = nullptr,
                                     .arguments = operations_of<slip>};

// What an actor's system does for it.
class town final : public actor_home {
public:
  town() = default;
  town(const town&) = delete;
  town& operator=(const town&) = delete;
  ~town() = default;

  void dead_letter(const lost_message& lost) noexcept override {
    letter& mail = letter::of_payload(lost.payload);
    mail.read();
    ++mail.dead;
  }
  void system_reserve_used_up(const actor_ref<>& /*who*/) noexcept override {
    require(false, "a system message found no place");
  }
  void failed(cell& /*who*/, const message_operations* /*in*/,
              const failure& /*why*/) noexcept override {
    require(false, "an actor failed");
  }
  void ended(cell& who) noexcept override {
    last_ended = &who;
    ended_generation = who.tenant;
  }
  [[nodiscard]] std::expected<actor_ref<>, spawn_error> spawn(const spawn_request& /*wanted*/,
                                                              cell* /*parent*/) noexcept override {
    std::terminate();
  }
  void nobody_left() noexcept override { std::terminate(); }
  void lock_family() noexcept override { family.lock(); }
  void unlock_family() noexcept override { family.unlock(); }
  [[nodiscard]] scheduler& timers() noexcept override { std::terminate(); }
  [[nodiscard]] event_stream& events() noexcept override { std::terminate(); }
  [[nodiscard]] std::uint64_t now_ns() noexcept override { return 0; }

  port::cell<unsigned> state;
  port::mutex family;
  const cell* last_ended = nullptr;
  std::uint32_t ended_generation = 0;
};

call_result construct(const void* /*arguments*/, void* room, cell& of, failure& /*why*/) noexcept {
  town& home = static_cast<town&>(*this_thread().home);
  ::new (room) tenant{.generation = of.tenant, .state = &home.state};
  return call_result::done;
}

// As a system spawns, up to the opening. Returns: the generation.
std::uint32_t move_in(const cell& slot, cell* parent, std::uint32_t capacity) {
  cell* const c = program_memory.cells.take(this_thread().cells);
  require(c == &slot, "another slot");
  require(c->tenant % 2 == 1, "the tenant before has not moved out");
  c->parent = parent;
  c->type = &tenant_type;
  c->recipe = &tenant_recipe;
  c->stage = life_stage::starting;
  c->ctx.owner = c;
  const mailbox_options mail{.capacity = capacity, .on_overflow = overflow::reject};
  c->limits.store(mailbox_limits::of(mail).bits, relaxed);  // relaxed: opening publishes it
  return c->tenant;
}

// What the sources keep for the program and for each thread: new for each schedule. That of a thread is
// one for all here: it holds nothing that is shared.
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

// One slot in it.
struct house {
  fresh_runtime runtime;
  town home;
  cell slot;
  desk first_desk;
  desk second_desk;

  void before() {
    this_thread().home = &home;
    require(this_thread().cells.try_put(slot), "no room for a slot");
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
    home.state.set(home.state.get() + 1);
    const invoke_result result = message_invoker{home}.invoke(*c);
    if (result.how == invoke_result::outcome::stopped) {
      program_memory.cells.give_back(this_thread().cells, *c);
      return true;
    }
    where.handle_invoke_result(*c, result);
    return false;
  }
  void tell(std::uint32_t generation, letter& mail) {
    mail.write();
    static_cast<void>(send(this_thread(), &slot, generation, mail.head));
  }
  // As a sender that has looked at the generation long ago.
  void tell_late(std::uint32_t generation, letter& mail) {
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

// The first tenant stops and the second moves in, while somebody still means the first.

template <bool Late>
struct stale_message : house {
  static constexpr unsigned threads = 2;
  letter stale;
  letter fresh;
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  void before() {
    house::before();
    first = make();
    open(first_desk);
    static_cast<void>(run(first_desk));  // it starts, and parks
    ask_to_stop(slot, first);
  }
  void thread(unsigned index) {
    if (index == 1) return Late ? tell_late(first, stale) : tell(first, stale);
    require(run(first_desk), "not stopped");
    first_desk.close();
    second = make();
    open(second_desk);
    tell(second, fresh);
    static_cast<void>(run(second_desk));
  }
  void after() {
    static_cast<void>(run(second_desk));
    require(stale.handled == 0, "handled after the request to stop");
    require(stale.dead == 1, "not one dead letter for a stale message");
    require(fresh.handled == 1 && fresh.dead == 0, "the second tenant lacks its message");
    require(slot.generation() == second && home.ended_generation == first,
            "the second one has ended");
    require(slot.box.peek() == mailbox_word::opened().in_park(), "the second one is not idle");
  }
};

TEST(cell_model, a_stale_message_never_reaches_the_next_tenant) {
  EXPECT_TRUE(passes(explore<stale_message<false>>(preemptions(3))));
  EXPECT_TRUE(passes(explore<stale_message<true>>(preemptions(3))));
}

// The second tenant is parked, and it is the stale message that wakes it.
struct stale_message_wakes : house {
  static constexpr unsigned threads = 2;
  letter stale;
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  void before() {
    house::before();
    first = make();
    open(first_desk);
    static_cast<void>(run(first_desk));
    ask_to_stop(slot, first);
  }
  void thread(unsigned index) {
    if (index == 1) return tell_late(first, stale);
    require(run(first_desk), "not stopped");
    first_desk.close();
    second = make();
    open(second_desk);
    static_cast<void>(run(second_desk));
  }
  void after() {
    static_cast<void>(run(second_desk));
    require(stale.handled == 0 && stale.dead == 1, "not one dead letter for a stale message");
    require(slot.box.peek() == mailbox_word::opened().in_park(), "the second one is not idle");
  }
};

TEST(cell_model, who_is_woken_by_a_stale_message_is_woken_in_its_own_system) {
  EXPECT_TRUE(passes(explore<stale_message_wakes>()));
}

struct stale_system_message : house {
  static constexpr unsigned threads = 2;
  letter stale;
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  void before() {
    house::before();
    first = make();
    open(first_desk);
    static_cast<void>(run(first_desk));
    ask_to_stop(slot, first);
  }
  void thread(unsigned index) {
    if (index == 1) {
      stale.write();
      if (post_system(slot, first, stale.head) != tell_result::ok) ++stale.dead;
      return;
    }
    require(run(first_desk), "not stopped");
    first_desk.close();
    second = make();
    open(second_desk);
    static_cast<void>(run(second_desk));
  }
  void after() {
    static_cast<void>(run(second_desk));
    require(stale.handled == 0 && stale.dead == 1, "not one end of a stale system message");
    require(slot.box.peek() == mailbox_word::opened().in_park(), "the second one is not idle");
  }
};

TEST(cell_model, a_stale_system_message_never_reaches_the_next_tenant) {
  EXPECT_TRUE(passes(explore<stale_system_message>(preemptions(3))));
}

// Two ask the first tenant to stop; when the slower one comes, the second tenant may live there.
struct stale_request : house {
  static constexpr unsigned threads = 2;
  letter fresh;
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  void before() {
    house::before();
    first = make();
    open(first_desk);
    static_cast<void>(run(first_desk));
  }
  void thread(unsigned index) {
    ask_to_stop(slot, first);
    if (index == 1) return;
    if (!run(first_desk)) return;  // the other one has it to make ready
    second = make();
    open(second_desk);
    tell(second, fresh);
    static_cast<void>(run(second_desk));
  }
  void after() {
    if (second == 0) {
      require(run(first_desk), "a request to stop is lost");
      return;
    }
    static_cast<void>(run(second_desk));
    require(fresh.handled == 1, "the second tenant lacks its message");
    require(slot.generation() == second && home.ended_generation == first,
            "the second one has ended");
    require(slot.box.peek() == mailbox_word::opened().in_park(), "the second one is not idle");
  }
};

TEST(cell_model, a_stale_request_to_stop_never_reaches_the_next_tenant) {
  EXPECT_TRUE(passes(explore<stale_request>(preemptions(3))));
}

// A request comes while the cell runs, goes idle, or is idle; another worker may be the one to act.
struct request_against_mail : house {
  static constexpr unsigned threads = 3;
  letter mail;
  std::uint32_t first = 0;
  std::array<bool, 2> stopped{};

  void before() {
    house::before();
    first = make();
    open(first_desk);
    static_cast<void>(run(first_desk));
  }
  void thread(unsigned index) {
    switch (index) {
    case 0:
      return tell(first, mail);
    case 1:
      return ask_to_stop(slot, first);
    default:
      stopped[0] = run(first_desk);
    }
  }
  void after() {
    stopped[1] = run(first_desk);
    require(stopped[0] != stopped[1], "a request to stop is lost, or acted on twice");
    require(mail.handled + mail.dead == 1, "a message is lost, or there twice");
  }
};

TEST(cell_model, a_request_to_stop_is_seen_by_who_takes_the_notice) {
  EXPECT_TRUE(passes(explore<request_against_mail>(preemptions(3))));
}

// A guardian finds the newcomer among its children and asks it to stop before its mailbox is open.
struct request_before_open : house {
  static constexpr unsigned threads = 2;
  std::uint32_t first = 0;
  bool stopped = false;

  void before() {
    house::before();
    first = make();
  }
  void thread(unsigned index) {
    if (index == 1) return ask_to_stop(slot, first);
    open(first_desk);
    stopped = run(first_desk);
  }
  void after() {
    if (!stopped) stopped = run(first_desk);
    require(stopped, "a request to stop is lost");
  }
};

TEST(cell_model, a_request_is_not_lost_while_the_mailbox_is_opened) {
  EXPECT_TRUE(passes(explore<request_before_open>(preemptions(3))));
}

// Places in a mailbox with limits: a message that strays from one tenancy into the next neither
// takes one for ever nor leaves one that it did not take.
template <std::uint32_t First, std::uint32_t Second>
struct stale_message_and_limits : house {
  static constexpr unsigned threads = 2;
  letter stale;
  std::uint32_t first = 0;

  void before() {
    house::before();
    first = make(First);
    open(first_desk);
    static_cast<void>(run(first_desk));
    ask_to_stop(slot, first);
  }
  void thread(unsigned index) {
    if (index == 1) return tell(first, stale);
    require(run(first_desk), "not stopped");
    static_cast<void>(make(Second));
    open(second_desk);
    static_cast<void>(run(second_desk));
  }
  void after() {
    static_cast<void>(run(second_desk));
    require(stale.dead == 1, "not one dead letter for a stale message");
    require(slot.waiting.load(relaxed) == 0, "a place is lost, or there twice");
  }
};

TEST(cell_model, a_stale_message_leaves_the_places_of_a_mailbox_as_they_are) {
  using unbounded_first = stale_message_and_limits<mailbox_options::unbounded, 1>;
  using bounded_first = stale_message_and_limits<1, mailbox_options::unbounded>;
  EXPECT_TRUE(passes(explore<unbounded_first>(preemptions(3))));
  EXPECT_TRUE(passes(explore<bounded_first>(preemptions(3))));
}

// A parent that stops and its children, each on a worker of its own. The parent ends after them, and
// their slots are free.
template <unsigned Children>
struct parent_and_children {
  static constexpr unsigned threads = 1 + Children;
  fresh_runtime runtime;
  town home;
  std::array<cell, threads> family;  // the parent comes first
  std::array<desk, threads> desks;
  std::array<unsigned, threads> ends{};

  void spawn(unsigned index) {
    cell& who = family[index];
    cell* const parent = index == 0 ? nullptr : &family[0];
    require(this_thread().cells.try_put(who), "no room for a slot");
    static_cast<void>(move_in(who, parent, mailbox_options::unbounded));
    who.coordinator.store(&desks[index], relaxed);  // relaxed: opening publishes it
    if (parent != nullptr) adopt(*parent, who);
    who.box.open();
    desks[index].register_ready(who);
    run(index);
  }
  void run(unsigned index) {
    cell* const c = desks[index].take();
    if (c == nullptr) return;
    const invoke_result result = message_invoker{home}.invoke(*c);
    if (result.how == invoke_result::outcome::stopped) ++ends[index];
  }
  void before() {
    this_thread().home = &home;
    for (unsigned i = 0; i < threads; ++i)
      spawn(i);
    ask_to_stop(family[0], family[0].generation());
    run(0);  // it has asked its children
  }
  void thread(unsigned index) { run(index); }
  void after() {
    run(0);
    for (unsigned i = 0; i < threads; ++i)
      require(ends[i] == 1, "one has not ended, or ended twice");
    require(home.last_ended == &family[0], "the parent has ended before a child");
    for (unsigned i = 0; i < Children; ++i)
      require(this_thread().cells.try_take() != nullptr, "a child's slot is not free");
  }
};

TEST(cell_model, a_parent_learns_of_the_end_of_its_children) {
  EXPECT_TRUE(passes(explore<parent_and_children<1>>(preemptions(3))));
  EXPECT_TRUE(passes(explore<parent_and_children<2>>(preemptions(2))));
}

}  // namespace
}  // namespace tactor::model
