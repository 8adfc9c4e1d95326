#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Makes a mutant of a source file, and checks that the model checker refutes it.

  mutate.py apply ORIGINAL REPLACE WITH OUTPUT       copies ORIGINAL to OUTPUT with one text replaced
  mutate.py expect-caught NAME ORIGINAL REPLACE EXE  runs a scenario built with the copy; it must be refuted

REPLACE and WITH are files that hold the texts. The text must stand in ORIGINAL exactly once. Where it does not, the
copy is unchanged and it is the test that fails: somebody who edits a header sees all the mutants to revise at once
instead of a build that stops at the first.
"""
import pathlib
import re
import subprocess
import sys


def occurrences(original, replace):
    return pathlib.Path(original).read_text().count(pathlib.Path(replace).read_text())


def apply(original, replace, replacement, output):
    text = pathlib.Path(original).read_text()
    if occurrences(original, replace) == 1:
        text = text.replace(pathlib.Path(replace).read_text(), pathlib.Path(replacement).read_text())
    target = pathlib.Path(output)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    return 0


def expect_caught(name, original, replace, executable):
    test = f"model_mutant.{name}"
    print(f"[ RUN      ] {test}")

    def end(passed, why):
        print(f"mutant {name}: {why}\n[{'       OK' if passed else '  FAILED '} ] {test}")
        return 0 if passed else 1

    found = occurrences(original, replace)
    if found != 1:
        return end(False, f"the text to replace stands {found} times in {original}")
    run = subprocess.run([executable, "--gtest_fail_fast"], stdout=subprocess.PIPE, text=True, check=False)
    # A crash is no catch, nor is a search without an end: the checker has to say what is wrong.
    refuted = re.search(r"refuted: (?!SEARCH NOT FINISHED)", run.stdout)
    if run.returncode != 1 or not refuted:
        return end(False, f"survived (exit code {run.returncode}); its run was\n{indented(run.stdout)}")
    return end(True, "caught by " + re.findall(r"^model: (.*)", run.stdout, re.M)[-1])


def indented(text):
    """So that nobody takes the lines of the mutant's run for results of ours."""
    return "".join(f"    {line}\n" for line in text.splitlines())


if __name__ == "__main__":
    commands = {"apply": apply, "expect-caught": expect_caught}
    if len(sys.argv) != 6 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    sys.exit(commands[sys.argv[1]](*sys.argv[2:]))
