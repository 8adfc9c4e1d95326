// SPDX-License-Identifier: BSL-1.0
#include "showcase/metrics_file.hpp"

#include <array>
#include <cerrno>
#include <cstring>

namespace showcase {
namespace {

unsigned long long as_printed(std::uint64_t number) {
  return number;
}

}  // namespace

metrics_file::metrics_file(tactor::actor_system& system, const std::string& path)
    : system_(system), file_(path.empty() ? nullptr : std::fopen(path.c_str(), "w")) {
  if (file_) {
    system_.send_metrics_to(this);
  } else if (!path.empty()) {
    std::fprintf(stderr, "showcase: no metrics: %s: %s\n", path.c_str(), std::strerror(errno));
  }
}

metrics_file::~metrics_file() {
  if (!file_) return;
  system_.send_metrics_to(nullptr);  // returns when the last one is written
  if (lost_ != 0)
    std::fprintf(stderr, "showcase: %llu lines of metrics could not be written\n",
                 as_printed(lost_));
}

void metrics_file::take(const tactor::metrics_report& figures) noexcept {
  const tactor::metrics_snapshot& sums = figures.sums;
  std::array<char, 1024> line{};
  const int length = std::snprintf(
      line.data(), line.size(),
      "{\"time_ns\":%llu,\"messages_sent\":%llu,\"messages_handled\":%llu,\"dead_letters\":%llu,"
      "\"failures\":%llu,\"restarts\":%llu,\"suspensions\":%llu,\"actors\":%llu,"
      "\"ready_queue_depth\":%llu,\"timers\":%llu,\"latency_p50_ns\":%llu,\"latency_p99_ns\":%llu,"
      "\"handler_p99_ns\":%llu}\n",
      as_printed(figures.time_ns), as_printed(sums.messages_sent),
      as_printed(sums.messages_handled), as_printed(sums.all_dead_letters()),
      as_printed(sums.failures), as_printed(sums.restarts), as_printed(sums.suspensions),
      as_printed(sums.actors_started - sums.actors_stopped), as_printed(sums.ready_queue_depth),
      as_printed(sums.timers.active_total), as_printed(figures.latency.quantile(500)),
      as_printed(figures.latency.quantile(990)), as_printed(figures.invoke_duration.quantile(990)));
  const auto size = static_cast<std::size_t>(length);
  const bool written = std::fwrite(line.data(), 1, size, file_.get()) == size;
  if (std::fflush(file_.get()) != 0 || !written) {
    std::clearerr(file_.get());
    ++lost_;
  }
}

}  // namespace showcase
