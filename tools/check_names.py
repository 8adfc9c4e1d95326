#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Fails when an old name is still in use, when docs/names.md names something that is gone, when two panics have one number, or when comments use vague phrases.

    tools/check_names.py [ROOT]

An identifier listed in tools/old_names.txt (one per line, `#` begins a comment) must not occur as a whole word in src/ or docs/.
Exempt are the pages that hold plans or history: docs/names.md, docs/spec.md, docs/conformance.md, docs/adr and CHANGELOG.md.

A row of docs/names.md names a file below src/tactor, which must exist and hold the new name; for a renamed file ("(file)" behind the
old name) it must exist.

The two numbers of a `panic_code` below src/, without tests, name one reason: a board reports nothing else.

At most 1 % of the comment lines of src/ may hold a phrase that hides its noun (VAGUE), or begin with "The same" or "As".
"""
import pathlib
import re
import sys

EXEMPT = re.compile(r"docs/(?:adr/|names\.md|spec\.md|conformance\.md)|(?:.*/)?CHANGELOG\.md$")
SUFFIXES = {".cpp", ".hpp", ".h", ".md", ".txt", ".cmake", ".py", ".due"}
VAGUE = re.compile(r"\b(?:whoever|nobody|somebody|everybody|those who|one that|one who|the one)\b", re.I)
VAGUE_START = re.compile(r"(?:The same|As)\b")
LIMIT_PERCENT = 1
SHOWN = 20


def files_of(root, *folders):
    for folder in folders:
        for file in sorted((root / folder).rglob("*")):
            name = file.relative_to(root).as_posix()
            if file.is_file() and file.suffix in SUFFIXES and not EXEMPT.match(name):
                yield name, file.read_text(encoding="utf-8")


def old_names(root):
    lines = (root / "tools/old_names.txt").read_text(encoding="utf-8").splitlines()
    return [name for line in lines if (name := line.partition("#")[0].strip())]


def old_names_in_use(root):
    names = old_names(root)
    wrong = [name for name in names if not re.fullmatch(r"[A-Za-z_]\w*", name)]
    yield from (f"tools/old_names.txt: '{name}' is no identifier" for name in wrong)
    if wrong or not names:
        return
    pattern = re.compile(r"\b(?:" + "|".join(map(re.escape, names)) + r")\b")
    for file, text in files_of(root, "src", "docs"):
        for number, line in enumerate(text.splitlines(), 1):
            yield from (f"{file}:{number}: {name} is an old name" for name in dict.fromkeys(pattern.findall(line)))


def rows_out_of_date(root):
    """Rows `| old | new | file |` of docs/names.md whose file is gone, or does not hold the new name."""
    page = root / "docs/names.md"
    lines = page.read_text(encoding="utf-8").splitlines() if page.is_file() else []
    for number, line in enumerate(lines, 1):
        row = re.fullmatch(r"\| (.+) \| `([^`]+)`.* \| `([^`]+)` \|", line)
        if not row:
            continue
        old, new, where = row[1], row[2].partition("(")[0], root / "src/tactor" / row[3]
        name = new.split("::")[-1].strip()
        if not where.exists():
            yield f"docs/names.md:{number}: {row[3]} is gone"
        elif where.is_file() and "(file" not in old and not re.search(rf"\b{re.escape(name)}\b", where.read_text(encoding="utf-8")):
            yield f"docs/names.md:{number}: {row[3]} does not hold {name}"


def panics_with_one_number(root):
    known = {}  # where, by number
    for file, text in files_of(root, "src"):
        if file.endswith((".test.cpp", ".model.cpp")):
            continue
        for code in re.finditer(r"\bpanic_code\s+(\w+)\s*\{\s*\.module\s*=\s*(\w+),\s*\.id\s*=\s*(\w+)", text):
            number = f"{int(code[2], 0)}.{int(code[3], 0)}"
            where = known.setdefault(number, f"{code[1]} in {file}")
            if where != f"{code[1]} in {file}":
                yield f"{file}:{text.count(chr(10), 0, code.start()) + 1}: panic {number} is also {where}"


def comments_of(text):
    """(number, words) of every line of C++ that holds a comment."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if inside:
            words, end, _ = line.partition("*/")
            inside = not end
            yield number, words.strip().lstrip("*").strip()
            continue
        code = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line)  # // in a text is no comment
        found = re.search(r"//[/!]?<?\s*(.*)$|/\*+\s*(.*?)(\*/.*)?$", code)
        if found:
            inside = found[2] is not None and found[3] is None
            yield number, (found[1] if found[1] is not None else found[2]).strip()


def vague_comments(root):
    vague, lines = [], 0
    for file, text in files_of(root, "src"):
        if not file.endswith((".cpp", ".hpp", ".h")):
            continue
        for number, words in comments_of(text):
            if not words or words.startswith("SPDX-License-Identifier"):
                continue
            lines += 1
            if VAGUE.search(words) or VAGUE_START.match(words):
                vague.append(f"{file}:{number}: {words}")
    if len(vague) * 100 > lines * LIMIT_PERCENT:
        yield from vague[:SHOWN]
        yield (f"{len(vague)} of {lines} comment lines hide their noun (whoever, nobody, one that, the one …, or begin with The same, As);"
               f" at most {LIMIT_PERCENT} % may: name who does what")


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else ".").resolve()
    errors = [*old_names_in_use(root), *rows_out_of_date(root), *panics_with_one_number(root), *vague_comments(root)]
    print("\n".join(errors) if errors else "names: none is old")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
