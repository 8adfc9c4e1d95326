// SPDX-License-Identifier: BSL-1.0
// Workloads that show whether a second worker helps and whether turns are fair: for the benchmark
// and for the test that asserts it. One starter actor spawns all actors of a workload and sends
// their first messages.
#pragma once

#include "tactor/host/actor_system.hpp"

#include "measuring.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

using tactor::actor_ref;

struct go {};

/// The argument of a starter: the gates for "all actors are spawned" and "all is done".
struct course {
  gate* ready;
  gate* done;
  std::uint64_t count;
};

// Random pairs.

struct hop {
  std::uint32_t left;
};
using hoppers = std::vector<actor_ref<hop>>;
class hopper : public tactor::actor<hop> {
  const hoppers* all_;
  gate* done_;
  std::uint64_t state_;
  work work_;

public:
  hopper(const hoppers* all, gate* done, std::uint64_t seed, work each)
      : all_(all), done_(done), state_(seed), work_(each) {}
  void receive(context&, const hop& h) {
    work_.run();
    if (h.left <= 1) return done_->arrive();
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    (*all_)[state_ % all_->size()].tell(hop{h.left - 1});
  }
};
/// Each of the actors starts a message that goes to random ones; `work` for each message.
class random_sends : public tactor::actor<go> {
  course on_;
  std::size_t size_;
  work work_;
  hoppers all_;

public:
  random_sends(const course& on, std::size_t size, work each) : on_(on), size_(size), work_(each) {}
  void pre_start(context& ctx) {
    all_.reserve(size_);
    for (std::size_t i = 0; i < size_; ++i)
      all_.push_back(ctx.spawn<hopper>("", &all_, on_.done, std::uint64_t{i * 7919 + 1}, work_));
    on_.ready->arrive();
  }
  void receive(context&, go) {
    for (const auto& each : all_)
      each.tell(hop{static_cast<std::uint32_t>(on_.count / size_)});
  }
};

// Few long jobs.

struct job_done {};
struct job {
  actor_ref<job_done> to;
};
class laborer : public tactor::actor<job> {
  work work_;

public:
  explicit laborer(work each) : work_(each) {}
  void receive(context&, const job& j) {
    work_.run();
    j.to.tell(job_done{});
  }
};
/// Hands out a job to each laborer, waits for all, and begins again, after `pause` if that is not
/// 0.
class foreman : public tactor::actor<go, job_done> {
  course on_;
  std::size_t size_;
  work work_;
  samples* into_;
  std::chrono::microseconds pause_;
  std::uint64_t rounds_;
  std::size_t left_ = 0;
  std::int64_t began_ns_ = 0;
  std::vector<actor_ref<job>> all_;

public:
  foreman(const course& on, std::size_t size, work each, samples* into,
          std::chrono::microseconds pause)
      : on_(on), size_(size), work_(each), into_(into), pause_(pause), rounds_(on.count) {}
  void pre_start(context& ctx) {
    for (std::size_t i = 0; i < size_; ++i)
      all_.push_back(ctx.spawn<laborer>("", work_));
    on_.ready->arrive();
  }
  void receive(context& ctx, go) { begin_round(ctx); }
  void receive(context& ctx, job_done) {
    if (--left_ > 0) return;
    into_->add(now_ns() - began_ns_);
    if (--rounds_ == 0)
      on_.done->arrive();
    else if (pause_.count() == 0)
      begin_round(ctx);
    else
      (void)ctx.schedule_once(pause_, ctx.self(), go{});
  }

private:
  void begin_round(context& ctx) {
    began_ns_ = now_ns();
    left_ = size_;
    const actor_ref<job_done> me = ctx.self();
    for (const auto& each : all_)
      each.tell(job{me});
  }
};

/// A ball that may carry the time.
struct stamped {
  std::uint64_t left;
  std::int64_t sent_ns;  // 0: no time
};
struct follow {
  actor_ref<stamped> next;
};
class relay : public tactor::actor<stamped, follow> {
  static constexpr std::uint64_t one_in = 16;
  samples* into_;
  gate* done_;
  actor_ref<stamped> next_;

public:
  relay(samples* into, gate* done) : into_(into), done_(done) {}
  void receive(context&, const follow& f) { next_ = f.next; }
  void receive(context&, const stamped& s) {
    if (s.sent_ns != 0) into_->add(now_ns() - s.sent_ns);
    if (s.left <= 1) return done_->arrive();
    next_.tell(stamped{.left = s.left - 1, .sent_ns = s.left % one_in == 0 ? now_ns() : 0});
  }
};
/// A ring of actors, each with a ball.
class busy_ring : public tactor::actor<go> {
  course on_;
  std::size_t size_;
  samples* into_;
  std::vector<actor_ref<stamped, follow>> all_;

public:
  busy_ring(const course& on, std::size_t size, samples* into)
      : on_(on), size_(size), into_(into) {}
  void pre_start(context& ctx) {
    for (std::size_t i = 0; i < size_; ++i)
      all_.push_back(ctx.spawn<relay>("", into_, on_.done));
    for (std::size_t i = 0; i < size_; ++i)
      all_[i].tell(follow{all_[(i + 1) % size_]});
    on_.ready->arrive();
  }
  void receive(context&, go) {
    for (const auto& each : all_)
      each.tell(stamped{.left = on_.count / size_, .sent_ns = 0});
  }
};

// Running a workload.

/// Nanoseconds from the start until all have arrived, for `count` messages in total.
template <class Starter, class... Arguments>
double nanoseconds(const task& what, std::uint64_t arrivals, Arguments... arguments) {
  gate ready{1};
  gate done{arrivals};
  tactor::actor_system system{
      {.workers = what.workers, .dispatchers = {.pin_workers = what.pin_workers}}};
  auto starter = system.spawn<Starter>(
      "starter", course{.ready = &ready, .done = &done, .count = what.count}, arguments...);
  ready.wait();
  const auto began = now_ns();
  starter.tell(go{});
  done.wait();
  return static_cast<double>(now_ns() - began);
}

}  // namespace bench
