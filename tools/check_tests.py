#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Fails when two test files of one folder, which are linked into one program, could share a name by mistake.

    tools/check_tests.py src/tactor tests

What a `*.test.cpp` declares stands in an anonymous namespace. Where that cannot be, as in a test of how types are named,
no other test file of the folder declares the same name differently: no compiler and no linker reports two classes of
one name. And no two tests of a folder have the same name, as a list of results would show only one.
"""
import collections
import pathlib
import re
import sys

NAMESPACE = re.compile(r"(?:inline )?namespace ([\w:]+) \{$")
NAMESPACE_END = re.compile(r"\}  // namespace(?: [\w:]+)?$")
# Handlers of interrupts: each image for a board is a program of its own.
NO_DECLARATION = re.compile(r"$|//|#|using |template |static_assert\(|static |extern \"C\" (?:\{$|void \w+_handler\()|[\s})]")
TYPE = re.compile(r"(?:template <.*> )?(?:struct|class|union|enum(?: class| struct)?) (?:alignas\(\w+\) )?(\w+)")
FUNCTION = re.compile(r"[^(=]*?([\w:~]+)(?: ?\(| ?=|;|\{)")
TEST = re.compile(r"\s*(?:(?:TYPED_)?TEST(?:_[FP])?|RC_GTEST_PROP)\((\w+),\s*(\w+)\b")


def statement(lines, begin):
    """The text from this line to the next that ends a declaration at column 0."""
    for end in range(begin, len(lines)):
        if re.match(r"\S.*(;|\{\})$|\}(;| .*;)?$", lines[end]):
            return "\n".join(lines[begin:end + 1])
    return "\n".join(lines[begin:])


def outside(lines):
    """Line number, qualified name and text of all declarations outside anonymous namespaces."""
    spaces = []  # name, or None, and index of the line where it begins
    for index, line in enumerate(lines):
        if line == "namespace {":
            spaces.append((None, index))
        elif space := NAMESPACE.match(line):
            spaces.append((space.group(1), index))
        # The formatter adds a comment after the end, unless there is only one line between.
        elif spaces and (NAMESPACE_END.match(line) or line == "}" and index == spaces[-1][1] + 2):
            spaces.pop()
        elif any(name is None for name, _ in spaces) or NO_DECLARATION.match(line) or TEST.match(line):
            continue
        elif name := TYPE.match(line) or FUNCTION.match(line):
            yield index + 1, "::".join([*(space for space, _ in spaces), name.group(1)]), statement(lines, index)


def violations(roots):
    declared = collections.defaultdict(dict)  # by folder and name: where and how
    tests = collections.defaultdict(dict)
    for root in roots:
        for file in sorted(root.rglob("*.test.cpp")):
            lines = file.read_text(encoding="utf-8").splitlines()
            for number, name, text in outside(lines):
                where, other_text = declared[file.parent].setdefault(name, (file, text))
                if where != file and text != other_text:
                    yield f"{file}:{number}: {name} is another one in {where.name}, which is linked into the same program"
            for number, line in enumerate(lines, 1):
                if test := TEST.match(line):
                    where = tests[file.parent].setdefault(test.groups(), f"{file.name}:{number}")
                    if where != f"{file.name}:{number}":
                        yield f"{file}:{number}: {'.'.join(test.groups())} is also the name of the test in {where}"


def main(arguments):
    roots = [pathlib.Path(argument) for argument in arguments]
    if not roots or not all(root.is_dir() for root in roots):
        print(__doc__, file=sys.stderr)
        return 2
    found = list(violations(roots))
    print("\n".join(found) if found else "tests: no two test files of a program share a name")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
