// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/actor.hpp"
#include "tactor/coroutine.hpp"
#include "tactor/patterns/route_table.hpp"
#include "tactor/patterns/routing.hpp"
#include "tactor/port/port.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
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
/// Tell a pool how many workers it is to have. Workers that are too many handle what is queued, and
/// stop.
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

/// How a pool is made.
struct pool_options {
  /// Of the router. Empty: it gets a number.
  std::string_view name = {};
  /// Of the router. With `lossless`, senders wait while the workers' mailboxes, likewise `lossless`, are full.
  mailbox_options mailbox = {};
  /// How many workers there are at first; see `resize_pool`.
  std::size_t workers = 4;
  /// The `spawn_options` of each worker: what it does when it fails, its mailbox, its dispatcher. Its name is not used.
  /// Without `on_failure` it is restarted: a worker that stopped would be replaced anyway, later.
  spawn_options worker = {};
  /// A worker that has ended is replaced after this time. At once, if it is not positive; more than a day counts as a day. Workers that
  /// end meanwhile are replaced together with it. If that fails, it is tried again after the same time, or in the next tick.
  duration replace_after = std::chrono::milliseconds{10};
};

namespace internal {

/// One handler of a router.
template <class Router, class Context, class Message>
struct routed {
  delegated<reply_of<Message>> receive(Context& ctx, Message message) {
    return static_cast<Router*>(this)->table(ctx).forward(ctx, std::move(message));
  }
};

/// What a worker's handler returns.
template <class Worker, class Context, class Message>
using result_of =
    decltype(std::declval<Worker&>().receive(std::declval<Context&>(), std::declval<Message>()));

/// Counts a message when its handler is over, also if it failed. What it stashes is counted when it is handled.
template <class Context>
struct counted_end {
  counted_end(port::counter& to, const Context& of) noexcept : count(to), ctx(of) {}
  counted_end(const counted_end&) = delete;
  counted_end& operator=(const counted_end&) = delete;
  ~counted_end() {
    if (!ctx.is_stashed()) count.add(1);
  }
  port::counter& count;
  const Context& ctx;
};
/// One handler of a pool's worker: counts what it has handled.
template <class Counted, class Worker, class Context, class Message>
struct counted {
  result_of<Worker, Context, Message> receive(Context& ctx, Message message) {
    const counted_end over{static_cast<Counted*>(this)->count(), ctx};
    return static_cast<Worker*>(static_cast<Counted*>(this))->receive(ctx, std::move(message));
  }
};
/// Likewise of a worker whose handler is a coroutine.
template <class Counted, class Worker, class Context, class Message>
struct counted_coroutine {
  result_of<Worker, Context, Message> receive(Context& ctx, Message message) {
    const counted_end over{static_cast<Counted*>(this)->count(), ctx};
    auto own = static_cast<Worker*>(static_cast<Counted*>(this))->receive(ctx, std::move(message));
    co_return co_await std::move(own);
  }
};
template <class Result>
inline constexpr bool is_coroutine = false;
template <class Result>
inline constexpr bool is_coroutine<task<Result>> = true;
template <class Result>
inline constexpr bool is_coroutine<reentrant_task<Result>> = true;
template <class Result>
inline constexpr bool is_reentrant = false;
template <class Result>
inline constexpr bool is_reentrant<reentrant_task<Result>> = true;
/// Whether a worker may begin a message before the one before it has been handled.
template <class Worker, class... Messages>
inline constexpr bool handles_several =
    (is_reentrant<result_of<Worker, typename Worker::context, Messages>> || ...);
template <class Counted, class Worker, class Message>
using counted_handler =
    std::conditional_t<is_coroutine<result_of<Worker, typename Worker::context, Message>>,
                       counted_coroutine<Counted, Worker, typename Worker::context, Message>,
                       counted<Counted, Worker, typename Worker::context, Message>>;
/// A handler of a notification, which is not counted.
template <class Counted, class Worker, class Context, class Told>
struct passed_on {
  result_of<Worker, Context, const Told&> receive(Context& ctx, const Told& told) {
    return static_cast<Worker*>(static_cast<Counted*>(this))->receive(ctx, told);
  }
};
template <class Told>
struct not_told {
  void receive(not_told&);  // no handler
};
template <class Counted, class Worker, class Told>
struct told {
  using type = not_told<Told>;
};
template <class Counted, class Worker, class Told>
  requires requires(Worker& w, typename Worker::context& c, const Told& t) { w.receive(c, t); }
struct told<Counted, Worker, Told> {
  using type = passed_on<Counted, Worker, typename Worker::context, Told>;
};

template <class Worker, class List>
class pool_worker;
/// A worker of a pool.
template <class Worker, class... Messages>
class pool_worker<Worker, message_list<Messages...>>
    : public Worker,
      public counted_handler<pool_worker<Worker, message_list<Messages...>>, Worker, Messages>...,
      public told<pool_worker<Worker, message_list<Messages...>>, Worker, terminated>::type,
      public told<pool_worker<Worker, message_list<Messages...>>, Worker, receive_timeout>::type {
public:
  template <class... Arguments>
  explicit pool_worker(counter of_worker, const Arguments&... arguments)
      : Worker(arguments...), handled_(std::move(of_worker)) {}

  using counted_handler<pool_worker, Worker, Messages>::receive...;
  using told<pool_worker, Worker, terminated>::type::receive;
  using told<pool_worker, Worker, receive_timeout>::type::receive;

  [[nodiscard]] port::counter& count() const noexcept { return *handled_; }

private:
  counter handled_;
};

/// Told by a pool to itself, some time after a worker has ended.
struct replace_worker {
  static constexpr const char* type_name = "tactor::patterns::replace_worker";
};

/// Whether a policy can route the messages.
template <class Policy, class... Messages>
constexpr bool routes(message_list<Messages...>) noexcept {
  return (can_route<Policy, Messages> && ...);
}
/// One error, at the spawn, if it cannot.
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

  void pre_start(context& ctx) { fill(ctx); }
  void receive(context& ctx, resize_pool wanted) {
    options_.workers = wanted.workers;
    while (table_.size() > options_.workers) {
      const actor_ref<> whom = table_.newest();
      table_.retire(whom);
      ctx.drain(whom);
    }
    fill(ctx);
  }
  router_counts receive(context& ctx, count_routed) { return table(ctx).counts(); }
  void receive(context& ctx, const terminated& t) {
    if (!table_.remove(t.who) || ctx.is_timer_active(replacing)) return;
    if (options_.replace_after <= duration{} || !fill_later(ctx)) fill(ctx);
  }
  void receive(context& ctx, replace_worker) { fill(ctx); }

  /// Where messages go. If workers are missing, they will be made: there may have been no memory for that.
  [[nodiscard]] auto& table(context& ctx) noexcept {
    if (table_.size() < options_.workers && !ctx.is_timer_active(replacing)) [[unlikely]]
      (void)fill_later(ctx);
    return table_;
  }

private:
  using worker = pool_worker<Worker, message_list<Messages...>>;
  static constexpr timer_key replacing{"tactor::patterns::replace_worker"};

  /// Makes the workers that are missing, after a while: in the next tick at the earliest. Returns: false if there is no timer for that.
  bool fill_later(context& ctx) noexcept {
    using namespace std::chrono_literals;
    const duration delay = std::clamp<duration>(options_.replace_after, 1ns, 24h);
    return ctx.start_timer(replacing, after(delay), replace_worker{}).has_value();
  }
  /// Makes the workers that are missing. Those that cannot be made, or that an exception prevents, are tried again.
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
      auto handled = std::make_shared<port::counter>();
      const auto made = std::apply(
          [&](const Arguments&... arguments) {
            return ctx.template try_spawn<worker>(each, handled, arguments...);
          },
          arguments_);
      if (!made) {
        ctx.log(log_level::warning, to_text(made.error()));
        return;
      }
      if (!ctx.watch(*made, *this)) return ctx.stop(*made);  // its end would not be noticed
      table_.add(*made, std::move(handled), most_of_worker());
    }
  }
  /// How many messages a worker has at a time: in its mailbox, and the one that it handles. No limit if its mailbox drops
  /// none, or if it handles several at a time. Stashed ones are not known.
  [[nodiscard]] std::uint64_t most_of_worker() const noexcept {
    const mailbox_options& mailbox = options_.worker.mailbox;
    const bool drops = mailbox.capacity != mailbox_options::unbounded &&
                       mailbox.overflow != overflow_strategy::block_producer;
    return drops && !handles_several<Worker, Messages...> ? mailbox.capacity + std::uint64_t{1}
                                                          : decltype(table_)::no_limit;
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
  void receive(context&, const terminated& t) { table_.remove(t.who); }

  /// Where messages go. Members for whose watch there was no memory are watched now.
  [[nodiscard]] auto& table(context& ctx) noexcept {
    if (unwatched_) [[unlikely]]
      unwatched_ = !table_.all_of([&](const actor_ref<>& each) { return watches(ctx, each); });
    return table_;
  }

private:
  void add(context& ctx, const actor_ref<Messages...>& who) {
    table_.add(who, nullptr);
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

/// A message that cannot be routed, because its key or a copy throws, must not end the router.
[[nodiscard]] inline spawn_options as_router(std::string_view name,
                                             const mailbox_options& mailbox = {}) {
  return {.name = name, .mailbox = mailbox, .on_failure = directive::resume};
}

}  // namespace internal

/// Spawns a router with a pool of workers of class `Worker` behind it, and returns its reference,
/// which takes the messages of the workers. `from` is a system or the context of an actor; each
/// worker is built from `arguments`.
///
///     auto parsers = patterns::spawn_pool<parser>(system, {.workers = 8}, patterns::least_queued{});
///     parsers.tell(page{text});
///
/// An answer comes straight from the worker. Workers are supervised as `options.worker` says; one
/// that ends is replaced. A message that cannot be routed, because its key or a copy throws, fails, and the router
/// goes on. `resize_pool` changes their number, `count_routed` says what was done.
template <class Worker, class Spawner, class Policy, class... Arguments>
auto spawn_pool(const Spawner& from, const pool_options& options, const Policy& how,
                const Arguments&... arguments) {
  using messages = typename Worker::message_types;
  internal::check_keys<Policy>(messages{});
  if constexpr (internal::routes<Policy>(messages{})) {
    using made = internal::pool<Policy, Worker, messages, std::decay_t<Arguments>...>;
    return from.template spawn<made>(internal::as_router(options.name, options.mailbox), options,
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
