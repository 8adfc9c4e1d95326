#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Fails when a file includes a header that its folder may not include.

    tools/check_layers.py src/tactor

Tests (`*.test.cpp`, `*.model.cpp`) may include anything, so they are not checked.
"""
import pathlib
import re
import sys

# folder -> folders it may include, besides itself. The longest matching folder wins.
BELOW_CORE = ["base", "port"]
MAY_INCLUDE = {
    "port": [],
    "base": ["port"],
    "core/message": BELOW_CORE,
    "core/supervision": BELOW_CORE,
    "core/observe": ["core/message", *BELOW_CORE],
    "core/timing": BELOW_CORE,
    "core/mailbox": ["core/observe", "core/message", *BELOW_CORE],
    "core/scheduler/report": ["core/timing", *BELOW_CORE],
    "core/scheduler/job": ["core/scheduler/report", "core/timing", "core/message", *BELOW_CORE],
    "core/scheduler": ["core/scheduler/job", "core/scheduler/report", "core/timing", "core/observe", "core/message",
                       *BELOW_CORE],
    "core/dispatch": ["core/mailbox", "core/observe", "core/message", *BELOW_CORE],
    "core/actor/cell": ["core/dispatch", "core/mailbox", "core/supervision", "core/observe", "core/message", *BELOW_CORE],
    "core/actor/runtime": ["core/actor/cell", "core/dispatch", "core/mailbox", "core/message", *BELOW_CORE],
    "core/actor/delivery": ["core/actor/runtime", "core/actor/cell", "core/scheduler", "core/dispatch", "core/mailbox", "core/observe", "core/message",
                            *BELOW_CORE],
    "core/actor/waiting": ["core/actor/delivery", "core/actor/runtime", "core/actor/cell", "core/scheduler", "core/dispatch",
                           "core/message", *BELOW_CORE],
    "core/actor/definition": ["core/actor/delivery", "core/actor/cell", "core/supervision", "core/message", *BELOW_CORE],
    "core/actor/lifecycle/extras": ["core/actor/waiting", "core/actor/delivery", "core/actor/runtime", "core/actor/cell", "core/scheduler",
                                    "core/timing", "core/mailbox", "core/message", *BELOW_CORE],
    "core/actor/lifecycle": ["core/actor/lifecycle/extras", "core/actor/definition", "core/actor/waiting", "core/actor/delivery", "core/actor/runtime", "core/actor/cell", "core/scheduler",
                             "core/dispatch", "core/mailbox", "core/timing", "core/supervision", "core/observe",
                             "core/message", *BELOW_CORE],
    "core/actor/task": ["core/actor", "core/scheduler", "core/timing", "core/supervision", "core/message", *BELOW_CORE],
    "core/actor/turn": ["core/actor/lifecycle", "core/actor/lifecycle/extras", "core/actor/waiting", "core/actor/delivery", "core/actor/runtime", "core/actor/cell", "core/scheduler", "core/dispatch",
                        "core/mailbox", "core/supervision", "core/observe", "core/message", *BELOW_CORE],
    "core/actor": ["core/actor/lifecycle", "core/actor/lifecycle/extras", "core/actor/definition", "core/actor/waiting", "core/actor/delivery", "core/actor/runtime", "core/actor/cell",
                   "core/scheduler", "core/dispatch", "core/supervision", "core/observe", "core/message",
                   *BELOW_CORE],
    "core/system/naming": ["core/actor/runtime", "core/actor/cell", "core/observe", "core/message", *BELOW_CORE],
    "core/system": ["core", *BELOW_CORE],
    "core/system/loop": ["core", *BELOW_CORE],
    "host/os": ["core/timing", "core/observe", "core/message", *BELOW_CORE],
    "host/trace": ["core/system", "core/actor", "core/scheduler", "core/timing", "core/observe", "core/message", *BELOW_CORE],
    "host/metrics": ["core/system", "core/actor", "core/observe", *BELOW_CORE],
    "host/workers": ["host/metrics", "host/trace", "host/os", "core/system", "core/actor", "core/dispatch", "core/observe", "core/message",
                     *BELOW_CORE],
    "host/timers": ["host/os", "core/scheduler", "core/timing", "core/observe", "core/message", *BELOW_CORE],
    "host/snapshot": ["host", "host/trace", "core/system", "core/scheduler", "core/dispatch", "core/observe", *BELOW_CORE],
    "host": ["host/metrics", "host/trace", "host/workers", "host/timers", "host/os", "core/system", "core/actor", "core/scheduler",
             "core/dispatch", "core/timing", "core/supervision", "core/observe", "core/message", *BELOW_CORE],
    "bare": ["core", *BELOW_CORE],
    "testkit/memory": ["core", *BELOW_CORE],
    "testkit": ["testkit/memory", "core", *BELOW_CORE],
    "patterns": ["actor.hpp", "coroutine.hpp", "port"],  # the public names only
    "asio": ["coroutine.hpp", "to_actor.hpp", "host", "port"],  # the public names, and names for its threads
    "console/request": ["host/snapshot", "port"],
    "console": ["console/request", "host", "core", *BELOW_CORE],
}
FOR_EVERYONE = {"version.hpp"}

# Headers that need an operating system, exceptions, RTTI or the heap stay out of base and core.
BANNED = {"atomic", "condition_variable", "exception", "functional", "iostream", "mutex", "thread", "typeinfo"}
# One owner, no actors, so nothing to synchronise.
WITHOUT_ATOMICS = ("core/timing/", "core/supervision/")
READ_BY_OTHERS = ("core/timing/timer_entry.hpp",)  # the rank of an entry: any thread that knows it

SUFFIXES = {".hpp", ".cpp", ".h", ".c", ".cc", ".hxx", ".cxx", ".ipp"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
ATOMIC = re.compile(r"\bport::atomic\b|^\s*#\s*include\s*<atomic>")


def folder_of(path):
    """The folder of MAY_INCLUDE that holds `path`; "" for the root; None if it is not listed."""
    if "/" not in path:
        return ""
    return max((f for f in MAY_INCLUDE if path.startswith(f + "/")), key=len, default=None)


def is_within(folder, allowed):
    return folder == allowed or folder.startswith(allowed + "/")


def complaint_about(own, mark, target):
    """The complaint about this include in folder `own`, or None."""
    if mark == "<" and target in BANNED and own.split("/")[0] in ("base", "core"):
        return f"<{target}> is banned in base and core"
    if not target.startswith("tactor/"):
        of_port = own == "port" and target == "tactor_port.hpp"
        return f'"{target}": write the full path, "tactor/..."' if mark == '"' and not of_port else None
    path = target.removeprefix("tactor/")
    if path in FOR_EVERYONE or own == "" or path in MAY_INCLUDE[own]:
        return None
    seen = folder_of(path)
    if seen == own or seen and any(is_within(seen, allowed) for allowed in MAY_INCLUDE[own]):
        return None
    return f"{own} may not include {target}"


def violations(root):
    for file in sorted(root.rglob("*")):
        if file.suffix not in SUFFIXES or ".test." in file.name or ".model." in file.name:
            continue
        here = file.relative_to(root).as_posix()
        own = folder_of(here)
        if own is None:
            yield f"{here}: its folder is not listed in {pathlib.Path(__file__).name}"
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            include = INCLUDE.match(line)
            complaint = complaint_about(own, *include.groups()) if include else None
            if complaint:
                yield f"{here}:{number}: {complaint}"
            if here.startswith(WITHOUT_ATOMICS) and here not in READ_BY_OTHERS and ATOMIC.search(line.partition("//")[0]):
                yield f"{here}:{number}: {own} has one owner and uses no atomics"


def main(arguments):
    if len(arguments) != 1 or not pathlib.Path(arguments[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    found = list(violations(pathlib.Path(arguments[0])))
    print("\n".join(found) if found else "layers: every include points down")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
