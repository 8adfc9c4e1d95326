// SPDX-License-Identifier: BSL-1.0
// The code of docs/guide/operations.md.
#include "tactor/host.hpp"
#include "tactor/observe.hpp"

#include <chrono>
#include <cstdio>
#include <string_view>

using namespace std::chrono_literals;

struct job {};

class worker : public tactor::actor<job> {
public:
  void receive(tactor::context&, const job&) {}
};

/// Writes text to a file.
class file_sink final : public tactor::text_sink {
public:
  explicit file_sink(std::FILE* to) : to_(to) {}
  void write(std::string_view piece) noexcept override {
    std::fwrite(piece.data(), 1, piece.size(), to_);
  }

private:
  std::FILE* to_;
};

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
  tactor::write_prometheus(system.full_metrics(), out);
  system.dump(tactor::dump_format::text, out);
  system.write_snapshot(
      {.part = tactor::snapshot_part::actors, .order = tactor::actor_order::waiting, .limit = 20},
      out);

  const tactor::shutdown_report report = system.shutdown(5s);
  return report.exit_status();
}
