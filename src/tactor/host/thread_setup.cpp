// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/thread_setup.hpp"

#include <pthread.h>
#include <sched.h>

#include <csignal>
#include <cstdio>

namespace tactor::inline v0::host {

bool set_up_thread(std::string_view role, std::uint32_t number,
                   std::optional<std::uint32_t> processor) noexcept {
  char name[16];
  (void)std::snprintf(name, sizeof name, "tactor-%.*s-%u", static_cast<int>(role.size()),
                      role.data(), number);
  (void)::pthread_setname_np(::pthread_self(), name);
  // They are for the threads of the program, which may have something to say about them.
  sigset_t all;
  ::sigfillset(&all);
  ::sigdelset(&all, SIGSEGV);
  ::sigdelset(&all, SIGBUS);
  ::sigdelset(&all, SIGFPE);
  ::sigdelset(&all, SIGILL);
  ::sigdelset(&all, SIGABRT);
  ::sigdelset(&all, SIGPROF);
  (void)::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  if (!processor) return true;
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(*processor, &only);
  return ::pthread_setaffinity_np(::pthread_self(), sizeof only, &only) == 0;
}

}  // namespace tactor::inline v0::host
