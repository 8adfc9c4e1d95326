// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/trace/span_log.hpp"
#include "tactor/host/trace/trace_switch.hpp"
#include "tactor/port/port.hpp"

#include "scenario.hpp"
#include <gtest/gtest.h>

#include <array>
#include <memory>

// Traces: a worker that handles messages, a thread that starts and ends traces, and one that reads
// them.
namespace tactor::model {

using namespace tactor::internal;

namespace {

using facts = port::plain<unsigned>;
// A chunk holds one span, so each span begins a chunk.
using small_log = span_log<facts, 1>;

// A log with its memory.
template <std::size_t Most>
struct pages {
  std::array<small_log::chunk, Most> chunks;
  std::array<port::plain<small_log::chunk*>, Most> places;
  small_log log{places};

  // Does what a receiver does.
  void handle() {
    require(log.needs_chunk() && log.takes_chunk(), "there is no room");
    log.add_chunk(chunks[log.size()]);
    log.next().set(10);
    log.publish();
  }
  // Does what a reader does. Returns: how many there are.
  unsigned read() const {
    unsigned count = 0;
    log.visit([&count](const facts& each) {
      require(each.get() == 10, "a span is not complete");
      ++count;
    });
    return count;
  }
};

struct handle_against_read {
  static constexpr unsigned threads = 2;
  pages<2> spans;

  void thread(unsigned index) {
    if (index == 0) {
      spans.handle();
      spans.handle();
    } else {
      require(spans.read() <= 2, "there are too many");
    }
  }
  void after() { require(spans.read() == 2, "a span is lost"); }
};

// A trace with one member. Scenarios own it: its pointers are without effect.
struct session {
  port::plain<bool> made;
  port::atomic<bool> over;
  pages<1> spans;
  unsigned members = 0;  // one thread joins

  [[nodiscard]] bool is_over() const noexcept { return over.load(relaxed); }  // relaxed: a time
  pages<1>* join() {
    require(made.get(), "joined before it was made");
    require(++members == 1, "joined twice");
    return &spans;
  }
  void make() { made.set(true); }
  std::shared_ptr<session> pointer() { return {std::shared_ptr<void>{}, this}; }
};

struct trace_world {
  struct count_changes {
    port::plain<int>* running;
    void operator()(const session* runs) const noexcept {
      running->set(running->get() + (runs != nullptr ? 1 : -1));
    }
  };
  using one_switch = trace_switch<session, count_changes>;

  std::array<session, 2> sessions;
  port::plain<int> running;
  one_switch traces{count_changes{&running}};
  trace_membership<session, pages<1>> member;

  void start(session& which) {
    which.make();
    require(traces.start(which.pointer()), "another one runs");
  }
  pages<1>* look() {
    return member.look(traces, [](session& of) { return of.join(); });
  }
  // A turn of a worker that handles one message.
  void turn() {
    pages<1>* const to = look();
    if (to == nullptr || to->log.size() != 0) return;
    to->handle();
  }
  void read() {
    const std::shared_ptr<session> last = traces.last();
    if (last == nullptr) return;
    require(last->made.get(), "read before it was made");
    require(last->spans.read() <= 1, "there are too many");
  }
};

// A worker never goes on with a trace that has ended, nor misses one that runs.
struct start_and_stop_against_a_worker : trace_world {
  static constexpr unsigned threads = 2;

  void thread(unsigned index) {
    if (index == 0) {
      start(sessions[0]);
      traces.stop();
      start(sessions[1]);
    } else {
      turn();
      turn();
    }
  }
  void after() {
    require(running.get() == 1, "starts and ends do not add up");
    require(look() == &sessions[1].spans, "the worker does not know which trace runs");
    traces.stop();
    require(look() == nullptr, "the worker goes on with a trace that has ended");
  }
};

struct start_against_a_worker_against_a_reader : trace_world {
  static constexpr unsigned threads = 3;

  void thread(unsigned index) {
    if (index == 0) return start(sessions[0]);
    if (index == 1) return turn();
    read();
  }
};

// Two threads want to trace; the time of the trace passes; the worker ends it, or the second one.
struct two_starts_against_a_worker : trace_world {
  static constexpr unsigned threads = 3;
  std::array<bool, 2> started{};

  void thread(unsigned index) {
    if (index == 2) return static_cast<void>(look());
    sessions[index].make();
    started[index] = traces.start(sessions[index].pointer());
    if (index == 0) sessions[0].over.store(true, relaxed);  // relaxed: a time
  }
  void after() {
    require(started[0] || started[1], "no trace started");
    const bool second = started[1] && (started[0] || traces.last().get() == &sessions[1]);
    require(look() == (second ? &sessions[1].spans : nullptr), "the worker records elsewhere");
    require(running.get() == (second ? 1 : 0), "starts and ends do not add up");
  }
};

// spec: O3 K3
TEST(trace_model, a_reader_sees_only_complete_spans) {
  EXPECT_TRUE(passes(explore<handle_against_read>()));
}

// spec: O3 K3
TEST(trace_model, a_worker_that_looks_again_knows_which_trace_runs) {
  EXPECT_TRUE(passes(explore<start_and_stop_against_a_worker>(preemptions(5))));
}

// spec: O3 K3
TEST(trace_model, a_trace_is_complete_for_the_worker_that_joins_and_for_a_reader) {
  EXPECT_TRUE(passes(explore<start_against_a_worker_against_a_reader>()));
}

// spec: O3
TEST(trace_model, one_trace_runs_at_a_time) {
  EXPECT_TRUE(passes(explore<two_starts_against_a_worker>()));
}

}  // namespace
}  // namespace tactor::model
