#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Keeps docs/api.md, the list of all public names: one line each, with the header and the first sentence of its comment.

    tools/public_names.py write|check [XML_FOLDER]      default: build/docs/xml, which tools/docs.sh makes

Public is what stands in namespace tactor and not in an `internal` one. `check` fails when docs/api.md is out of date.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/api.md"
HEAD = """# Public names

Made by `tools/public_names.py write`; `tools/docs.sh` checks it. What is not listed here is `tactor::internal` and may change at any time.

| header to include | for |
|---|---|
| `tactor/ref.hpp` | references and `tell`, for units that only send: every platform |
| `tactor/actor.hpp` | actors, messages, supervision, events, scheduling, callbacks of other libraries as messages: every platform |
| `tactor/coroutine.hpp` | handlers that are coroutines: every platform |
| `tactor/host.hpp` | actors, and the systems for an operating system |
| `tactor/bare.hpp` | actors, and the system for a board |
| `tactor/timers.hpp` | timers without actors, delays as values |
| `tactor/future.hpp` | replies as std::future, and futures as messages |
| `tactor/observe.hpp` | figures of a system, its state as JSON, and which message caused which |
| `tactor/patterns.hpp` | routers, adapters, state machine, circuit breaker |
| `tactor/testkit.hpp` | tests: simulation, probes, manual time |
| `tactor/asio.hpp` | connections of actors; `tactor/asio/asio_context.hpp` includes Asio itself |
| `tactor/console.hpp` | a server that shows a system |

| name | declared in | what it is |
|---|---|---|
"""
FOR_USERS = {"tactor/asio/asio_context.hpp"}  # besides those that lie directly in src/tactor
TYPES = {"class", "struct", "union", "concept"}


def first_sentence(element):
    """Of a comment: its first sentence, in one line. Of a panic code: its advice."""
    initial = "".join(element.find("initializer").itertext()) if element.find("initializer") is not None else ""
    if ".advice" in initial:
        return "".join(re.findall(r'"([^"]*)"', initial)).replace("|", "\\|")
    for kind in ("briefdescription", "detaileddescription"):
        found = element.find(kind)
        text = " ".join("".join(found.itertext()).split()) if found is not None else ""
        if text:
            return re.split(r"(?<=[.?!])\s", text)[0].replace("|", "\\|")
    return ""


def is_public(name):
    parts = name.split("::")
    return parts[0] == "tactor" and "internal" not in parts


def names_of(compound):
    """(name, header, sentence) of a class or of what a namespace holds."""
    kind, name = compound.get("kind"), compound.findtext("compoundname")
    if not is_public(name):
        return
    if kind in TYPES:
        yield name, compound, compound
    elif kind == "namespace":
        for member in compound.iter("memberdef"):
            yield f"{name}::{member.findtext('name')}", member, member


def header_of(element):
    location = element.find("location")
    return re.sub(r"^.*?(?=tactor/)", "", location.get("file")) if location is not None else ""


def reached(sources):
    """The headers that users get with those that they may include."""
    found, open_ones = set(), [*FOR_USERS, *(file.relative_to(sources).as_posix() for file in (sources / "tactor").glob("*.hpp"))]
    while open_ones:
        header = open_ones.pop()
        if header not in found and (sources / header).exists():
            found.add(header)
            open_ones += re.findall(r'^#include "(tactor/[^"]+)"', (sources / header).read_text(encoding="utf-8"), re.M)
    return found


def rows_of(folder):
    namespaces, rows = set(), {}
    roots = [xml.parse(file).getroot() for file in sorted(folder.glob("*.xml")) if file.name != "index.xml"]
    compounds = [compound for root in roots for compound in root.findall("compounddef")]
    for compound in compounds:
        if compound.get("kind") == "namespace":
            namespaces.add(compound.findtext("compoundname"))
    for compound in compounds:
        for name, place, element in names_of(compound):
            scope = re.sub(r"<.*", "", name).rpartition("::")[0]
            if scope not in namespaces or name.rpartition("::")[2].startswith("operator"):
                continue  # a member of a class is found with it
            short = re.sub(r"::with(out)?_exceptions\b", "", name).removeprefix("tactor::")
            short = re.sub(r"\s+", "", short)
            key = (short, header_of(place))
            rows[key] = rows.get(key) or first_sentence(element)
    # What port/ offers is described by the concepts in port.hpp.
    return {key: said for key, said in sorted(rows.items()) if said or not key[1].startswith("tactor/port/")}


def main(arguments):
    if not arguments or arguments[0] not in ("write", "check"):
        print(__doc__, file=sys.stderr)
        return 2
    folder = pathlib.Path(arguments[1] if len(arguments) > 1 else "build/docs/xml")
    rows = rows_of(folder)
    if not rows:
        print(f"{folder}: there are no names; run tools/docs.sh first", file=sys.stderr)
        return 1
    headers = reached(ROOT / "src")
    lost = [f"{header}: no header for users includes it, and it declares {name}"
            for name, header in rows if header not in headers
            and not header.startswith("tactor/port/") and "panics::" not in name]  # a handler gets these
    lost += [f"{header}: {name} has no comment" for (name, header), said in rows.items() if not said]
    if lost:
        print("\n".join(lost), file=sys.stderr)
        return 1
    text = HEAD + "".join(f"| `{name}` | {header} | {said} |\n" for (name, header), said in rows.items())
    if arguments[0] == "write":
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        print("docs/api.md is out of date: run tools/public_names.py write", file=sys.stderr)
        return 1
    print("public names: docs/api.md lists them")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
