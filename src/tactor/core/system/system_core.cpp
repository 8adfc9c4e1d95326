// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/system/system_core.hpp"

#include "tactor/base/lock_guard.hpp"
#include "tactor/base/text_sink.hpp"
#include "tactor/core/actor/actor_extras.hpp"
#include "tactor/core/actor/actor_name.hpp"
#include "tactor/core/actor/delivery.hpp"
#include "tactor/core/actor/life.hpp"
#include "tactor/core/actor/mailbox_limits.hpp"
#include "tactor/core/actor/runtime_memory.hpp"
#include "tactor/core/actor/supervised.hpp"

#include <array>
#include <limits>
#include <utility>

namespace tactor::inline v0 {
namespace {

/// Only a clock that moves by itself says how long a turn lasts.
std::uint64_t slice_of(const system_config& config, const monotonic_clock& clock) noexcept {
  const auto& slice = config.dispatch.slice;
  if (!slice || clock.kind() != clock_kind::realtime) return 0;
  return static_cast<std::uint64_t>(slice->nanoseconds());
}

constexpr std::string_view user_path = "/user/";

class text_of_event final : public text_sink {
public:
  explicit text_of_event(event_text& to) noexcept : to_(to) {}
  void write(std::string_view text) noexcept override { to_.append(text); }

private:
  event_text& to_;
};

void append_number(event_text& to, std::uint32_t number) noexcept {
  char digits[10];
  std::size_t length = 0;
  do {
    digits[length++] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  while (length > 0)
    to.append({&digits[--length], 1});
}

std::uint32_t magnitude_of(std::int32_t number) noexcept {
  const auto bits = static_cast<std::uint32_t>(number);
  return number < 0 ? 0 - bits : bits;
}

/// What stands for the name of an actor that has none.
void append_number(event_text& to, std::uint32_t slot, std::uint32_t generation) noexcept {
  to.append("$");
  append_number(to, slot);
  to.append(".");
  append_number(to, generation);
}

/// A name like another one: "desk-2". A very long one is cut.
class suffixed_name {
public:
  suffixed_name(std::string_view name, std::uint32_t number) noexcept {
    event_text suffix{"-"};
    append_number(suffix, number);
    const std::size_t room = actor_name::longest - suffix.view().size();
    append({name.data(), name.size() < room ? name.size() : room});
    append(suffix.view());
  }
  [[nodiscard]] std::string_view view() const noexcept { return {text_, length_}; }

private:
  void append(std::string_view text) noexcept {
    for (const char letter : text)
      text_[length_++] = letter;
  }
  char text_[actor_name::longest];
  std::size_t length_ = 0;
};

bool is_name(std::string_view name) noexcept {
  if (name.size() > actor_name::longest) return false;
  for (const char letter : name)
    if (letter == '/') return false;
  return true;
}

std::optional<spawn_error> refuses(const mailbox_options& options, bool has_threads) noexcept {
  if (options.capacity == 0) return spawn_error::zero_capacity;
  if (options.capacity == mailbox_options::unbounded) return std::nullopt;
  if (options.capacity > mailbox_options::most) return spawn_error::capacity_too_large;
  if (options.on_overflow == overflow::block_producer && !has_threads)
    return spawn_error::rule_unavailable;
  return std::nullopt;
}

/// Where the first part of a path ends. (`find` would be a call of `memchr`, which a board lacks.)
std::size_t end_of_part(std::string_view path) noexcept {
  std::size_t end = 0;
  while (end < path.size() && path[end] != '/')
    ++end;
  return end;
}

bool takes_all(const actor_type& type,
               std::span<const message_operations* const> messages) noexcept {
  for (const message_operations* const wanted : messages) {
    bool found = false;
    for (const message_operations* const taken : type.messages)
      found = found || same_type(*wanted, *taken);
    if (!found) return false;
  }
  return true;
}

std::uint32_t restarts_of(const cell& who) noexcept {
  const supervised* const record = who.extended ? who.extras->supervised : nullptr;
  return record == nullptr ? 0 : record->past.restarts;
}

actor_ref<> ref_of(const mailbox_index& index) noexcept {
  if (index.generation == 0) return {};
  return {program_memory.cells.at(index.slot), index.generation};
}
actor_ref<> ref_of(origin from) noexcept {
  if (from.what() != origin::kind::actor) return {};
  return {program_memory.cells.at(from.index()), from.generation};
}

}  // namespace

std::expected<void, config_error> check(const system_config& config) noexcept {
  if (config.max_actors == 0) {
    return std::unexpected{
        config_error{.setting = "max_actors", .value = 0, .allowed = "at least 1"}};
  }
  if (config.dispatch.throughput == 0) {
    return std::unexpected{
        config_error{.setting = "dispatch.throughput", .value = 0, .allowed = "at least 1"}};
  }
  if (config.dispatch.sends == 0) {
    return std::unexpected{
        config_error{.setting = "dispatch.sends", .value = 0, .allowed = "at least 1"}};
  }
  if (const auto& deadline = config.dispatch.throughput_deadline;
      deadline && deadline->nanoseconds() <= 0) {
    return std::unexpected{config_error{.setting = "dispatch.throughput_deadline",
                                        .value = deadline->nanoseconds(),
                                        .allowed = "more than zero, or nothing"}};
  }
  if (const auto& slice = config.dispatch.slice; slice && slice->nanoseconds() <= 0) {
    return std::unexpected{config_error{.setting = "dispatch.slice",
                                        .value = slice->nanoseconds(),
                                        .allowed = "more than zero, or nothing"}};
  }
  return check(config.scheduler);
}

system_core::system_core(const system_config& config, const system_parts& parts) noexcept
    : config_(config),
      clock_(parts.clock),
      timers_(parts.timers),
      coordinator_(parts.coordinator),
      others_(parts.others),
      watcher_(parts.watcher),
      started_ns_(system_core::now_ns()),
      log_(config.log),
      timer_warnings_(timers_.events(), warnings_room_, diagnostics_wish::warnings),
      hub_(config.metrics.level),
      chance_(config.seed),
      invoker_(*this) {
  limits = {.messages = config.dispatch.throughput,
            .sends = config.dispatch.sends,
            .time = config.dispatch.throughput_deadline,
            .slice_ns = slice_of(config, clock_)};
  hub_.attach(foreign_);
  gate_ = program_memory.gates.take();
  if (gate_ == nullptr) return;
  gate_->open(*this);
  user_ = make_guardian();
}

system_core::~system_core() {
  thread_record& here = this_thread();
  program_memory.note(here);
  hub_.detach(foreign_);
  if (user_ != nullptr) {
    program_memory.cells.end_tenancy(*user_);
    program_memory.cells.give_back(here.cells, *user_);
  }
  if (gate_ == nullptr) return;
  gate_->shut();
  // Those who keep references to this system's actors must not find the next one's gate.
  for (std::uint32_t slot = 0; slot < program_memory.cells.made(); ++slot) {
    home_gate* mine = gate_;
    cell* const left = program_memory.cells.at(slot);
    // relaxed: type-stable, and shut
    if (left != nullptr) (void)left->gate.compare_exchange(mine, nullptr, relaxed);
  }
  program_memory.gates.give_back(*gate_);
}

std::uint64_t system_core::now_ns() const noexcept {
  const timer_instant now = clock_.now();
  return now.ticks * now.resolution_ns;
}

// Spawning.

/// The guardian has children and a place in every path, and is nobody to send to: its mailbox is
/// never opened, and nobody runs it. So it never waits behind anybody either.
cell* system_core::make_guardian() noexcept {
  thread_record& here = this_thread();
  program_memory.note(here);
  cell* const made = program_memory.cells.take(here.cells);
  if (made == nullptr) return nullptr;
  made->parent = nullptr;
  made->name = nullptr;
  made->first_child = nullptr;
  made->children_stopped = false;
  made->guardian = true;
  return made;
}

std::optional<spawn_error> system_core::refuses(const spawn_options& options,
                                                const cell* parent) const noexcept {
  if (!is_name(options.name)) return spawn_error::name_invalid;
  if (const auto wrong = tactor::refuses(options.mailbox, others_ != nullptr)) return wrong;
  if (!options.on_failure.is_default() && complaint_about(options.on_failure) != nullptr)
    return spawn_error::strategy_invalid;
  if (user_ == nullptr) return spawn_error::no_memory;
  // Also one that waits for its children before it is restarted: they would never be gone.
  const bool parent_goes =
      parent != user_ && (parent->children_stopped || parent->stage == life_stage::stopping ||
                          parent->stage == life_stage::stopped);
  if (parent_goes || (parent == user_ && now_in() != phase::running)) return spawn_error::stopping;
  return std::nullopt;
}

ready_queue_coordinator* system_core::coordinator_for(dispatcher which) noexcept {
  if (which == dispatcher::pool || config_.dispatchers.only_pool) return &coordinator_;
  return others_ == nullptr ? nullptr : others_->choose(which);
}

std::expected<actor_ref<>, spawn_error> system_core::spawn(const spawn_request& wanted,
                                                           cell* parent) noexcept {
  const auto made = try_spawn(wanted, parent == nullptr ? user_ : parent);
  if (!made && !wanted.unlisted) report_refusal(wanted.options, made.error());
  return made;
}

std::expected<actor_ref<>, spawn_error> system_core::try_spawn(const spawn_request& wanted,
                                                               cell* parent) noexcept {
  if (const auto wrong = refuses(wanted.options, parent)) return std::unexpected{*wrong};
  // relaxed: a number
  if (!wanted.unlisted && live_.fetch_add(1, relaxed) >= config_.max_actors) {
    live_.fetch_sub(1, relaxed);  // relaxed: a number
    return std::unexpected{spawn_error::too_many_actors};
  }
  const auto made = make_cell(wanted, parent);
  const auto wrong = made ? join_family(*parent, **made, wanted.options.dispatcher) : made.error();
  if (wrong) {
    if (made) unmake(**made);
    if (!wanted.unlisted) live_.fetch_sub(1, relaxed);  // relaxed: a number
    return std::unexpected{*wrong};
  }
  cell& c = **made;
  const actor_ref<> ref{&c, c.tenant};  // before it runs: then it may be gone at once
  if (!wanted.unlisted) count([](worker_counters& block) { block.actors_started.add(1); });
  open(c, wanted);
  return ref;
}

/// The last thing that can fail: a system that stops takes no more actors, and whoever looks for its
/// last one must not overlook this.
std::optional<spawn_error> system_core::join_family(cell& parent, cell& child,
                                                    dispatcher where) noexcept {
  ready_queue_coordinator* const runs_it = coordinator_for(where);
  if (runs_it == nullptr) return spawn_error::no_dispatcher;
  child.coordinator.store(runs_it, relaxed);  // relaxed: opening the mailbox publishes it
  if (&parent != user_) {
    adopt(parent, child);
    return std::nullopt;
  }
  const lock_guard guard{family_};
  if (now_in() != phase::running) {
    leave_dispatcher(child);
    return spawn_error::stopping;
  }
  adopt(parent, child);
  return std::nullopt;
}

void system_core::leave_dispatcher(cell& who) noexcept {
  // relaxed: constant while somebody runs the cell
  ready_queue_coordinator* const ran_it = who.coordinator.load(relaxed);
  if (ran_it != &coordinator_) others_->release(*ran_it);
}

/// A cell that is closed still, with everything that can be missing.
std::expected<cell*, spawn_error> system_core::make_cell(const spawn_request& wanted,
                                                         cell* parent) noexcept {
  thread_record& here = this_thread();
  program_memory.note(here);
  cell* const c = program_memory.cells.take(here.cells);
  if (c == nullptr) return std::unexpected{spawn_error::no_memory};
  c->parent = parent;
  c->type = wanted.recipe.type;
  c->recipe = &wanted.recipe;
  c->guardian = false;
  c->unlisted = wanted.unlisted;
  c->timed = limits.time.has_value();
  enter_first_stage(*c);
  if (!give_parts(*c, wanted)) {
    unmake(*c);
    return std::unexpected{spawn_error::no_memory};
  }
  if (const auto named = give_name(wanted, *c); !named) {
    unmake(*c);
    return std::unexpected{named.error()};
  }
  return c;
}

/// What a cell may need besides itself. Returns: false if there is no memory for it.
bool system_core::give_parts(cell& to, const spawn_request& wanted) noexcept {
  if (wanted.recipe.keep != nullptr) {
    to.arguments = new_block(this_thread(), wanted.recipe.arguments);
    if (to.arguments == nullptr) return false;
    wanted.recipe.keep(wanted.arguments, to.arguments);
  }
  const mailbox_options& mail = wanted.options.mailbox;
  const bool evicts =
      mail.capacity != mailbox_options::unbounded && mail.on_overflow == overflow::drop_oldest;
  if (evicts) {
    evicting_queue* const lane = program_memory.lanes.take();
    if (lane == nullptr) return false;
    lane->open(&to, to.tenant, mail.capacity);
    to.lane.store(lane, relaxed);  // relaxed: opening the mailbox publishes it
  }
  const supervision& how = wanted.options.on_failure;
  return how.is_default() || give_strategy(to, how);
}

bool system_core::give_strategy(cell& to, const supervision& how) noexcept {
  thread_record& here = this_thread();
  actor_extras* const extras = extras_of(here, to);
  if (extras == nullptr) return false;
  extras->supervised = new_record<supervised>(here);
  if (extras->supervised == nullptr) return false;
  extras->supervised->how = how;
  return true;
}

std::expected<void, spawn_error> system_core::give_name(const spawn_request& wanted,
                                                        cell& to) noexcept {
  const std::string_view name = wanted.options.name;
  if (name.empty()) return {};
  thread_record& here = this_thread();
  auto given = names_.insert(here, to, name);
  if (!given && given.error() == name_error::taken) {
    if (wanted.if_taken == spawn_request::taken_name::is_an_error)
      return std::unexpected{spawn_error::name_taken};
    for (std::uint32_t number = 2; !given && given.error() == name_error::taken; ++number) {
      const suffixed_name other{name, number};
      given = names_.insert(here, to, other.view());
    }
    if (given) {
      const name_changed changed{.wanted = event_text{name}, .given = event_text{to.name->text()}};
      const std::array fields{log_field{"wanted", changed.wanted.view()},
                              log_field{"given", changed.given.view()}};
      warn(log_kind::system, "a sibling has that name: the actor got another one", fields);
      (void)events_.publish(changed);
    }
  }
  if (!given) return std::unexpected{spawn_error::no_memory};
  return {};
}

/// Takes back what was made of a cell that never came to life.
void system_core::unmake(cell& c) noexcept {
  thread_record& here = this_thread();
  names_.erase(here, c);
  if (c.arguments != nullptr) {
    const message_operations& arguments = recipe_of(c).arguments;
    if (arguments.destroy != nullptr) arguments.destroy(c.arguments);
    free_block(here, c.arguments, arguments);
    c.arguments = nullptr;
  }
  if (c.extended) end_extras(here, c);
  // relaxed: nobody has seen the cell
  if (evicting_queue* const lane = c.lane.exchange(nullptr, relaxed)) {
    lane->close();
    program_memory.lanes.give_back(*lane);
  }
  program_memory.cells.end_tenancy(c);
  program_memory.cells.give_back(here.cells, c);
}

/// The last steps of a spawn: from the last one on the actor may run.
void system_core::open(cell& c, const spawn_request& wanted) noexcept {
  const mailbox_options& mail = wanted.options.mailbox;
  const bool reserved = mail.reserve_for_system != mailbox_options::unbounded;
  // relaxed, all of these: opening the mailbox publishes them
  c.gate.store(gate_, relaxed);                                               // relaxed: as said
  c.limits.store(mailbox_limits::of(mail).bits, relaxed);                     // relaxed: as said
  c.patience_ms.store(mail.wait_at_most_ms, relaxed);                         // relaxed: as said
  c.system_limit.store(reserved ? mail.reserve_for_system + 1 : 0, relaxed);  // relaxed: as said
  ready_queue_coordinator* const runs_it = c.coordinator.load(relaxed);       // relaxed: as said
  c.box.open();
  runs_it->register_ready(c);
}

// Ending.

bool system_core::enter(phase next) noexcept {
  std::uint8_t now = phase_.load(relaxed);  // relaxed: only compared
  do {
    if (now >= std::to_underlying(next)) return false;
  } while (
      !phase_.compare_exchange(now, std::to_underlying(next), acq_rel));  // pairs: system.phase
  return true;
}

void system_core::begin_drain() noexcept {
  if (!enter(phase::stopping)) return;
  ask_everybody(drain_children);
  (void)enter(phase::draining);
}

void system_core::begin_stop() noexcept {
  (void)enter(phase::stopping);
  ask_everybody(stop_children);
}

void system_core::ask_everybody(void (*ask)(cell& parent)) noexcept {
  if (user_ != nullptr) {
    const lock_guard guard{family_};
    ask(*user_);
  }
  end_if_alone();
}

void system_core::end_if_alone() noexcept {
  {
    const lock_guard guard{family_};
    const bool alone = user_ == nullptr || user_->first_child == nullptr;
    if (!alone || now_in() == phase::running || !enter(phase::stopped)) return;
  }
  if (watcher_ != nullptr) watcher_->all_stopped();
}

void system_core::nobody_left() noexcept {
  if (now_in() != phase::running) end_if_alone();
}

void system_core::ended(cell& who) noexcept {
  thread_record& here = this_thread();
  names_.erase(here, who);
  if (!events_.nobody_listens()) (void)events_.unsubscribe_all({&who, who.tenant});
  if (!who.unlisted) {
    count([](worker_counters& block) { block.actors_stopped.add(1); });
    live_.fetch_sub(1, relaxed);  // relaxed: a number
  }
  leave_dispatcher(who);
}

// Telling.

void system_core::warn(log_kind kind, std::string_view text,
                       std::span<const log_field> fields) noexcept {
  if (!log_.wants(log_level::warning)) return;
  log_.write({.level = log_level::warning,
              .kind = kind,
              .time_ns = running_ns(),
              .text = text,
              .fields = fields});
}

void system_core::tend_log() noexcept {
  if (!log_.wants(log_level::warning)) return;
  while (const auto event = timer_warnings_.poll()) {
    const std::array fields{log_field{"job", event->job}, log_field{"value", event->value}};
    warn(log_kind::timer, to_text(event->kind), fields);
  }
  log_.report_left_out(running_ns());
}

void system_core::report_refusal(const spawn_options& options, spawn_error why) noexcept {
  const std::array fields{log_field{"name", options.name}};
  warn(log_kind::system, to_text(why), fields);
  (void)events_.publish(spawn_refused{.name = event_text{options.name}, .why = why});
}

/// When the whole system stops, that is why an actor is gone.
drop_reason system_core::reason_of(drop_reason why) const noexcept {
  const bool gone = why == drop_reason::stopped || why == drop_reason::draining;
  return gone && now_in() != phase::running ? drop_reason::system_stopping : why;
}

void system_core::dead_letter(const lost_message& lost) noexcept {
  const bool suppressed = lost.operations.suppress_dead_letter;
  const drop_reason why = reason_of(lost.why);
  count([&](worker_counters& block) {
    block.count_dead_letter(why);
    if (suppressed) block.dead_letters_suppressed.add(1);
  });
  if (suppressed) return;
  const std::string_view type = lost.operations.type.name;
  const std::array fields{log_field{"reason", to_text(why)}, log_field{"type", type},
                          log_field{"target", lost.target.slot}};
  warn(log_kind::dead_letter, "a message was not handled", fields);
  if (events_.nobody_listens()) return;
  tactor::dead_letter letter{.reason = why,
                             .message_type = type,
                             .message = {},
                             .target = ref_of(lost.target),
                             .sender = ref_of(lost.sender)};
  if (lost.payload != nullptr && lost.operations.print != nullptr) {
    text_of_event text{letter.message};
    lost.operations.print(lost.payload, text);
  }
  (void)events_.publish(letter);
}

void system_core::system_reserve_used_up(const actor_ref<>& who) noexcept {
  const std::array fields{log_field{"target", who.index().slot}};
  warn(log_kind::system, "no place for a system message: raise mailbox.reserve_for_system", fields);
  (void)events_.publish(system_reserve_exhausted{.who = who});
}

void system_core::failed(cell& who, const message_operations* in, const failure& why,
                         const verdict& said) noexcept {
  count([](worker_counters& block) { block.failures.add(1); });
  actor_failed event{.who = {&who, who.tenant},
                     .path = {},
                     .actor_type = who.type->instance.type.name,
                     .message_type = in == nullptr ? std::string_view{} : in->type.name,
                     .why = why,
                     .thrown = {},
                     .decided = said.what,
                     .restarts = restarts_of(who)};
  if (said.what == directive::restart) --event.restarts;  // it is counted already
  write_path(event.path, who);
  if (why.thrown_type() != nullptr) {
    char name[64];
    event.thrown.append({name, port::write_type_name(why.thrown_type(), name, sizeof name)});
  }
  if (log_.wants(log_level::error)) {
    const std::string_view remark = said.remark == nullptr ? "" : said.remark;
    event_text code{why.code() < 0 ? "-" : ""};
    append_number(code, magnitude_of(why.code()));
    const std::array fields{log_field{"type", event.actor_type},
                            log_field{"message", event.message_type},
                            log_field{"thrown", event.thrown.view()},
                            log_field{"code", code.view()},
                            log_field{"file", why.file()},
                            log_field{"line", why.line()},
                            log_field{"restarts", event.restarts},
                            log_field{"decided", to_text(said.what)},
                            log_field{"because", remark}};
    log_.write({.level = log_level::error,
                .kind = log_kind::failure,
                .time_ns = running_ns(),
                .actor = event.path.view(),
                .text = why.text(),
                .fields = fields});
  }
  (void)events_.publish(event);
}

void system_core::escalated(cell& who, const message_operations* in, const failure& why) noexcept {
  {
    root_failure cause{
        .path = {}, .message_type = in == nullptr ? std::string_view{} : in->type.name, .why = why};
    write_path(cause.path, who);
    const lock_guard guard{family_};
    if (!cause_) cause_ = cause;  // the first one is why
  }
  if (log_.wants(log_level::error)) {
    log_.write({.level = log_level::error,
                .kind = log_kind::system,
                .time_ns = running_ns(),
                .actor = {},
                .text = "a failure was escalated past the root: the system stops",
                .fields = {}});
  }
  begin_stop();
}

void system_core::restarted(cell& who) noexcept {
  count([](worker_counters& block) { block.restarts.add(1); });
  if (events_.nobody_listens()) return;
  (void)events_.publish(actor_restarted{.who = {&who, who.tenant}, .restarts = restarts_of(who)});
}

void system_core::suspended(cell& who) noexcept {
  if (events_.nobody_listens()) return;
  (void)events_.publish(actor_suspended{.who = {&who, who.tenant}, .reasons = who.reasons});
}

void system_core::resumed(cell& who, std::optional<duration> after) noexcept {
  if (events_.nobody_listens()) return;
  (void)events_.publish(actor_resumed{.who = {&who, who.tenant}, .after = after});
}

void system_core::misused(cell& who, const char* advice) noexcept {
  if (!log_.wants(log_level::warning)) return;
  event_text path;
  write_path(path, who);
  const std::array fields{log_field{"actor", path.view()}};
  warn(log_kind::system, advice, fields);
}

std::uint64_t system_core::chance() noexcept {
  const lock_guard guard{foreign_lock_};
  // Splitmix64: every seed is a good one.
  chance_ += 0x9E37'79B9'7F4A'7C15U;
  std::uint64_t mixed = chance_;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D0'49BB'1331'11EBU;
  return mixed ^ (mixed >> 31U);
}

void system_core::write_path(event_text& to, const cell& of) const noexcept {
  if (of.guardian) {
    to.append("/user");
    return;
  }
  if (of.parent != nullptr) write_path(to, *of.parent);
  to.append("/");
  if (of.name != nullptr) {
    to.append(of.name->text());
  } else {
    append_number(to, of.slot, of.tenant);
  }
}

void system_core::write_path(event_text& to, mailbox_index of) noexcept {
  const cell* const who = program_memory.cells.at(of.slot);
  const cell* parent = user_;
  event_text name;
  if (names_.name_of(who, [&](const actor_name& found) {
        parent = found.parent;
        name.append(found.text());
      })) {
    if (parent != user_ && parent != nullptr)
      write_path(to, mailbox_index{.slot = parent->slot, .generation = parent->generation()});
    else
      to.append("/user");
    to.append("/");
    to.append(name.view());
  } else {
    to.append("/user/");
    append_number(to, of.slot, of.generation);
  }
}

actor_ref<> system_core::find(std::string_view path,
                              std::span<const message_operations* const> messages) noexcept {
  if (path.starts_with(user_path)) path.remove_prefix(user_path.size());
  actor_ref<> found;
  const cell* parent = user_;
  while (parent != nullptr) {
    const std::size_t end = end_of_part(path);
    const bool last = end == path.size();
    // Not `substr`, which could throw. NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage)
    const std::string_view part{path.data(), end};
    const cell* next = nullptr;
    const bool there = names_.find(parent, part, [&](cell& c) {
      next = &c;
      if (last && takes_all(*c.type, messages)) found = {&c, c.generation()};
    });
    if (!there || last) return found;
    path.remove_prefix(end + 1);
    parent = next;
  }
  return found;
}

}  // namespace tactor::inline v0
