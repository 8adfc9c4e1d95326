#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Keeps in docs/verify-all.md how a stage of `make verify-all` ended, and at which commit.

    tools/kept_results.py STAGE STATUS SECONDS [RESULT...]

RESULT are the JUnit files of the stage. Their tests that name an id are kept, too: tools/requirements.py counts them where
they did not run.
"""
import datetime
import pathlib
import subprocess
import sys

import requirements

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = """# The last `make verify-all`

`make verify-all` writes this page. Each row says when its stage ran last, at which commit, and how it ended;
[ci.sh](../tools/ci.sh) says what a stage does. A stage that is not listed has not run since the page exists.

| stage | result | minutes | commit | date |
|---|---|---|---|---|
"""
TESTS = """
Tests that prove a line of the specification or a case; where they did not run, [requirements.py](../tools/requirements.py) counts
the result that is kept here.

| test | result | commit | date |
|---|---|---|---|
"""


def commit_of(root):
    """The short id of HEAD; a plus sign says that files were changed since."""
    def git(*arguments):
        return subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True).stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/verify-all.md")
    return git("rev-parse", "--short=8", "HEAD") + ("+" if changed else "")


def kept(page):
    """The rows of the page: two dictionaries, stage -> columns and test -> columns."""
    rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| `")]
    return {row[0]: row[1:] for row in rows if len(row) == 5}, {row[0]: row[1:] for row in rows if len(row) == 4}


def written(stages, tests):
    text = HEAD + "".join(f"| `{name}` | {end} | {time} | `{commit}` | {date} |\n"
                          for name, (end, time, commit, date) in sorted(stages.items()))
    if tests:
        text += TESTS + "".join(f"| `{name}` | {end} | `{commit}` | {date} |\n" for name, (end, commit, date) in sorted(tests.items()))
    return text


def main(arguments, root=ROOT):
    if len(arguments) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    stage, status, seconds, *results = arguments
    page = root / requirements.KEPT
    stages, tests = kept(page.read_text(encoding="utf-8") if page.exists() else "")
    seen = [commit_of(root), datetime.datetime.now(datetime.timezone.utc).date().isoformat()]
    minutes, rest = divmod(int(seconds), 60)
    stages[stage] = ["FAILED" if int(status) else "passed", f"{minutes}:{rest:02}", *seen]
    claiming = {test.name for test in requirements.scan_all(root, requirements.known_ids(root))[0] if test.ids}
    for name, ends in requirements.outcomes(results).items():
        if name in claiming:
            tests[name] = ["FAILED" if "FAILED" in ends else "passed" if "OK" in ends else "skipped", *seen]
    tests = {name: row for name, row in tests.items() if name in claiming}
    page.write_text(written(stages, tests), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
