#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Fails when a file includes a header that its folder may not include, or defines what another file's header declares.

    tools/check_layers.py src/tactor

What x.hpp declares, x.hpp or the x.cpp beside it defines, so that calls follow includes: free functions, and the members of a class;
SEVERAL_SOURCES gives the reasons of the classes that have several sources. Calls through the rows of core/features.hpp follow includes as
well: a folder calls a row's function only if it may include what declares that function; UPWARDS gives the reasons of the others. Tests
(`*.test.cpp`, `*.model.cpp`) may include anything, so they are not checked.
"""
import pathlib
import re
import sys

# folder, or file -> folders it may include, besides itself. The longest match wins.
BASE = ["base", "port"]
MESSAGES = ["core/message", "core/observe", *BASE]
CELLS = ["core/cell", "core/scheduler", "core/dispatch", "core/supervision", "core/timing", *MESSAGES]
LIFE = ["core/life", "core/ask", "core/send", *CELLS]
MAY_INCLUDE = {
    "port": [],
    "base": ["port"],
    "core/features.hpp": ["core/cell", *BASE],  # its rows name what all folders have
    "core/message": MESSAGES,
    "core/observe": MESSAGES,
    "core/supervision": BASE,
    "core/timing": BASE,
    "core/scheduler/report": ["core/timing", *BASE],
    "core/scheduler/job": ["core/scheduler/report", "core/timing", "core/message", *BASE],
    "core/scheduler": ["core/scheduler/job", "core/scheduler/report", "core/timing", *MESSAGES],
    "core/dispatch": MESSAGES,
    "core/cell": ["core/dispatch", "core/supervision", *MESSAGES],
    "core/send": CELLS,
    "core/actor/definition": ["core/send", *CELLS],
    "core/ask": ["core/actor/definition", *LIFE],
    "core/life": ["core/actor/definition", *LIFE],
    "core/turn": LIFE,
    "core/actor/coroutine": ["core/actor", *LIFE],
    "core/actor": ["core/actor/definition", *LIFE],
    "core/system": ["core", *BASE],
    "host/os": ["core/timing", *MESSAGES],
    "host/timers": ["host/os", "core/scheduler", "core/timing", *MESSAGES],
    "host/trace": ["host/os", "core", *BASE],
    "host/metrics": ["core", *BASE],
    "host/workers": ["host/metrics", "host/trace", "host/os", "core", *BASE],
    "host/snapshot": ["host", "core", *BASE],
    "host": ["actor.hpp", "host/metrics", "host/trace", "host/workers", "host/timers", "host/os", "core", *BASE],
    "bare": ["core", *BASE],
    "testkit": ["core", *BASE],
    "patterns": ["actor.hpp", "coroutine.hpp", "port"],  # the public names only
    "asio": ["coroutine.hpp", "actor.hpp", "host", "port"],  # the public names, and names for its threads
    "console/request": ["host/string_sink.hpp", "host/snapshot", *BASE],
    "console": ["console/request", "host", "core", *BASE],
    "command": ["actor.hpp", "host.hpp", "observe.hpp", "console", "patterns"],  # the public names only
}
FOR_EVERYONE = {"version.hpp", "core/features.hpp"}

# Headers that need an operating system, exceptions, RTTI or the heap stay out of base and core.
BANNED = {"atomic", "condition_variable", "exception", "functional", "iostream", "mutex", "thread", "typeinfo"}
# One owner, no actors, so nothing to synchronise.
WITHOUT_ATOMICS = ("core/timing/", "core/supervision/")
READ_BY_OTHERS = ("core/timing/timer_entry.hpp",)  # the rank of an entry: any thread that knows it

# class -> why its members are defined in several sources
SEVERAL_SOURCES = {
    "actor_system": "a program that makes no snapshots and no traces is linked without them",
    "close_task": "shutting down is one idea, of the scheduler and of its tasks",
    "envelope_pool": "large envelopes are memory of the heap",
    "scheduler": "shutting down is one idea",
    "system_core": "the system as seen by its actors has many functions; one source for each topic",
    "timer_job": "a job is a record, seen by its receiver",
    "turn": "the loop, the switch over what is next, and the call of a handler are read one after the other",
}

# folder that calls, member of the table -> why the call goes up
UPWARDS = {
    ("core/actor/coroutine", "middleware"): "middleware is told of the message of a coroutine that never ends",
    ("core/send", "outboxes"): "a message that finds its receiver full is held back by the sender's outbox, which suspends the sender",
}

SUFFIXES = {".hpp", ".cpp", ".h", ".c", ".cc", ".hxx", ".cxx", ".ipp"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
NAMESPACE = re.compile(r'\bnamespace\b(?!.*[=;])|\bextern\s*""\s*$', re.S)
NO_FUNCTION = re.compile(r"\s*(?:using|typedef|static_assert|friend|enum|extern\s+template|namespace|(?:template\s*<.*>\s*)?(?:class|struct|union|concept)\b(?!.*\())", re.S)
TEMPLATE = re.compile(r"\btemplate\s*(?=<)")
FUNCTION = re.compile(r"\b(operator\s*(?:\(\)|[^\s\w(]+|\w+)|[a-z_]\w*)\s*\(")
CLASS = re.compile(r"\b(?:class|struct)\s+(?:alignas\([^)]*\)\s*)?([a-z_]\w*)\s*(?!\s*::\s*\w)(?:<.*>)?\s*(?:final\b)?\s*(?::(?!:)|$)", re.S)
MEMBER = re.compile(r"\b([a-z_]\w*)\s*::\s*(?:\w+\s*::\s*)*(?:~?\w+|operator\s*[^\s\w(]+)\s*\(")
ROW = re.compile(r"\bextern\s+const\s+(\w+)\s+(\w+)\s*;")  # of core/features.hpp: type, row
ROW_MEMBER = re.compile(r"\bconst\s+(\w+)\s*\*\s*(\w+)\s*=\s*nullptr\s*;")  # type, member of the table
ROW_VALUE = re.compile(r"\b(\w+_feature)\s*\{(.*?)\}\s*;", re.S)
ROW_FUNCTION = re.compile(r"\.(\w+)\s*=\s*(?:\w+\s*<\s*&\s*(\w+)::\w+|(\w+)\s*(?=,|$))")  # slot, class or function
ROW_USE = re.compile(r"(?:(\w+)\s*=\s*(?:\w+::)*)?\bprogram_features\(\)\s*\.\s*(\w+)(?:\s*->\s*(\w+))?|\b(\w+)\s*->\s*(\w+)\s*\(")
KEYWORDS = {"requires", "noexcept", "decltype", "explicit"}
ATOMIC = re.compile(r"\bport::atomic\b|^\s*#\s*include\s*<atomic>")


def folder_of(path):
    """The folder of MAY_INCLUDE that holds `path`, or `path`; "" for the root; None if it is not listed."""
    if "/" not in path:
        return ""
    return max((f for f in MAY_INCLUDE if is_within(path, f)), key=len, default=None)


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


def plain(text):
    """The text without comments, literals, attributes and preprocessor lines."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"|(?<!\w)\'(?:[^\'\\\n]|\\.)+\'', '""', text)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", " ", text, flags=re.M)
    return re.sub(r"\[\[[^\]]*\]\]|\balignas\([^)]*\)", " ", text)


def statements(text):
    """(statement, its end) of everything directly in a namespace; the end is ";" or "{". What stands in braces is left out."""
    depth, start, within = 0, "", False  # within: the braces stand in parentheses, as those of a lambda in an assertion
    for piece in re.split(r"([{};])", plain(text)):
        if depth:
            depth += (piece == "{") - (piece == "}")
            if depth == 0 and not within:
                start = ""
        elif piece == "{" and NAMESPACE.search(start):
            start = ""
        elif piece == "{":
            depth, within = 1, start.count("(") > start.count(")")
            if not within:
                yield start, "{"
        elif piece == ";":
            yield start, ";"
            start = ""
        elif piece == "}":
            start = ""
        else:
            start += piece


def without_arguments(statement):
    """The statement without the arguments of templates."""
    text = TEMPLATE.sub("", statement)
    while (shorter := re.sub(r"<[^<>()]*>", "", text)) != text:
        text = shorter
    return text


def function_in(statement):
    """The name of the function that this declares or defines, or None."""
    if NO_FUNCTION.match(statement):
        return None
    text = without_arguments(re.sub(r"\brequires\b.*?(?=\b(?:auto|void|bool)\b)", "", statement, flags=re.S))
    found = FUNCTION.search(text)
    return found[1] if found and found[1] not in KEYWORDS and "=" not in text[:found.start()] else None


def functions_of(file):
    """The free functions that a file declares, and those that it defines."""
    found = [(function_in(text), end) for text, end in statements(file.read_text(encoding="utf-8"))]
    return {name for name, end in found if end == ";" and name}, {name for name, end in found if end == "{" and name}


def defined_elsewhere(root):
    """(header, function, file) of each free function that a header declares and that only another file defines. Not of port/, where
    the header has the same name on each platform."""
    files = {file: functions_of(file) for file in sorted(root.rglob("*.?pp")) if ".test." not in file.name and ".model." not in file.name}
    for header, (declared, defined) in files.items():
        if header.suffix != ".hpp" or header.is_relative_to(root / "port"):
            continue
        own = files.get(header.with_suffix(".cpp"), (set(), set()))[1]
        for name in sorted(declared - defined - own):
            others = [file for file in files if name in files[file][1] and (file.suffix == ".cpp" or file.parent == header.parent)]
            near = [file for file in others if file.parent == header.parent] or others
            if near:
                yield header.relative_to(root).as_posix(), name, near[0].relative_to(root).as_posix()


def members_elsewhere(root):
    """(class, its header, source) of each class whose members another source than its own defines."""
    files = {file: [text for text, end in statements(file.read_text(encoding="utf-8")) if end == "{"]
             for file in sorted(root.rglob("*.?pp")) if ".test." not in file.name and ".model." not in file.name}
    headers = {}
    for file, texts in files.items():
        for name in (found[1] for text in texts if (found := CLASS.search(text)) and "(" not in text):
            headers.setdefault(name, []).append(file)
    for file, texts in files.items():
        names = {found[1] for text in texts if (found := MEMBER.search(without_arguments(text)))}
        for name in sorted(names & headers.keys()) if file.suffix == ".cpp" else []:
            if file.with_suffix(".hpp") not in headers[name] and file not in headers[name]:
                yield name, headers[name][0].relative_to(root).as_posix(), file.relative_to(root).as_posix()


def calls_through_rows(text):
    """(member of the table, slot) of each call through a row of core/features.hpp, also by way of a variable."""
    variables = {}
    for variable, member, slot, used, slot_used in ROW_USE.findall(text):
        if member and slot:
            yield member, slot
        elif variable:
            variables[variable] = member
        elif used in variables:
            yield variables[used], slot_used


def upward_calls(root):
    """Complaints about calls through rows of core/features.hpp to functions that the caller's folder may not include."""
    table = root / "core/features.hpp"
    texts = {file: plain(file.read_text(encoding="utf-8")) for file in sorted((root / "core").rglob("*.?pp"))
             if ".test." not in file.name and ".model." not in file.name} if table.exists() else {}
    types = {kind: row for kind, row in ROW.findall(texts.get(table, ""))}
    rows = {member: types[kind] for kind, member in ROW_MEMBER.findall(texts.get(table, "")) if kind in types}
    headers = [(file, functions_of(file)[0], {found[1] for text, end in statements(file.read_text(encoding="utf-8"))
                                              if end == "{" and (found := CLASS.search(text))}) for file in texts if file.suffix == ".hpp"]
    places, sources = {}, {}  # (row, slot) -> folder of the function; row -> folder of its value
    for file, text in texts.items():
        for row, value in ROW_VALUE.findall(text) if file.suffix == ".cpp" else []:
            sources[row] = folder_of(file.relative_to(root).as_posix())
            for slot, of_class, function in ROW_FUNCTION.findall(value):
                found = [header for header, functions, classes in headers if function in functions or of_class in classes]
                if found:
                    places[row, slot] = folder_of(found[0].relative_to(root).as_posix())
    for file, text in texts.items():
        own = folder_of(file.relative_to(root).as_posix())
        for member, slot in calls_through_rows(text):
            row = rows.get(member)
            seen = places.get((row, slot), sources.get(row, own))
            if seen != own and (own, member) not in UPWARDS and not any(is_within(seen, allowed) for allowed in MAY_INCLUDE[own]):
                yield f"{file.relative_to(root).as_posix()} calls {member}->{slot} of {seen}, which {own} may not include: give a reason in UPWARDS"


def misplaced(root):
    """Complaints about definitions that stand elsewhere than their header says."""
    for header, name, file in defined_elsewhere(root):
        yield f"{file} defines {name}, which {header} declares: move one of them"
    for name, header, source in members_elsewhere(root):
        if name not in SEVERAL_SOURCES:
            yield f"{source} defines members of {name}, which {header} declares: move them, or give a reason in SEVERAL_SOURCES"


def main(arguments):
    if len(arguments) != 1 or not pathlib.Path(arguments[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    root = pathlib.Path(arguments[0])
    found = [*violations(root), *misplaced(root), *upward_calls(root)]
    print("\n".join(found) if found else "layers: includes point down, and calls follow them")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
