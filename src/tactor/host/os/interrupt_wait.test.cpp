// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/os/interrupt_wait.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <fstream>
#include <string>
#include <thread>

namespace tactor::inline v0::host {

using namespace tactor::internal;

namespace {

// Returns when that thread sleeps.
void wait_until_asleep(const std::atomic<::pid_t>& thread) {
  char state = 0;
  while (state != 'S') {
    std::ifstream stat{"/proc/self/task/" + std::to_string(thread.load()) + "/stat"};
    std::string id;
    std::string name;
    stat >> id >> name >> state;
    std::this_thread::yield();
  }
}

/// Two threads that wait, both asleep.
class two_waiting {
public:
  two_waiting() {
    for (std::size_t number = 0; number < threads_.size(); ++number) {
      threads_[number] = std::thread{[this, number] {
        ids_[number] = ::gettid();
        got[number] = wait_for_signal([&] { return done[number].load(); });
      }};
      while (ids_[number] == 0)
        std::this_thread::yield();
      wait_until_asleep(ids_[number]);
    }
  }
  void join(std::size_t number) { threads_[number].join(); }

  std::array<std::atomic<bool>, 2> done{};
  std::array<int, 2> got{-1, -1};

private:
  std::array<std::atomic<::pid_t>, 2> ids_{};
  std::array<std::thread, 2> threads_;
};

TEST(interrupt_wait, ends_for_every_thread_that_waits) {
  two_waiting both;
  (void)::kill(::getpid(), SIGTERM);
  both.join(0);
  both.join(1);
  EXPECT_EQ(both.got, (std::array{SIGTERM, SIGTERM}));
}

TEST(interrupt_wait, checks_again_in_every_thread_that_waits) {
  two_waiting both;
  both.done[1] = true;  // the thread that began to wait later
  end_signal_wait();
  both.join(1);
  both.done[0] = true;
  end_signal_wait();
  both.join(0);
  EXPECT_EQ(both.got, (std::array{0, 0}));
}

sigset_t only(int signal) {
  sigset_t mask;
  (void)::sigemptyset(&mask);
  (void)::sigaddset(&mask, signal);
  return mask;
}

// spec: A5
TEST(interrupt_wait, takes_a_signal_that_the_program_blocks_and_blocks_it_again_afterwards) {
  const sigset_t blocked = only(SIGINT);
  (void)::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  (void)::raise(SIGINT);  // pending
  EXPECT_EQ(wait_for_signal([] { return false; }), SIGINT);
  sigset_t now;
  (void)::pthread_sigmask(SIG_UNBLOCK, &blocked, &now);
  EXPECT_EQ(::sigismember(&now, SIGINT), 1);
  EXPECT_EQ(::sigismember(&now, SIGTERM), 0);
}

// The handler may run on any thread of the program, also on a thread that reads from a socket.
TEST(interrupt_wait, interrupts_no_system_call_of_another_thread) {
  two_waiting both;
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  std::atomic<::pid_t> reads = 0;
  std::atomic<::pthread_t> reader{};
  ::ssize_t got = 0;
  std::thread other{[&] {
    reader = ::pthread_self();
    reads = ::gettid();
    char byte = 0;
    got = ::read(ends[0], &byte, 1);
  }};
  while (reads == 0)
    std::this_thread::yield();
  wait_until_asleep(reads);
  (void)::pthread_kill(reader, SIGTERM);
  both.join(0);
  both.join(1);
  (void)::write(ends[1], "x", 1);
  other.join();
  EXPECT_EQ(got, 1) << "the call was interrupted";
  (void)::close(ends[0]);
  (void)::close(ends[1]);
}

}  // namespace
}  // namespace tactor::inline v0::host
