// SPDX-License-Identifier: BSL-1.0
#include "tactor/command/options.hpp"

#include "tactor/version.hpp"

#include <CLI/CLI.hpp>

namespace command {
namespace {

constexpr auto path_help = "the path of the actor, /user/shop/desk or shop/desk, or its id";

CLI::App* add(CLI::App& to, const char* name, const char* what) {
  CLI::App* const command = to.add_subcommand(name, what);
  command->fallthrough();  // the options of all commands may follow its name
  return command;
}
void add_limit(CLI::App& to, options& into, const char* what) {
  to.add_option("--limit", into.limit, what)->check(CLI::Range(0, 1'000))->capture_default_str();
}
void add_order(CLI::App& to, options& into) {
  to.add_option("--order", into.order, "what the list is sorted by")
      ->check(
          CLI::IsMember({"path", "waiting", "suspended", "restarts", "handled", "busy", "oldest"}));
}

void add_lists(CLI::App& app, options& to) {
  CLI::App* const ps = add(app, "ps", "list actors");
  ps->add_option("path", to.path, "only actors in whose path this text occurs");
  ps->add_option("--state", to.state, "only actors in this state")
      ->check(CLI::IsMember({"running", "draining", "suspended", "stopping", "stopped"}));
  add_order(*ps, to);
  add_limit(*ps, to, "how many actors");
  ps->add_option("--offset", to.offset, "how many actors are left out first")
      ->check(CLI::Range(0, 10'000));

  CLI::App* const tree = add(app, "tree", "show actors below their parents");
  tree->add_option("path", to.path, "the path at the top");
  tree->add_option("--depth", to.depth, "how many levels below it; 0: all")
      ->check(CLI::Range(0, 1'000));
  add_limit(*tree, to, "how many actors");

  CLI::App* const show = add(app, "show", "show one actor with its figures and children");
  show->add_option("path", to.path, path_help)->required();
  add_limit(*show, to, "how many children");

  add(app, "workers", "show the threads that run actors, and what they handle now");
  add_limit(*add(app, "timers", "show timers"), to, "how many one-shot timers");
  add_limit(*add(app, "deadletters", "show the newest messages that no actor handled"), to,
            "how many");
  add_limit(*add(app, "failures", "show the newest failures of actors"), to, "how many");
  add(app, "shutdown", "show what still holds a system that stops");
}

void add_looks(CLI::App& app, options& to) {
  add(app, "diagnose", "say whether something is wrong, and what to do; exits with 1 if so");

  CLI::App* const top = add(app, "top", "show the system live");
  add_order(*top, to);
  top->add_option("--interval", to.interval, "seconds between two pictures")
      ->check(CLI::Range(0.1, 3'600.0))
      ->capture_default_str();
  top->add_flag("--once", to.once, "print one picture and end");

  CLI::App* const dump =
      add(app, "dump", "write everything that can be seen; with --json for `open`");
  dump->add_option("-o,--output", to.file, "the file to write to");
  CLI::App* const open =
      add(app, "open", "show a file that `dump` or --json has made, or what a board has sent");
  open->add_option("file", to.file, "the file; - is the standard input")->required();

  CLI::App* const trace = add(app, "trace", "record messages and write them to a file");
  trace->add_option("-o,--output", to.file, "the file to write to")->required();
  trace->add_option("--seconds", to.seconds, "for how long")
      ->check(CLI::Range(1, 60))
      ->capture_default_str();
  trace->add_option("--most", to.most, "how many messages at most")
      ->check(CLI::Range(1, 100'000))  // more than that a console refuses
      ->capture_default_str();
  trace->add_option("--path", to.path, "only actors at and below this path");
  trace->add_option("--message", to.message, "only messages of this type");
  trace->add_option("--every", to.every, "only every so many messages")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  trace->add_option("--format", to.format, "of the file")
      ->check(CLI::IsMember({"chrome", "otlp"}))
      ->capture_default_str();
}

void add_actions(CLI::App& app, options& to) {
  for (const auto& [name, what] :
       {std::pair{"suspend", "suspend an actor: it handles no messages"},
        std::pair{"resume", "let a suspended actor go on"}, std::pair{"stop", "stop an actor"},
        std::pair{"restart", "replace an actor by a new instance"}})
    add(app, name, what)->add_option("path", to.path, path_help)->required();
  CLI::App* const level = add(app, "level", "show or change what is measured and logged");
  level->add_option("--metrics", to.metrics_level, "what is measured")
      ->check(CLI::IsMember({"off", "system", "actor", "trace"}));
  level->add_option("--log", to.log_level, "what is logged")
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
  add(app, "run", "start an action of the program, or list its actions")
      ->add_option("action", to.action, "its name");
  add(app, "demo", "run a small program with a console, to try this command and the page")
      ->add_option("--seconds", to.length, "for how long; 0: until Ctrl-C")
      ->check(CLI::Range(0, 86'400))
      ->capture_default_str();
}

}  // namespace

std::unique_ptr<CLI::App> make_options(options& to) {
  auto app = std::make_unique<CLI::App>(
      "Looks into a running program that uses tactor, through its console.", "tactor");
  app->require_subcommand(1);
  app->set_version_flag("--version", [] {
    const auto& is = tactor::version;
    return "tactor " + std::to_string(is.major) + "." + std::to_string(is.minor) + "." +
           std::to_string(is.patch);
  });
  app->add_option(
      "--to", to.to,
      "the console: the path of its socket, or 127.0.0.1:PORT; default: the only console "
      "of this user");
  app->add_option("--token", to.token, "the console's token, for actions; default: TACTOR_TOKEN");
  app->add_flag("--json", to.json, "print JSON, one object in a line");
  add_lists(*app, to);
  add_looks(*app, to);
  add_actions(*app, to);
  return app;
}

}  // namespace command
