#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""docs/settings.md: every setting, its default and its limits, read from the code.

    tools/settings.py write      writes the page
    tools/settings.py check      fails if the page is out of date

A setting is a member of one of the ROOTS, or of a struct that such a member has. Its meaning is the comment at the
member, or that of its type, of a member with that name, or of its struct; its limits are the texts with which the code refuses a value.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "settings.md"
# struct -> how it is given; members whose type is a struct of these tables are listed below it
ROOTS = {
    "system_config": "Systems: `actor_system system{{.workers = 4}};`, also `cooperative_system` and `testkit::simulation`",
    "realtime_config": "Timers without actors: `realtime_scheduler::start({.callable_threads = 2})`",
    "console_options": "A console: `start_console(system, {.address = \"127.0.0.1:0\"})`",
    "spawn_options": "Actors: `system.spawn<shop>({.name = \"shop\", .mailbox = {.capacity = 100}}, prices);`",
    "restart": "Restarts: `.on_failure = tactor::restart{.max_restarts = 3}`",
    "once_options": "One-shot timers: `system.timers().schedule_once(1s, callable, {.priority = timer_priority::low})`",
    "periodic_options": "Periodic timers",
    "rate": "Rate limiters: `tactor::rate_limiter limit{{.tokens = 10, .per = 1s}};`",
    "adaptive_workers": "Workers at run time: `system.adapt({.least = 1, .most = 8})`",
    "health_limits": "Warnings of the metrics: `find_warnings(before, after, {.restarts = 5})`",
    "pool_options": "Pools of workers: `patterns::spawn_pool<parser>(system, {.workers = 8}, patterns::round_robin{})`",
    "breaker_options": "Circuit breakers: `patterns::circuit_breaker breaker{{.max_failures = 3}};`",
    "tcp_limits": "TCP connections of the Asio component: `tcp_listener::listen(io, address, port, {.queue = 4096})`",
}
CONFIGS = ("system_config", "realtime_config")  # whose settings the code names without a struct
STRUCT = re.compile(r"((?:^///[^\n]*\n)*)^struct (\w+) \{\n(.*?)^\};", re.M | re.S)
MEMBER = re.compile(r"^  (?!static|using|\[\[|///)([\w:<>*, ]+?[>*& ])(\w+)(?: = (.*?))?;(?: +// (.*))?$")
ENUM = re.compile(r"((?:^///[^\n]*\n)*)^enum class (\w+) : [\w:]+ \{(.*?)\};", re.M | re.S)
REFUSED = re.compile(r'(?:\.setting = |refuse\()"([\w.]+)"([^;]*);')
MUST = re.compile(r'"((?:mailbox|restart)\.[\w.]+) must (?:be )?([^"]*)"')
NOT_A_LIMIT = ("as many as", "an enumerator of")  # depends on the machine; the enumerators are listed


def sources(root):
    for file in sorted((root / "src" / "tactor").rglob("*.?pp")):
        if ".test." not in file.name and ".model." not in file.name:
            yield file.read_text(encoding="utf-8")


def members(body):
    """(type, name, default, meaning) of each member of a struct."""
    comment, lines = [], iter(re.sub(r"=\n +", "= ", body).split("\n"))
    for line in lines:
        if line.startswith("  /// "):
            comment.append(line[6:])
            continue
        found = MEMBER.match(line)
        if found and "(" not in found[1]:
            kind, name, default, note = found.groups()
            yield kind.strip(), name, default or "", " ".join(comment) or note or ""
        comment = []


def meaning(text):
    """The first sentence; the first two where the first only names a special value."""
    sentences = re.findall(r".*?\.(?= |$)|.+$", text)
    said = "".join(sentences[: 2 if re.match(r"[Nn]ull:", text) else 1]).strip().rstrip(".")
    return (said[:1].upper() + said[1:]).replace("|", "\\|")


def default_text(kind, default):
    unit = re.fullmatch(r"std::chrono::(\w+)\{(\d+)\}", default)
    if unit:
        return f"{unit[2]} {unit[1] if unit[2] != '1' else unit[1].rstrip('s')}"
    if default in ("", "{}"):
        if kind.startswith("std::optional"):
            return "nothing"
        return {"duration": "0", "std::string_view": "empty"}.get(kind, "none")
    return f"`{default}`"


def limits_of(texts):
    """Setting, as the code names it -> what is allowed."""
    found = {}
    for text in texts:
        joined = re.sub(r'"\s*\n\s*"', "", text)
        said = [(name, (re.findall(r'"([^"]*)"', rest) or [""])[-1]) for name, rest in REFUSED.findall(joined)]
        said += [(name, rule.replace("not be ", "not ")) for name, rule in MUST.findall(joined)]
        for name, allowed in said:
            if allowed and not allowed.startswith(NOT_A_LIMIT) and allowed not in found.setdefault(name, []):
                found[name].append(allowed)
    return found


def rows(struct, structs, prefix=""):
    for kind, name, default, text in members(structs[struct]):
        inner = kind.removeprefix("tactor::")
        if inner in structs and inner != struct and inner not in ROOTS:
            yield from rows(inner, structs, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", inner, default_text(kind, default), meaning(text), struct


def page(root):
    texts = list(sources(root))
    nested = [re.sub(r"^  ", "", text, flags=re.M) for text in texts]  # a struct inside a class
    structs = {name: body for text in nested for _, name, body in STRUCT.findall(text) if name in ROOTS}
    structs |= {name: body for text in texts for _, name, body in STRUCT.findall(text)}
    enums = {name: re.findall(r"\w+", re.sub(r"//.*| = [^,}]*", "", body))
             for text in texts for _, name, body in ENUM.findall(text)}
    about = {name: meaning(re.sub(r"\s*///\s*", " ", comment).strip())
             for text in texts for pattern in (STRUCT, ENUM) for comment, name, _ in pattern.findall(text)}
    same_name = {name: text for struct in ROOTS if struct in structs for name, *_, text, _ in rows(struct, structs) if text}
    limits = limits_of(texts)
    lines = ["# Settings", "",
             "Every setting with its default and its limits. `tools/settings.py write` makes this page from the code; `make lint`",
             "fails when it is out of date. A value outside of the limits is refused with an error that names the setting."]
    for struct, title in ROOTS.items():
        if struct not in structs:
            continue
        lines += ["", f"## {struct}", "", f"{title}.", "", "| setting | default | limits | meaning |", "|---|---|---|---|"]
        for name, kind, default, text, within in rows(struct, structs):
            full = f".{struct}.{name}"
            allowed = [each for key, all_of in limits.items() if full.endswith(f".{key}") for each in all_of
                       if "." in key or struct in CONFIGS]
            allowed += [f"`{each}`" for each in enums.get(kind, [])]
            text = text or about.get(kind) or same_name.get(name) or about.get(within, "")
            lines.append(f"| `{name}` | {default} | {', '.join(allowed)} | {text} |")
    return "\n".join([*lines, ""])


def main(arguments):
    if arguments not in (["write"], ["check"]):
        print(__doc__)
        return 2
    made = page(ROOT)
    if arguments == ["write"]:
        PAGE.write_text(made, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != made:
        print(f"{PAGE.name} is out of date: run tools/settings.py write")
        return 1
    print(f"settings: {made.count('| `')} on {PAGE.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
