// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/report/deterministic_log.hpp"

#include <algorithm>
#include <limits>

namespace tactor::inline v0 {

using namespace internal;

namespace {

constexpr std::string_view head = "tactor-trace 1 forgotten=";
constexpr std::array<std::string_view, 3> kind_names{"scheduled", "fired", "cancelled"};

/// Returns what stands before the period of a job in a line.
std::string_view name_of_period(job_mode mode) {
  return mode == job_mode::fixed_rate ? " every_ns=" : " delay_ns=";
}

// Character by character: a target has no C library.
bool begins_with(std::string_view text, std::string_view word) {
  return text.size() >= word.size() && std::equal(word.begin(), word.end(), text.begin());
}

/// Reads a line from left to right. Keeps the first error.
class line_reader {
public:
  explicit line_reader(std::string_view line) noexcept : rest_(line) {}

  void expect(std::string_view text, const char* otherwise) noexcept {
    if (!take(text)) fail(otherwise);
  }

  /// Returns: whether `text` was next; then it has been read.
  bool take(std::string_view text) noexcept {
    if (!begins_with(rest_, text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  std::uint64_t number() noexcept {
    std::uint64_t value = 0;
    std::size_t digits = 0;
    for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits) {
      const auto digit = static_cast<std::uint64_t>(rest_[digits] - '0');
      if (value > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) {
        fail("a number does not fit 64 bits");
        return 0;
      }
      value = value * 10 + digit;
    }
    if (digits == 0) fail("a number is missing");
    rest_.remove_prefix(digits);
    return value;
  }

  log_entry_kind kind() noexcept {
    for (std::size_t i = 0; i < kind_names.size(); ++i) {
      if (!begins_with(rest_, kind_names[i])) continue;
      rest_.remove_prefix(kind_names[i].size());
      return static_cast<log_entry_kind>(i);
    }
    fail("a line begins with `scheduled`, `fired` or `cancelled`");
    return {};
  }

  void expect_end() noexcept {
    if (!rest_.empty()) fail("more text than a line holds");
  }

  void fail(const char* what) noexcept {
    if (error_ == nullptr) error_ = what;
    rest_ = {};
  }
  [[nodiscard]] const char* error() const noexcept { return error_; }

private:
  std::string_view rest_;
  const char* error_ = nullptr;
};

/// Removes the first line from `text`.
std::string_view take_line(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && text[end] != '\n')
    ++end;
  std::string_view line = text;  // no substr: it can throw, which a board cannot
  line.remove_suffix(text.size() - end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

log_entry read_entry(line_reader& line) {
  log_entry entry;
  entry.kind = line.kind();
  line.expect(" timer=", "` timer=` is missing");
  entry.timer = line.number();
  line.expect(" scheduled_at=", "` scheduled_at=` is missing");
  entry.scheduled_at = {line.number()};
  line.expect(" deadline=", "` deadline=` is missing");
  entry.deadline = {line.number()};
  line.expect(" at=", "` at=` is missing");
  entry.at = {line.number()};
  line.expect(" executor=", "` executor=` is missing");
  const std::uint64_t executor = line.number();
  if (executor > std::numeric_limits<std::uint32_t>::max()) {
    line.fail("an executor's number does not fit 32 bits");
  }
  entry.executor = static_cast<std::uint32_t>(executor);
  for (const job_mode mode : {job_mode::fixed_rate, job_mode::fixed_delay}) {
    if (!line.take(name_of_period(mode))) continue;
    entry.mode = mode;
    entry.period_ns = line.number();
  }
  line.expect_end();
  return entry;
}

}  // namespace

deterministic_log::deterministic_log(diagnostics& stream, storage memory) noexcept
    : stream_(&stream), entries_(memory.entries), timers_(memory.timers) {
  stream.attach(*this, scheduler_event_kind::scheduled | scheduler_event_kind::fired |
                           scheduler_event_kind::cancelled);
}

void deterministic_log::stop() noexcept {
  if (stream_ != nullptr) stream_->detach(*this);
  stream_ = nullptr;
}

void deterministic_log::note(const scheduler_event& event) noexcept {
  const auto kind = event.kind == scheduler_event_kind::scheduled ? log_entry_kind::scheduled
                    : event.kind == scheduler_event_kind::fired   ? log_entry_kind::fired
                                                                  : log_entry_kind::cancelled;
  log_entry entry{.kind = kind, .deadline = event.deadline, .at = event.at};
  entry.executor = number_of(event.executor);
  if (kind == log_entry_kind::scheduled) {
    entry.mode = event.mode;
    entry.period_ns = event.value;
  }
  if (logged_timer* const timer = find(event.job)) {
    if (kind == log_entry_kind::scheduled) timer->scheduled_at = event.at;
    if (kind != log_entry_kind::cancelled) timer->deadline = event.deadline;
    entry.timer = timer->number;
    entry.scheduled_at = timer->scheduled_at;
    entry.deadline = timer->deadline;
  }
  if (entries_.push_over_oldest(entry)) ++forgotten_;
}

/// A timer has the index of its record, the lower half of its id.
logged_timer* deterministic_log::find(std::uint64_t job) noexcept {
  const auto index = static_cast<std::uint32_t>(job);
  if (index == 0 || index > timers_.size()) return nullptr;
  logged_timer& timer = timers_[index - 1];
  if (timer.job != job) timer = {.job = job, .number = ++timers_seen_};
  return &timer;
}

std::uint32_t deterministic_log::number_of(const void* executor) noexcept {
  if (executor == nullptr) return 0;
  for (std::size_t i = 0; i < executors_.size(); ++i) {
    if (executors_[i] == nullptr) executors_[i] = executor;
    if (executors_[i] == executor) return static_cast<std::uint32_t>(i + 1);
  }
  return 0;
}

void deterministic_log::save(text_sink& to) const noexcept {
  text_writer out{to};
  out << head << forgotten_ << "\n";
  for (std::size_t i = 0; i < entries_.size(); ++i)
    out << entries_[i] << "\n";
}

std::optional<trace_difference>
deterministic_log::first_difference(const replay_trace& earlier) const noexcept {
  const std::uint64_t expected_end = earlier.forgotten + earlier.entries.size();
  const std::uint64_t actual_end = forgotten_ + entries_.size();
  const std::uint64_t begin = std::max(earlier.forgotten, forgotten_);
  for (std::uint64_t i = begin; i < std::max(expected_end, actual_end); ++i) {
    trace_difference found{.position = i, .expected = {}, .actual = {}};
    if (i < expected_end) {
      found.expected = earlier.entries[static_cast<std::size_t>(i - earlier.forgotten)];
    }
    if (i < actual_end) found.actual = entries_[static_cast<std::size_t>(i - forgotten_)];
    if (found.expected != found.actual) return found;
  }
  return std::nullopt;
}

std::expected<replay_trace, trace_error> load_trace(std::string_view text,
                                                    const std::span<log_entry>& storage) noexcept {
  replay_trace trace;
  std::size_t count = 0;
  line_reader first{take_line(text)};
  first.expect(head, "a trace begins with `tactor-trace 1 forgotten=`");
  trace.forgotten = first.number();
  first.expect_end();
  if (first.error() != nullptr)
    return std::unexpected{trace_error{.line = 1, .what = first.error()}};

  for (std::size_t number = 2; !text.empty(); ++number) {
    line_reader line{take_line(text)};
    const log_entry entry = read_entry(line);
    if (count == storage.size()) line.fail("more entries than the storage holds");
    if (line.error() != nullptr)
      return std::unexpected{trace_error{.line = number, .what = line.error()}};
    storage[count++] = entry;
  }
  trace.entries = storage.first(count);
  return trace;
}

text_writer& operator<<(text_writer& out, const log_entry& entry) noexcept {
  out << kind_names[static_cast<std::size_t>(entry.kind)] << " timer=" << entry.timer
      << " scheduled_at=" << entry.scheduled_at.count << " deadline=" << entry.deadline.count
      << " at=" << entry.at.count << " executor=" << entry.executor;
  if (entry.mode != job_mode::once) out << name_of_period(entry.mode) << entry.period_ns;
  return out;
}

text_writer& operator<<(text_writer& out, const trace_difference& difference) noexcept {
  const auto show = [&out](std::string_view label, const std::optional<log_entry>& entry) {
    out << label;
    if (entry) {
      out << *entry;
    } else {
      out << "nothing more";
    }
  };
  out << "entry " << difference.position << " differs\n";
  show("  expected: ", difference.expected);
  show("\n  actual:   ", difference.actual);
  return out << "\n";
}

}  // namespace tactor::inline v0
