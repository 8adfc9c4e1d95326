#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""docs/metrics.md: every measurement, read from `metric_table`.

    tools/metrics.py write      writes the page
    tools/metrics.py check      fails if the page is out of date, or a file in share/ names a metric that does not exist
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = "src/tactor/core/observe/metric_table.hpp"
PAGE = "docs/metrics.md"
HEAD = """# Metrics

Made by `tools/metrics.py write` from [metric_table.hpp](../src/tactor/core/observe/metric_table.hpp); `make lint` compares it. [Operations](guide/operations.md) says how to read them.

| name | in Prometheus | kind | level | labels | what it counts |
|---|---|---|---|---|---|
"""
ROW = re.compile(r"metric\{\s*\.name = .*?\},\n(?=    (?:metric|//)|\};)", re.S)
SUFFIX = {"nanoseconds": "_seconds", "bytes": "_bytes"}
# The defaults of `struct metric`, for members that a row does not name.
DEFAULTS = {"unit": "count", "kind": "counter", "level": "system", "labels": ""}


def field(row, name):
    """The value of a member: a text of one or several pieces, or the last part of an enumerator."""
    found = re.search(rf"\.{name} =\s*(.*?)(?:,\s*\.\w+ =|\}},\n$)", row, re.S)
    if found is None:
        return DEFAULTS[name]
    value = found[1]
    pieces = re.findall(r'"((?:[^"\\]|\\.)*)"', value)
    return "".join(pieces) if '"' in value else value.strip().split("::")[-1]


def prometheus(name, unit):
    total = name.endswith("_total")
    base = "tactor_" + name.removesuffix("_total").replace(".", "_") + SUFFIX.get(unit, "")
    return base + ("_total" if total else "")


def page():
    lines = [HEAD]
    for row in ROW.findall((ROOT / TABLE).read_text(encoding="utf-8")):
        name, unit, kind, level, labels, help_ = (field(row, f) for f in
                                                  ("name", "unit", "kind", "level", "labels", "help"))
        lines.append(f"| `{name}` | {prometheus(name, unit)} | {kind} | `{level}` | {labels.replace(',', ', ')} | {help_} |\n")
    return "".join(lines)


def unknown_names(known):
    """Names in the files for Prometheus and Grafana that no metric has."""
    names = set(re.findall(r"\btactor_\w+", known))
    found = []
    for file in sorted((ROOT / "share").rglob("*.*")):
        for name in sorted(set(re.findall(r"\btactor_\w+", file.read_text(encoding="utf-8")))):
            if name not in names and re.sub(r"_(bucket|sum|count)$", "", name) not in names:
                found.append((file.relative_to(ROOT), name))
    return found


def main(arguments):
    if arguments not in (["write"], ["check"]):
        print(__doc__)
        return 2
    wanted = page()
    rows = wanted.count("\n| `")
    if arguments == ["write"]:
        (ROOT / PAGE).write_text(wanted, encoding="utf-8")
    elif not (ROOT / PAGE).exists() or (ROOT / PAGE).read_text(encoding="utf-8") != wanted:
        print("metrics.md is out of date: run tools/metrics.py write")
        return 1
    strangers = unknown_names(wanted)
    for file, name in strangers:
        print(f"{file}: there is no metric {name}")
    print(f"metrics: {rows} on metrics.md")
    return 0 if rows and not strangers else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
