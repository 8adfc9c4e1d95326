// SPDX-License-Identifier: BSL-1.0
#include "tactor/command/run.hpp"

#include "tactor/command/address.hpp"
#include "tactor/command/console.hpp"
#include "tactor/command/demo.hpp"
#include "tactor/command/fields.hpp"
#include "tactor/command/options.hpp"
#include "tactor/command/printable.hpp"
#include "tactor/command/screen.hpp"
#include "tactor/command/stored.hpp"
#include "tactor/command/top.hpp"
#include "tactor/command/views.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace command {
namespace {

using nlohmann::json;

bool is_id(std::string_view text) {
  return text.contains('.') && std::ranges::all_of(text, [](char each) {
           return each == '.' || (each >= '0' && each <= '9');
         });
}
/// Returns: the whole path; "shop/desk" is below "/user". For an id the number, "$5.1".
std::string full_path(const std::string& path) {
  if (is_id(path)) return "$" + path;
  if (path.starts_with('$')) return path;
  return path.empty() || path.starts_with('/') ? path : "/user/" + path;
}

int complain(const surroundings& around, const problem& about) {
  around.errors << "tactor: " << about.text << '\n';
  return about.status;
}

void print(const surroundings& around, const lines& text) {
  for (const std::string& each : text)
    around.out << each << '\n';
}

/// One run of a command that needs a console.
class session {
public:
  session(const options& wanted, console of, const surroundings& around)
      : wanted_(wanted), console_(std::move(of)), around_(around) {}

  int run(const std::string& name) {
    if (name == "diagnose") return diagnose();
    if (name == "top") return show_top();
    if (name == "dump") return dump();
    if (name == "trace") return trace();
    if (name == "level") return level();
    if (name == "run") return run_action();
    if (name == "suspend" || name == "resume" || name == "stop" || name == "restart")
      return act(name);
    return list(name);
  }

private:
  int complain(const problem& about) const { return command::complain(around_, about); }
  /// Prints the JSON if the user wants it; otherwise `print_text` prints.
  template <class PrintText>
  int report(const json& part, PrintText print_text) const {
    if (wanted_.json) {
      around_.out << one_line(part) << '\n';
    } else {
      print_text();
    }
    return 0;
  }

  int list(const std::string& name) {
    const std::string part_name = name == "ps"            ? "actors"
                                  : name == "show"        ? "actor"
                                  : name == "deadletters" ? "dead_letters"
                                                          : name;
    query asked;
    if (name == "ps") {
      asked = {{"path", wanted_.path},
               {"state", wanted_.state},
               {"order", wanted_.order},
               {"offset", wanted_.offset == 0 ? "" : std::to_string(wanted_.offset)}};
    } else {
      const bool all_levels = wanted_.depth == 0;  // otherwise they are counted from /user
      asked = {{"path", wanted_.path.empty() && !all_levels ? "/user" : full_path(wanted_.path)},
               {"depth", all_levels ? "" : std::to_string(wanted_.depth)}};
    }
    if (name != "workers") asked.emplace_back("limit", std::to_string(wanted_.limit));
    const auto part = console_.part(part_name, asked);
    if (!part) return complain(part.error());
    const std::string path = full_path(wanted_.path);
    const bool is_below = path.starts_with("/user/");  // an actor, and not all of them
    const bool no_branch = name == "tree" && is_below && number_in(*part, "matching") == 0U;
    if (no_branch || (name == "show" && !field(*part, "actor").is_object()))
      return complain({.text = "there is no actor " + printable(path), .status = problem::refused});
    return report(*part, [&] { print(around_, view_of(*part)); });
  }

  int diagnose() {
    const auto system = console_.part("system");
    if (!system) return complain(system.error());
    const auto warnings = console_.part("warnings");
    if (!warnings) return complain(warnings.error());
    const std::size_t count = list_in(*warnings, "warnings").size();
    (void)report(*warnings, [&] {
      if (count > 0) return print(around_, warnings_view(*warnings));
      around_.out << printable("healthy: " + text_in(*system, "name") + ", " +
                               text_in(*system, "phase"))
                  << ", " << number_in(*system, "actors").value_or(0) << " actors\n";
    });
    return count == 0 ? 0 : 1;
  }

  int show_top() {
    const std::string order = wanted_.order.empty() ? "waiting" : wanted_.order;
    if (wanted_.once) {
      const auto now = sample_top(console_, order);
      if (!now) return complain(now.error());
      if (!wanted_.json) {
        print(around_, top_picture(*now, nullptr, size_of_screen()));
        return 0;
      }
      for (const json* each : {&now->system, &now->workers, &now->actors, &now->warnings})
        around_.out << one_line(*each) << '\n';
      return 0;
    }
    if (wanted_.json) return complain({.text = "top shows pictures: --json needs --once"});
    if (!has_screen()) return complain({.text = "top needs a terminal; --once prints one picture"});
    const auto interval =
        std::chrono::milliseconds{static_cast<std::int64_t>(wanted_.interval * 1'000)};
    const auto done = top(console_, order, interval);
    return done ? 0 : complain(done.error());
  }

  int dump() {
    std::string text;
    if (wanted_.json) {
      auto all = everything(console_);
      if (!all) return complain(all.error());
      text = std::move(*all);
    } else {
      const auto page = console_.text("dump");
      if (!page) return complain(page.error());
      text = printable_lines(*page);
    }
    if (wanted_.file.empty()) {
      around_.out << text;
      return 0;
    }
    const auto written = write_file(wanted_.file, text);
    return written ? 0 : complain(written.error());
  }

  int act(const std::string& name) {
    const json with =
        is_id(wanted_.path) ? json{{"id", wanted_.path}} : json{{"path", full_path(wanted_.path)}};
    const auto done = console_.act(name, with);
    if (!done) return complain(done.error());
    return report(*done, [&] {
      around_.out << "done: " << name << ' ' << printable(text_in(*done, "path")) << " ("
                  << printable(text_in(*done, "id")) << ")\n";
    });
  }

  /// Starts an action of the program. Without a name it lists the actions.
  int run_action() {
    if (wanted_.action.empty()) {
      const auto part = console_.part("console");
      if (!part) return complain(part.error());
      return report(field(*part, "program_actions"), [&] { print(around_, actions_view(*part)); });
    }
    const auto done = console_.act("run", {{"name", wanted_.action}});
    if (!done) return complain(done.error());
    return report(*done,
                  [&] { around_.out << "done: " << printable(text_in(*done, "name")) << '\n'; });
  }

  int level() {
    json with = json::object();
    if (!wanted_.metrics_level.empty()) with["metrics_level"] = wanted_.metrics_level;
    if (!wanted_.log_level.empty()) with["log_level"] = wanted_.log_level;
    const auto now = with.empty() ? console_.part("console") : console_.act("settings", with);
    if (!now) return complain(now.error());
    return report(*now, [&] {
      around_.out << "metrics " << printable(text_in(*now, "metrics_level")) << ", log "
                  << printable(text_in(*now, "log_level")) << '\n';
    });
  }

  int trace() {
    json with{{"seconds", wanted_.seconds}, {"most", wanted_.most}, {"every", wanted_.every}};
    if (!wanted_.path.empty()) with["path"] = full_path(wanted_.path);
    if (!wanted_.message.empty()) with["message"] = wanted_.message;
    if (const auto writable = check_writable(wanted_.file); !writable)
      return complain(writable.error());  // before the user waits for it
    if (const auto started = console_.act("trace", with); !started)
      return complain(started.error());
    around_.errors << "recording for " << wanted_.seconds << " s\n" << std::flush;
    around_.wait(std::chrono::seconds{wanted_.seconds});
    const auto recorded = console_.text("trace", {{"format", wanted_.format}});
    if (!recorded) return complain(recorded.error());
    if (const auto written = write_file(wanted_.file, *recorded); !written)
      return complain(written.error());
    around_.out << "wrote " << recorded->size() << " bytes to " << printable(wanted_.file) << '\n';
    return 0;
  }

  const options& wanted_;
  console console_;
  const surroundings& around_;
};

/// Returns: false for a token that would be another header, because it has a line break.
bool is_token(std::string_view text) {
  return std::ranges::all_of(text, [](char each) { return each > ' ' && each < '\x7f'; });
}

/// Returns: the word that stands in place of a command; empty: none, or a command.
std::string unknown_command(const CLI::App& app) {
  if (!app.get_subcommands().empty()) return {};
  for (const std::string& each : app.remaining())
    if (!each.starts_with('-')) return each;
  return {};
}

result<console> console_for(const options& wanted, const surroundings& around) {
  const std::string& token = wanted.token.empty() ? around.token : wanted.token;
  if (!is_token(token))
    return std::unexpected{
        problem{.text = "the token has characters that no token has; is it cut or quoted?"}};
  if (!wanted.to.empty()) {
    const auto given = parse_address(wanted.to);
    if (!given) return std::unexpected{problem{.text = printable(given.error())}};
    return console{*given, token};
  }
  const auto only_one = find_console(around.folder);
  if (!only_one) return std::unexpected{only_one.error()};
  return console{*only_one, token};
}

}  // namespace

int run(int count, const char* const* arguments, const surroundings& around) {
  options wanted;
  const std::unique_ptr<CLI::App> app = make_options(wanted);
  try {
    app->parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    const std::string unknown = unknown_command(*app);
    if (!unknown.empty())
      return complain(
          around, {.text = "there is no command '" + printable(unknown) + "'; --help lists them"});
    return app->exit(error, around.out, around.errors) == 0 ? 0 : problem::no_answer;
  }
  const std::string name = app->get_subcommands().front()->get_name();
  if (name == "open") {
    const auto opened = open_file(wanted.file, around.in);
    if (!opened) return complain(around, opened.error());
    if (wanted.json) {
      for (const json& each : opened->parts)
        around.out << one_line(each) << '\n';
    } else {
      print(around, stored_view(*opened));
    }
    return 0;
  }
  if (name == "demo") return demo(around, std::chrono::seconds{wanted.length});
  auto target = console_for(wanted, around);
  if (!target) return complain(around, target.error());
  return session{wanted, std::move(*target), around}.run(name);
}

}  // namespace command
