#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Proves that the tests notice: breaks the code on purpose and expects each test that should see it to fail.

    tools/mutants.py                  all of tests/mutants/*.patch
    tools/mutants.py NAME...          those whose names contain one of these

The head of a patch, before its first line of `---`, says what it breaks, and on a line `tests:` the ctest names that must
catch it, every one of them; `preset:` another preset than dev. Works on a copy of the tree in build/mutants. The named
tests must pass before anything is broken, and a patch that does not apply or does not build is an error.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TREE = ROOT / "build/mutants/tree"
COPIED = ("CMakeLists.txt", "CMakePresets.json", "cmake", "src", "tests", "examples", "LICENSE")
# The same random cases each time, so that a mutant is not caught by luck.
ENVIRONMENT = {**os.environ, "RC_PARAMS": "seed=1 max_success=500", "CTEST_OUTPUT_ON_FAILURE": "1",
               "GIT_CEILING_DIRECTORIES": str(TREE.parent)}  # so that git apply works on the copy


class MutantError(Exception):
    pass


def run(*command, stdin=None):
    return subprocess.run(command, cwd=TREE, env=ENVIRONMENT, text=True, input=stdin, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)


def must(what, *command, stdin=None):
    done = run(*command, stdin=stdin)
    if done.returncode != 0:
        raise MutantError(f"{what}:\n{done.stdout[-3000:]}")


class Mutant:
    def __init__(self, file):
        self.name, self.patch = file.stem, file.read_text(encoding="utf-8")
        head = self.patch.split("\n---", 1)[0]
        self.preset = self.field(head, "preset") or "dev"
        self.tests = (self.field(head, "tests") or "").split()
        if not self.tests:
            raise MutantError(f"{file.name}: its head names no tests")

    @staticmethod
    def field(head, name):
        found = re.search(rf"^{name}: *(.+)$", head, re.M)
        return found and found[1].strip()


def refresh_tree():
    """The copy becomes the tree as it is now; files that did not change keep their time, so little is built again."""
    TREE.mkdir(parents=True, exist_ok=True)
    for name in COPIED:
        source, target = ROOT / name, TREE / name
        files = [source] if source.is_file() else [f for f in source.rglob("*") if f.is_file()]
        wanted = {TREE / f.relative_to(ROOT): f for f in files if "__pycache__" not in f.parts}
        for old in [f for f in target.rglob("*") if f.is_file() and f not in wanted]:
            old.unlink()
        for copy, original in wanted.items():
            if not copy.exists() or copy.read_bytes() != original.read_bytes():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(original, copy)
                shutil.copymode(original, copy)


def build(preset, tests):
    targets = ["test_" + test.replace(".", "_") for test in tests]
    must("does not build", "cmake", "--build", "--preset", preset, "-j2", "--target", *targets)


def passes(preset, test):
    return run("ctest", "--preset", preset, "-R", f"^{re.escape(test)}$", "--timeout", "60",
               "--no-tests=error").returncode == 0


def survived(mutant):
    """The tests that should have failed and did not."""
    must("does not apply", "git", "apply", stdin=mutant.patch)
    try:
        build(mutant.preset, mutant.tests)
        return [test for test in mutant.tests if passes(mutant.preset, test)]
    finally:
        must("cannot be taken back", "git", "apply", "-R", stdin=mutant.patch)


def check_unbroken(mutants):
    for preset in sorted({m.preset for m in mutants}):
        must("cmake failed", "cmake", "--preset", preset)
        tests = sorted({test for m in mutants if m.preset == preset for test in m.tests})
        build(preset, tests)
        failing = [test for test in tests if not passes(preset, test)]
        if failing:
            raise MutantError(f"these fail before anything is broken: {' '.join(failing)}")


def main(wanted):
    files = sorted((ROOT / "tests/mutants").glob("*.patch"))
    mutants = [Mutant(f) for f in files if not wanted or any(word in f.stem for word in wanted)]
    if not mutants:
        raise MutantError("no such mutant")
    refresh_tree()
    check_unbroken(mutants)
    missed = 0
    for mutant in mutants:
        try:
            blind = survived(mutant)
        except MutantError as error:
            raise MutantError(f"{mutant.name} {error}") from error
        verdict = f"SURVIVED {' '.join(blind)}" if blind else f"caught by {' '.join(mutant.tests)}"
        print(f"mutants: {mutant.name}: {verdict}", flush=True)
        missed += bool(blind)
    print(f"mutants: {len(mutants) - missed} of {len(mutants)} caught")
    return 1 if missed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except MutantError as error:
        sys.exit(f"mutants: {error}")
