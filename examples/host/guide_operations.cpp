// SPDX-License-Identifier: BSL-1.0
// The code of docs/guide/operations.md.
#include "tactor/host.hpp"

#include <chrono>
#include <cstdio>
#include <string_view>

using namespace std::chrono_literals;

struct job {};

class worker : public tactor::actor<job> {
public:
  void receive(tactor::context&, const job&) {}
};

/// Writes to a file: a text_sink may be anything that takes text.
class file_sink final : public tactor::text_sink {
public:
  explicit file_sink(std::FILE* to) : to_(to) {}
  void write(std::string_view piece) noexcept override {
    std::fwrite(piece.data(), 1, piece.size(), to_);
  }

private:
  std::FILE* to_;
};

/// One line for each measurement, in the form of Prometheus.
void write_metrics(const tactor::metrics_snapshot& now, tactor::text_sink& to) {
  for (const tactor::metric& each : tactor::metric_table) {
    to.write("# HELP tactor_");
    for (const char letter : each.name)
      to.write(letter == '.' ? "_" : std::string_view{&letter, 1});
    to.write(" ");
    to.write(each.help);
    to.write("\ntactor_");
    for (const char letter : each.name)
      to.write(letter == '.' ? "_" : std::string_view{&letter, 1});
    char value[32];
    std::snprintf(value, sizeof value, " %llu\n", static_cast<unsigned long long>(each.total(now)));
    to.write(value);
  }
}

/// To a log of one's own: it must not wait for anything.
void log_to_stdout(const tactor::log_record& record) noexcept {
  std::printf("%s %.*s %.*s\n", to_text(record.level), static_cast<int>(record.actor.size()),
              record.actor.data(), static_cast<int>(record.text.size()), record.text.data());
}

int main() {
  tactor::actor_system system{
      {.name = "shop", .log = {.sink = log_to_stdout, .min_level = tactor::log_level::info}}};
  const auto first = system.spawn<worker>("first");
  first.tell(job{});

  file_sink out{stdout};
  write_metrics(system.metrics(), out);
  system.dump(tactor::dump_format::text, out);

  const tactor::shutdown_report report = system.shutdown(5s);
  return report.exit_status();
}
