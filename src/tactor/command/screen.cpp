// SPDX-License-Identifier: BSL-1.0
#include "tactor/command/screen.hpp"

#include <poll.h>
#include <signal.h>  // sigaction is not in <csignal>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>

namespace command {
namespace {

volatile sig_atomic_t has_to_end = 0;

struct caught_signal {
  int number;
  struct sigaction before;
};
std::array<caught_signal, 4> caught{{{SIGINT, {}}, {SIGQUIT, {}}, {SIGTERM, {}}, {SIGHUP, {}}}};
struct sigaction stop_before{};
termios settings_before{};

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno != EINTR) return;  // the terminal is gone
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

screen_size size_of_screen() {
  winsize window{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0 || window.ws_row == 0)
    return {};
  return {.rows = window.ws_row, .columns = window.ws_col};
}

bool has_screen() {
  const char* const kind = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe): one thread
  const std::string_view name = kind == nullptr ? "" : kind;
  return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1 && !name.empty() &&
         name != "dumb";
}

screen::screen() {
  has_to_end = 0;
  struct sigaction action{};
  action.sa_handler = [](int) { has_to_end = 1; };
  for (caught_signal& each : caught)
    ::sigaction(each.number, &action, &each.before);
  struct sigaction ignored{};
  ignored.sa_handler = SIG_IGN;  // Ctrl-Z would leave the shell on this screen
  ::sigaction(SIGTSTP, &ignored, &stop_before);
  ::tcgetattr(STDIN_FILENO, &settings_before);
  termios keys = settings_before;
  keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  keys.c_cc[VMIN] = 0;
  keys.c_cc[VTIME] = 0;
  ::tcsetattr(STDIN_FILENO, TCSANOW, &keys);
  write_all("\x1b[?1049h\x1b[?25l\x1b[2J");
}

screen::~screen() {
  write_all("\x1b[0m\x1b[?25h\x1b[?1049l");
  ::tcsetattr(STDIN_FILENO, TCSANOW, &settings_before);
  ::sigaction(SIGTSTP, &stop_before, nullptr);
  for (const caught_signal& each : caught)
    ::sigaction(each.number, &each.before, nullptr);
}

void screen::show(std::span<const std::string> rows) {
  std::string frame = "\x1b[H";
  for (const std::string& row : rows) {
    if (&row != rows.data()) frame += "\r\n";
    frame += "\x1b[K" + row;  // cleared first: after a full line it would take the last character
  }
  write_all(frame + "\x1b[J");
}

std::optional<char> screen::next_key(std::chrono::milliseconds within) {
  if (has_to_end != 0) return 'q';
  pollfd keyboard{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  const int ready = ::poll(&keyboard, 1, static_cast<int>(within.count()));
  if (has_to_end != 0) return 'q';
  if (ready <= 0) return std::nullopt;
  char key = 0;
  const ssize_t size = ::read(STDIN_FILENO, &key, 1);
  if (size == 1) return key;
  return size == 0 || errno == EIO ? std::optional{'q'} : std::nullopt;  // the terminal is gone
}

}  // namespace command
