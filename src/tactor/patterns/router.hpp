// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/actor.hpp"
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

/// What a router has done.
struct router_counts {
  std::size_t workers = 0;
  std::uint64_t forwarded = 0;
  std::uint64_t handled = 0;  // by the workers of a pool; of a group it is not known
};
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
  /// How many workers there are at first; see `resize_pool`.
  std::size_t workers = 4;
  /// The `spawn_options` of each worker: what it does when it fails, its mailbox, its dispatcher. Its name is not used.
  /// Without `on_failure` it is restarted: a worker that stopped would be replaced anyway, later.
  spawn_options worker = {};
  /// A worker that has ended is replaced after this time.
  duration replace_after = std::chrono::milliseconds{10};
};

namespace internal {

/// Written by the worker, read by the router.
using counter = std::shared_ptr<port::counter>;

/// Where messages go, and how one is chosen. Part of a router's instance.
template <class Policy, class... Messages>
class route_table {
public:
  using target = actor_ref<Messages...>;
  explicit route_table(const Policy& how) : how_(how) {}

  void add(const target& to, counter handled) {
    routes_.push_back({.to = to, .load = {.number = made_++}, .handled = std::move(handled)});
  }
  /// It gets nothing more, and handles what it has.
  void retire(const actor_ref<>& whom) {
    const auto last = find(routes_, whom);
    if (last == routes_.end()) return;
    leaving_.push_back(std::move(*last));
    routes_.erase(last);
  }
  /// It has ended, or belongs to others. Returns: false if it was not, or no longer, a target.
  bool remove(const actor_ref<>& whom) {
    for (std::vector<route>* const list : {&routes_, &leaving_}) {
      const auto gone = find(*list, whom);
      if (gone == list->end()) continue;
      handled_ += handled_by(*gone);
      list->erase(gone);
      return list == &routes_;
    }
    return false;
  }
  [[nodiscard]] std::size_t size() const noexcept { return routes_.size(); }
  [[nodiscard]] target newest() const noexcept { return routes_.back().to; }
  [[nodiscard]] router_counts counts() const noexcept {
    router_counts sum{.workers = routes_.size(), .forwarded = forwarded_, .handled = handled_};
    for (const std::vector<route>* const list : {&routes_, &leaving_}) {
      for (const route& each : *list)
        sum.handled += handled_by(each);
    }
    return sum;
  }

  /// Sends `message` on, with its sender and the obligation to answer.
  template <class Context, class Message>
  delegated<reply_of<Message>> forward(Context& ctx, Message message) {
    if (routes_.empty()) {
      if (!std::exchange(warned_, true))
        ctx.log(log_level::warning, "a router has no worker: its messages become dead letters; "
                                    "give it a worker, or stop sending");
      return ctx.forward(target{}, std::move(message));
    }
    const std::size_t index = how_.choose(std::as_const(message), routes_.size(), [this](auto i) {
      route_load load = routes_[i].load;
      load.handled = handled_by(routes_[i]);
      return load;
    });
    if (index != sends_to_all) {
      route& chosen = routes_[index];
      note(chosen);
      return ctx.forward(chosen.to, std::move(message));
    }
    if constexpr (std::is_copy_constructible_v<Message>) {
      if constexpr (std::is_same_v<Policy, first_answer> && has_reply<Message>) {
        return ask_all(ctx, message);
      } else {
        for (std::size_t i = 1; i < routes_.size(); ++i) {
          note(routes_[i]);
          routes_[i].to.tell(message);
        }
        note(routes_.front());
        return ctx.forward(routes_.front().to, std::move(message));
      }
    } else {
      return ctx.forward(target{}, std::move(message));  // not reached
    }
  }

private:
  struct route {
    target to;
    route_load load;
    counter handled;
  };

  static auto find(std::vector<route>& in, const actor_ref<>& whom) {
    return std::find_if(in.begin(), in.end(), [&](const route& each) { return each.to == whom; });
  }
  static std::uint64_t handled_by(const route& r) noexcept {
    return r.handled == nullptr ? 0 : r.handled->value();
  }
  void note(route& r) noexcept {
    ++r.load.forwarded;
    ++forwarded_;
  }

  template <class Context, class Message>
  delegated<reply_of<Message>> ask_all(Context& ctx, const Message& message) {
    using reply = reply_of<Message>;
    auto answer = std::make_shared<reply_to<reply>>(ctx.template reply_later<reply>());
    const auto promised = answer->as_delegated();
    auto answered = std::make_shared<bool>(false);
    for (route& each : routes_) {
      note(each);
      ctx.ask(each.to, Message{message}, how_.timeout(), [answer, answered](auto got) {
        if (!got || std::exchange(*answered, true)) return;
        if constexpr (std::is_void_v<reply>) {
          answer->send();
        } else {
          answer->send(*std::move(got));
        }
      });
    }
    return promised;
  }

  Policy how_;
  std::vector<route> routes_;
  std::vector<route> leaving_;
  std::uint64_t made_ = 0;
  std::uint64_t forwarded_ = 0;
  std::uint64_t handled_ = 0;  // by workers that are gone
  bool warned_ = false;
};

/// One handler of a router.
template <class Router, class Context, class Message>
struct routed {
  delegated<reply_of<Message>> receive(Context& ctx, Message message) {
    return static_cast<Router*>(this)->table().forward(ctx, std::move(message));
  }
};

/// What a worker's handler returns.
template <class Worker, class Context, class Message>
using result_of =
    decltype(std::declval<Worker&>().receive(std::declval<Context&>(), std::declval<Message>()));

/// One handler of a pool's worker: counts what it has handled, also if it failed.
template <class Counted, class Worker, class Context, class Message>
struct counted {
  result_of<Worker, Context, Message> receive(Context& ctx, Message message) {
    struct at_the_end {
      port::counter& count;
      ~at_the_end() { count.add(1); }
    } const over{static_cast<Counted*>(this)->count()};
    return static_cast<Worker*>(static_cast<Counted*>(this))->receive(ctx, std::move(message));
  }
};
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
      public counted<pool_worker<Worker, message_list<Messages...>>, Worker,
                     typename Worker::context, Messages>...,
      public told<pool_worker<Worker, message_list<Messages...>>, Worker, terminated>::type,
      public told<pool_worker<Worker, message_list<Messages...>>, Worker, receive_timeout>::type {
public:
  template <class... Arguments>
  explicit pool_worker(counter of_worker, const Arguments&... arguments)
      : Worker(arguments...), handled_(std::move(of_worker)) {}

  using counted<pool_worker, Worker, typename Worker::context, Messages>::receive...;
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
  ((void)key_check<Messages, can_route<Policy, Messages>>{}, ...);
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
  router_counts receive(context&, count_routed) { return table_.counts(); }
  void receive(context& ctx, const terminated& t) {
    if (!table_.remove(t.who)) return;
    if (!ctx.schedule_once(options_.replace_after, ctx.self(), replace_worker{})) fill(ctx);
  }
  void receive(context& ctx, replace_worker) { fill(ctx); }

  [[nodiscard]] auto& table() noexcept { return table_; }

private:
  using worker = pool_worker<Worker, message_list<Messages...>>;

  void fill(context& ctx) {
    spawn_options each = options_.worker;
    each.name = {};
    if (each.on_failure.is_default()) each.on_failure = restart{};
    while (table_.size() < options_.workers) {
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
      table_.add(*made, std::move(handled));
      (void)ctx.watch(*made, *this);
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
  router_counts receive(context&, count_routed) { return table_.counts(); }
  void receive(context&, const terminated& t) { table_.remove(t.who); }

  [[nodiscard]] auto& table() noexcept { return table_; }

private:
  void add(context& ctx, const actor_ref<Messages...>& who) {
    table_.add(who, nullptr);
    (void)ctx.watch(who, *this);
  }

  route_table<Policy, Messages...> table_;
  std::vector<actor_ref<Messages...>> first_;
};

}  // namespace internal

/// Spawns a router with a pool of workers of class `Worker` behind it, and returns its reference,
/// which takes the messages of the workers. `from` is a system or the context of an actor; each
/// worker is built from `arguments`.
///
///     auto parsers = patterns::spawn_pool<parser>(system, {.workers = 8}, patterns::least_queued{});
///     parsers.tell(page{text});
///
/// An answer comes straight from the worker. Workers are supervised as `options.worker` says; one
/// that ends is replaced. `resize_pool` changes their number, `count_routed` says what was done.
template <class Worker, class Spawner, class Policy, class... Arguments>
auto spawn_pool(const Spawner& from, const pool_options& options, const Policy& how,
                const Arguments&... arguments) {
  using messages = typename Worker::message_types;
  internal::check_keys<Policy>(messages{});
  if constexpr (internal::routes<Policy>(messages{})) {
    using made = internal::pool<Policy, Worker, messages, std::decay_t<Arguments>...>;
    return from.template spawn<made>(options.name, options, how, arguments...);
  }
}

/// Spawns a router in front of actors that exist. A member that ends is taken out; `add_member` and
/// `remove_member` change the group.
template <class Spawner, class Policy, class... Messages>
auto spawn_group(const Spawner& from, std::string_view name, const Policy& how,
                 const std::vector<actor_ref<Messages...>>& members) {
  internal::check_keys<Policy>(message_list<Messages...>{});
  if constexpr (internal::routes<Policy>(message_list<Messages...>{}))
    return from.template spawn<internal::group<Policy, Messages...>>(name, how, members);
}

}  // namespace tactor::inline v0::patterns
