// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/actor.hpp"
#include "tactor/coroutine.hpp"  // IWYU pragma: export (handlers of workers)
#include "tactor/patterns/route_table.hpp"
#include "tactor/patterns/routing.hpp"
#include "tactor/patterns/worker_messages.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactor::inline v0::patterns {

/// Ask a router for its counts.
struct count_routed {
  static constexpr const char* type_name = "tactor::patterns::count_routed";
  using reply = router_counts;
};
/// Tell a pool how many workers it is to have, at most `pool_options::most_workers`. Workers that
/// are too many handle what is queued, and stop.
struct resize_pool {
  static constexpr const char* type_name = "tactor::patterns::resize_pool";
  std::size_t workers = 1;
};
/// Tell a group of a new member.
template <class... Messages>
struct add_member {
  actor_ref<Messages...> who;
};
/// Tell a group to send nothing more to a member.
struct remove_member {
  static constexpr const char* type_name = "tactor::patterns::remove_member";
  actor_ref<> who;
};

/// The settings of a pool.
struct pool_options {
  /// The name of the router. Empty: it gets a number.
  std::string_view name = {};
  /// The mailbox of the router. With `lossless`, senders wait while the workers' mailboxes, which
  /// are `lossless` as well, are full.
  mailbox_options mailbox = {};
  /// The number of workers at first; see `resize_pool`.
  std::size_t workers = 4;
  /// The bound of `workers`; a larger number is cut to it, with a warning.
  std::size_t most_workers = 65'536;
  /// The `spawn_options` of each worker: what it does when it fails, its mailbox, its dispatcher.
  /// Its name is not used. Without `on_failure` it is restarted: a worker that stopped would be
  /// replaced anyway, later.
  spawn_options worker = {};
  /// The time after which a worker that has ended is replaced: at once, if it is not positive; more
  /// than a day counts as a day. Workers that end meanwhile are replaced together with it. If that
  /// fails, the pool tries again after the same time, or in the next tick.
  duration replace_after = std::chrono::milliseconds{10};
};

namespace internal {

/// The handler of a router for one message.
template <class Router, class Context, class Message>
struct routed {
  delegated<reply_of<Message>> receive(Context& ctx, Message message) {
    return static_cast<Router*>(this)->table(ctx).forward(ctx, std::move(message));
  }
};

/// A pool sends this to itself, some time after a worker has ended.
struct replace_worker {
  static constexpr const char* type_name = "tactor::patterns::replace_worker";
};

/// Returns: true if a policy can route the messages.
template <class Policy, class... Messages>
constexpr bool routes(message_list<Messages...>) noexcept {
  return (can_route<Policy, Messages> && ...);
}
/// Gives one error, at the spawn, if it cannot.
template <class Policy, class... Messages>
void check_keys(message_list<Messages...>) noexcept {
  ((void)key_check<Messages, has_key_for<Policy, Messages>>{}, ...);
  ((void)copy_check<Messages, can_send_to_all<Policy, Messages>>{}, ...);
}

template <class Policy, class Worker, class List, class... Arguments>
class pool;
/// See `spawn_pool`.
template <class Policy, class Worker, class... Messages, class... Arguments>
class pool<Policy, Worker, message_list<Messages...>, Arguments...>
    : public actor<Messages..., resize_pool, count_routed, replace_worker>,
      public routed<pool<Policy, Worker, message_list<Messages...>, Arguments...>,
                    actor_context<Messages..., resize_pool, count_routed, replace_worker>,
                    Messages>... {
public:
  using context = actor_context<Messages..., resize_pool, count_routed, replace_worker>;
  using routed<pool, context, Messages>::receive...;

  pool(const pool_options& options, const Policy& how, const Arguments&... arguments)
      : options_(options), table_(how), arguments_(arguments...) {}

  void pre_start(context& ctx) { resize(ctx, options_.workers); }
  void receive(context& ctx, resize_pool wanted) { resize(ctx, wanted.workers); }
  router_counts receive(context& ctx, count_routed) { return table(ctx).counts(); }
  void receive(context& ctx, const terminated& t) {
    table_.remove_ended(t.who);
    if (ctx.is_timer_active(replacing)) return;
    if (options_.replace_after <= duration{} || !fill_later(ctx)) fill(ctx);
  }
  void receive(context& ctx, replace_worker) { fill(ctx); }

  /// Returns: the table of workers. If workers are missing, because there was no memory for them,
  /// it starts a timer to make them.
  [[nodiscard]] auto& table(context& ctx) noexcept {
    if (table_.size() < options_.workers && !ctx.is_timer_active(replacing)) [[unlikely]]
      (void)fill_later(ctx);
    return table_;
  }

private:
  static constexpr timer_key replacing{"tactor::patterns::replace_worker"};

  void resize(context& ctx, std::size_t wanted) {
    if (wanted > options_.most_workers)
      ctx.log(log_level::warning, "a pool is to have more workers than most_workers of its options "
                                  "allows: it gets as many as that");
    options_.workers = std::min(wanted, options_.most_workers);
    while (table_.size() > options_.workers) {
      const actor_ref<> whom = table_.remove_newest();
      ctx.unwatch(whom);  // its end is no loss
      ctx.drain(whom);
    }
    fill(ctx);
  }
  /// Makes the missing workers after a while, in the next tick at the earliest. Returns: false if
  /// there is no timer for that.
  bool fill_later(context& ctx) noexcept {
    using namespace std::chrono_literals;
    const duration delay = std::clamp<duration>(options_.replace_after, 1ns, 24h);
    return ctx.start_timer(replacing, after(delay), replace_worker{}).has_value();
  }
  /// Makes the missing workers. It tries later to make those that it cannot make now, or that an
  /// exception prevents.
  void fill(context& ctx) {
    struct try_again {
      pool& of;
      context& ctx;
      ~try_again() {
        if (of.table_.size() < of.options_.workers) (void)of.fill_later(ctx);
      }
    } const at_the_end{*this, ctx};
    spawn_options each = options_.worker;
    each.name = {};
    if (!each.on_failure.is_given()) each.on_failure = restart{};
    while (table_.size() < options_.workers) {
      table_.reserve_next();
      owned_messages messages{new worker_messages};
      const auto worker = std::apply(
          [&](const Arguments&... arguments) {
            return ctx.template try_spawn<Worker>(each, arguments...);
          },
          arguments_);
      if (!worker) {
        ctx.log(log_level::warning, to_text(worker.error()));
        return;
      }
      if (!ctx.watch(*worker, *this)) return ctx.stop(*worker);  // its end would not be noticed
      table_.add(*worker, std::move(messages));
    }
  }

  pool_options options_;
  route_table<Policy, Messages...> table_;
  std::tuple<Arguments...> arguments_;
};

/// See `spawn_group`.
template <class Policy, class... Messages>
class group : public actor<Messages..., add_member<Messages...>, remove_member, count_routed>,
              public routed<
                  group<Policy, Messages...>,
                  actor_context<Messages..., add_member<Messages...>, remove_member, count_routed>,
                  Messages>... {
public:
  using context = actor_context<Messages..., add_member<Messages...>, remove_member, count_routed>;
  using routed<group, context, Messages>::receive...;

  group(const Policy& how, const std::vector<actor_ref<Messages...>>& members)
      : table_(how), first_(members) {}

  void pre_start(context& ctx) {
    for (const actor_ref<Messages...>& each : first_)
      add(ctx, each);
  }
  void receive(context& ctx, const add_member<Messages...>& m) { add(ctx, m.who); }
  void receive(context& ctx, const remove_member& m) {
    if (table_.remove(m.who)) ctx.unwatch(m.who);
  }
  router_counts receive(context& ctx, count_routed) { return table(ctx).counts(); }
  void receive(context&, const terminated& t) { table_.remove_ended(t.who); }

  /// Returns: the table of members. It watches those for whose watch there was no memory before.
  [[nodiscard]] auto& table(context& ctx) noexcept {
    if (unwatched_) [[unlikely]]
      unwatched_ = !table_.all_of([&](const actor_ref<>& each) { return watches(ctx, each); });
    return table_;
  }

private:
  void add(context& ctx, const actor_ref<Messages...>& who) {
    table_.add(who, owned_messages{new worker_messages});
    if (!watches(ctx, who)) unwatched_ = true;
  }
  bool watches(context& ctx, const actor_ref<>& whom) noexcept {
    const auto watched = ctx.watch(whom, *this);
    return watched || watched.error() != watch_error::no_memory;
  }

  route_table<Policy, Messages...> table_;
  bool unwatched_ = false;  // there was no memory to watch a member
  std::vector<actor_ref<Messages...>> first_;
};

/// Returns: the options of a router, which a message that cannot be routed, because its key or a
/// copy throws, must not end.
[[nodiscard]] inline spawn_options as_router(std::string_view name,
                                             const mailbox_options& mailbox = {}) {
  return {.name = name, .mailbox = mailbox, .on_failure = directive::resume};
}

}  // namespace internal

/// Spawns a router with a pool of workers of class `Worker` behind it, and returns its reference,
/// which takes the messages of the workers. `from` is a system or the context of an actor; each
/// worker is built from `arguments`.
///
///     auto parsers =
///         patterns::spawn_pool<parser>(system, {.workers = 8}, patterns::least_queued{});
///     parsers.tell(page{text});
///
/// An answer comes straight from the worker. Workers are supervised as `options.worker` says; one
/// that ends is replaced. A message that cannot be routed, because its key or a copy throws, fails,
/// and the router goes on. `resize_pool` changes their number, `count_routed` asks for the counts.
template <class Worker, class Spawner, class Policy, class... Arguments>
auto spawn_pool(const Spawner& from, const pool_options& options, const Policy& how,
                const Arguments&... arguments) {
  using messages = typename Worker::message_types;
  internal::check_keys<Policy>(messages{});
  if constexpr (internal::routes<Policy>(messages{})) {
    using router = internal::pool<Policy, Worker, messages, std::decay_t<Arguments>...>;
    return from.template spawn<router>(internal::as_router(options.name, options.mailbox), options,
                                       how, arguments...);
  }
}

/// Spawns a router in front of actors that exist. A member that ends is taken out; `add_member` and
/// `remove_member` change the group.
template <class Spawner, class Policy, class... Messages>
auto spawn_group(const Spawner& from, std::string_view name, const Policy& how,
                 const std::vector<actor_ref<Messages...>>& members) {
  internal::check_keys<Policy>(message_list<Messages...>{});
  if constexpr (internal::routes<Policy>(message_list<Messages...>{}))
    return from.template spawn<internal::group<Policy, Messages...>>(internal::as_router(name), how,
                                                                     members);
}

}  // namespace tactor::inline v0::patterns
