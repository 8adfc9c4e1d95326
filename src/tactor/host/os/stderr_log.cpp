// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/os/stderr_log.hpp"

#include "tactor/base/text_writer.hpp"
#include "tactor/core/observe/log_record.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <string_view>

namespace tactor::inline v0::internal {
namespace {

/// Collects a line, then writes it as a whole.
class line final : public text_sink {
public:
  void write(std::string_view piece) noexcept override {
    const std::size_t fits = std::min(piece.size(), text_.size() - size_);
    std::copy_n(piece.begin(), fits, text_.begin() + size_);
    size_ += fits;
    cut_ = cut_ || fits != piece.size();
  }

  void send(int file) noexcept {
    constexpr std::string_view ending = "...\n";
    if (cut_) std::copy(ending.begin(), ending.end(), text_.end() - ending.size());
    std::string_view rest{text_.data(), size_};
    while (!rest.empty()) {
      const auto written = ::write(file, rest.data(), rest.size());
      if (written < 0 && errno != EINTR) return;  // the error cannot be reported
      if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
    }
  }

private:
  // Not initialised: only the first size_ bytes are read, or all of them.
  std::array<char, 4096> text_;
  std::size_t size_ = 0;
  bool cut_ = false;
};

}  // namespace

void write_to_stderr(const log_record& record) noexcept {
  const int before = errno;  // the caller may be about to read it
  line text;
  write_line(text, record);
  text.send(STDERR_FILENO);
  errno = before;
}

}  // namespace tactor::inline v0::internal
