#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Lists which test proves which line of docs/spec.md and docs/conformance.md.

    tools/requirements.py generate                       writes build/requirements.md, the table
    tools/requirements.py check                          everything that can be seen without running the tests
    tools/requirements.py check --results FILE...        the same, and that the tests ran and passed

A test names what it proves in lines right above it, `// spec: T3 T4` or `// case: SO-05` (`#` in Python); other comment
lines may stand between. A spec line whose text holds lettered clauses, **M4a**, **M4b** and so on, is named by its clauses
and never by its bare id; the line is done when every clause has a test. Only files `*.test.cpp`, `*.model.cpp` and those
under tests/ count. docs/requirements.due lists the ids that must have a test, and, after `later`, those whose work is not done,
with the reason; each id is in one of the two lists. The results are JUnit files of `ctest --output-junit`, whose output holds
GoogleTest's lines `[       OK ] suite.name`; a test that ran in several builds must have passed in one and failed in none. A test
that is in none of them counts by its last result in docs/verify-all.md.
"""
import argparse
import collections
import glob
import pathlib
import re
import string
import sys
import xml.etree.ElementTree

SPEC_LINE = re.compile(r"^- \*\*([A-Z]\d+)(?: ◆)?\*\* (.*(?:\n  .*)*)", re.M)
CLAUSE = re.compile(r"\*\*([A-Z]\d+)([a-z])\*\*\s*")
CASE_LINE = re.compile(r"^\| ([A-Z]{2}-\d+) \| (.*)$", re.M)
CLAIM = re.compile(r"^\s*(?://|#)\s*(spec|case):\s*(.*?)\s*$")
MISPLACED_CLAIM = re.compile(r"\S.*(?://|#)\s*(?:spec|case):(?:\s+[A-Z]{1,2}-?\d+[a-z]?)+\s*$")
CPP_TEST = re.compile(r"\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P|RC_GTEST_(?:\w+_)?PROP)\s*\(\s*(\w+)\s*,\s*(\w+)")
PYTHON_CLASS = re.compile(r"class\s+(\w+)")
PYTHON_TEST = re.compile(r"\s+def\s+test_(\w+)")
RESULT = re.compile(r"\[\s+(RUN|OK|SKIPPED|FAILED)\s+\] ([\w/]+)\.([\w/]+)")
KEPT_TEST = re.compile(r"^\| `(\w+\.\w+)` \| (passed|FAILED|skipped) \|", re.M)
KEPT = "docs/verify-all.md"
DUE = "docs/requirements.due"
SUMMARY_LENGTH = 110

Test = collections.namedtuple("Test", "name file line ids")
# spec, case: {id: summary} in the order of the documents; a line with clauses is there by its clauses. clauses: {line: clauses}
Known = collections.namedtuple("Known", "spec case clauses errors")


def read(path):
    return path.read_text(encoding="utf-8")


def first_sentence(text):
    return re.split(r"(?<=.{20}\.)\s", text, maxsplit=1)[0]


def shortened(text):
    """On one line, for a table cell."""
    text = " ".join(text.split()).replace("|", "\\|")
    if len(text) <= SUMMARY_LENGTH:
        return text
    cut = text[:SUMMARY_LENGTH].rsplit(" ", 1)[0]
    if cut.count("`") % 2:
        cut = cut[:cut.rindex("`")]  # not in the middle of code
    return cut.rstrip(" ,;(") + " …"


def clauses_of(line, text):
    """[(clause id, its text)] of one spec line; the text before the first clause only introduces them."""
    found = [m for m in CLAUSE.finditer(text) if m[1] == line]
    ends = [m.start() for m in found[1:]] + [len(text)]
    return [(m[1] + m[2], text[m.end():end]) for m, end in zip(found, ends)]


def known_ids(root):
    known = Known({}, {}, {}, [])
    for line in SPEC_LINE.finditer(read(root / "docs/spec.md")):
        clauses = clauses_of(line[1], line[2])
        known.spec.update((i, shortened(first_sentence(text))) for i, text in clauses or [(line[1], line[2])])
        if clauses:
            known.clauses[line[1]] = [i for i, _ in clauses]
            if "".join(i[-1] for i, _ in clauses) != string.ascii_lowercase[:len(clauses)]:
                known.errors.append(f"docs/spec.md: the clauses of {line[1]} are {' '.join(i for i, _ in clauses)},"
                                    " not lettered a, b, c … in order")
    known.case.update((m[1], shortened(re.split(r" \|", m[2])[0])) for m in CASE_LINE.finditer(read(root / "docs/conformance.md")))
    return known


def complaint_about_id(i, known, kind):
    """Why this is not an id of that kind ("spec", "case", or either), or None."""
    if i in known.clauses and kind != "case":
        clauses = known.clauses[i]
        return f"{i} has clauses: name {clauses[0]} … {clauses[-1]}"
    ids = {"spec": known.spec, "case": known.case}.get(kind, known.spec | known.case)
    return None if i in ids else f"unknown {kind} id '{i}'".replace("  ", " ")


def due_ids(root):
    """Those that must have a test, and the others: id -> reason."""
    due, later = [], {}
    for line in read(root / DUE).splitlines():
        ids, _, reason = line.partition("#")
        words = ids.split()
        if words[:1] == ["later"]:
            later.update((i, reason.strip()) for i in words[1:])
        else:
            due += words
    return due, later


def complaints_about_lists(due, later, known):
    for i in [*due, *later]:
        complaint = complaint_about_id(i, known, "")
        if complaint:
            yield f"{DUE}: {complaint}"
    for i, reason in later.items():
        if not reason:
            yield f"{DUE}: {i} is not due and no reason is given"
        if i in due:
            yield f"{DUE}: {i} is due and is not"
    for i in known.spec | known.case:
        if i not in due and i not in later:
            yield f"{DUE}: {i} is not listed"


def test_files(root):
    for file in sorted(root.rglob("*")):
        inside = file.relative_to(root)
        if inside.parts[0] == "build" or any(part.startswith(".") for part in inside.parts):
            continue
        is_test = file.name.endswith((".test.cpp", ".model.cpp")) or inside.parts[0] == "tests"
        if is_test and file.suffix in (".cpp", ".hpp", ".h", ".py") and file.is_file():
            yield file


def test_at(lines, index, suite):
    """suite.name of the test that starts on this line, or None."""
    if suite is not None:
        found = PYTHON_TEST.match(lines[index])
        return found and f"{suite}.{found[1]}"
    found = CPP_TEST.match(" ".join(lines[index:index + 4])) if lines[index].strip() else None
    return found and f"{found[1]}.{found[2]}"


def scan(name, text, known):
    """The tests of one file with the ids they claim, and the complaints about its claims."""
    python = name.endswith(".py")
    tests, errors, claimed, claim_line, suite = [], [], [], 0, "" if python else None
    lines = text.splitlines()
    for index, line in enumerate(lines):
        where = f"{name}:{index + 1}"
        comment = "#" if python else "//"
        claim = CLAIM.match(line) if line.lstrip().startswith(comment) else None
        if python and PYTHON_CLASS.match(line):
            suite = PYTHON_CLASS.match(line)[1]
        if claim:
            kind, ids = claim[1], re.split(r"[\s,]+", claim[2])
            wrong = {i: complaint_about_id(i, known, kind) for i in ids}
            errors += [f"{where}: {complaint}" for complaint in wrong.values() if complaint]
            claimed += [i for i in ids if not wrong[i]]
            claim_line = claim_line or index + 1
        elif line.lstrip().startswith(comment) or (python and line.lstrip().startswith("@")):
            continue  # an ordinary comment or a decorator may stand between
        else:
            test = test_at(lines, index, suite)
            if test:
                tests.append(Test(test, name, index + 1, claimed))
            elif claim_line:
                errors.append(f"{name}:{claim_line}: this line is not right above a test")
            if not python and MISPLACED_CLAIM.search(line):
                errors.append(f"{where}: ids belong on a line of their own above the test")
            claimed, claim_line = [], 0
    if claim_line:
        errors.append(f"{name}:{claim_line}: this line is not right above a test")
    return tests, errors


def scan_all(root, known):
    tests, errors = [], []
    for file in test_files(root):
        found, complaints = scan(file.relative_to(root).as_posix(), read(file), known)
        tests += found
        errors += complaints
    return tests, errors


def page(known, tests):
    """The text of build/requirements.md."""
    proofs = collections.defaultdict(list)
    for test in tests:
        for i in test.ids:
            proofs[i].append(f"`{test.name}` ({test.file})")
    out = ["# Which test proves what", "",
           "Made by `tools/requirements.py generate` from the comments above the tests. The lines themselves are in",
           "[spec.md](../docs/spec.md) and [conformance.md](../docs/conformance.md). Lines without a test belong to work that is not",
           "finished. `docs/requirements.due` lists the ids that must have one. A line with clauses is done when each has a test.", ""]
    in_clauses = {i for clauses in known.clauses.values() for i in clauses}
    lines = [[i] for i in known.spec if i not in in_clauses] + list(known.clauses.values())
    for title, ids, units in (("Specification", known.spec, lines), ("Conformance cases", known.case, [[i] for i in known.case])):
        have = sum(all(i in proofs for i in unit) for unit in units)
        out += [f"## {title}: a test for {have} of {len(units)}", "", "| id | summary | tests |", "|---|---|---|"]
        out += [f"| {i} | {summary} | {'<br>'.join(dict.fromkeys(proofs.get(i, [])))} |" for i, summary in ids.items()]
        out.append("")
    return "\n".join(out)


def outcomes(files):
    """suite.name -> its outcomes: a set of "OK", "SKIPPED", "FAILED"."""
    found = collections.defaultdict(set)
    for file in files:
        for output in xml.etree.ElementTree.parse(file).iter("system-out"):
            running = set()
            for word, suite, name in RESULT.findall(output.text or ""):
                # Instance/suite.name/0 and suite/0.name are runs of suite.name
                keys = {f"{part}.{name.split('/')[0]}" for part in suite.split("/")}
                if word == "RUN":
                    running |= keys
                    continue
                running -= keys
                for key in keys:
                    found[key].add(word)
            for key in running:  # began and never ended: the program died
                found[key].add("FAILED")
    return found


def kept_outcomes(root):
    page = root / KEPT
    words = {"passed": "OK", "FAILED": "FAILED", "skipped": "SKIPPED"}
    return {name: {words[end]} for name, end in KEPT_TEST.findall(read(page) if page.exists() else "")}


def complaints_about_results(tests, results, due):
    """A test whose ids are not due may be skipped: it needs a machine that is not everywhere."""
    for test in tests:
        seen = results.get(test.name, set())
        if seen == {"SKIPPED"} and not due.intersection(test.ids):
            continue
        where = f"{test.file}:{test.line}: {test.name} claims {' '.join(test.ids)} but"
        if "FAILED" in seen:
            yield f"{where} failed"
        elif "OK" not in seen:
            yield f"{where} {'was skipped' if seen else 'did not run'}"


def check(root, result_files):
    known = known_ids(root)
    tests, errors = scan_all(root, known)
    errors += known.errors
    claiming = [test for test in tests if test.ids]
    disabled = [test for test in claiming if "DISABLED_" in test.name]
    errors += [f"{t.file}:{t.line}: {t.name} claims {' '.join(t.ids)} but is disabled" for t in disabled]

    places = collections.defaultdict(set)
    for test in tests:
        places[test.name].add(test.file)
    errors += [f"{t.file}:{t.line}: {t.name} exists in several files, so results cannot tell them apart"
               for t in claiming if len(places[t.name]) > 1]

    proved = {i for test in claiming if test not in disabled for i in test.ids}
    everything = known.spec | known.case
    due, later = due_ids(root)
    errors += complaints_about_lists(due, later, known)
    errors += [f"{i} is due and no test claims it: {everything[i]}" for i in due if i in everything and i not in proved]
    if result_files:
        enabled = [test for test in claiming if test not in disabled]
        errors += complaints_about_results(enabled, kept_outcomes(root) | outcomes(result_files), set(due))
    return errors, len(claiming)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["generate", "check"])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--results", nargs="+", default=[], metavar="FILE")
    options = parser.parse_args(arguments)

    if options.command == "generate":
        known = known_ids(options.root)
        tests, errors = scan_all(options.root, known)
        target = options.root / "build/requirements.md"
        target.parent.mkdir(exist_ok=True)
        target.write_text(page(known, tests), encoding="utf-8")
    else:
        files = [file for pattern in options.results for file in glob.glob(pattern)]
        if options.results and not files:
            print(f"requirements: no such results: {' '.join(options.results)}")
            return 1
        errors, count = check(options.root, files)
        if not errors:
            print(f"requirements: {count} tests hold what they claim"
                  + ("" if files else " (not checked: whether they ran)"))
    for error in errors:
        print(error)
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
