// SPDX-License-Identifier: BSL-1.0
#include "screen/terminal.hpp"

#include "screen/canvas.hpp"
#include <signal.h>  // sigaction is not in <csignal>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace showcase {
namespace {

volatile sig_atomic_t interrupts = 0;

// Single-threaded, and the environment does not change.
std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno != EINTR) return;  // the terminal is gone; no one to report to
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

bool has_terminal() {
  const std::string_view kind = environment("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && !kind.empty() && kind != "dumb";
}

terminal_size size_of_terminal() {
  terminal_size size{.rows = 24, .columns = 80};
  winsize window{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 && window.ws_row > 0) {
    size = {.rows = window.ws_row, .columns = window.ws_col};
  }
  const std::string_view narrower = environment("COLUMNS");
  std::size_t columns = 0;
  const auto [end, error] =
      std::from_chars(narrower.data(), narrower.data() + narrower.size(), columns);
  if (error == std::errc{} && columns > 0) size.columns = std::min(size.columns, columns);
  return size;
}

colours wanted_colours() {
  return environment("NO_COLOR").empty() ? colours::on : colours::off;
}

void catch_interrupts() {
  struct sigaction action{};
  action.sa_handler = [](int) { interrupts = 1; };
  for (const int signal : std::array{SIGINT, SIGTERM, SIGHUP})
    ::sigaction(signal, &action, nullptr);
}

bool interrupted() {
  return interrupts != 0;
}

second_screen::second_screen() {
  ::signal(SIGTSTP, SIG_IGN);  // Ctrl-Z would leave the shell on this screen
  write_all("\x1b[?1049h\x1b[?25l\x1b[2J");
}

second_screen::~second_screen() {
  write_all("\x1b[0m\x1b[?25h\x1b[?1049l");
  ::signal(SIGTSTP, SIG_DFL);
}

void second_screen::show(std::span<const std::string> lines) {
  std::string frame = "\x1b[H";
  for (const std::string& line : lines) {
    if (&line != lines.data()) frame += "\r\n";
    frame += "\x1b[K" + line;  // cleared first: after a full line it would take the last character
  }
  write_all(frame + "\x1b[J");
}

}  // namespace showcase
