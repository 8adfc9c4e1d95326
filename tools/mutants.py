#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Proves that the model checker finds mistakes: breaks the code on purpose and expects each named scenario to be refuted.

    tools/mutants.py check                  every text to replace is found exactly once, and every memory order that is not
                                            relaxed has a mutant or a reason; builds nothing
    tools/mutants.py run --all              every mutant of tests/mutants/*.toml
    tools/mutants.py run NAME...            those whose names contain one of these words
    tools/mutants.py run --changed          those whose file, or the file of whose scenario, differs from origin/main
    tools/mutants.py run --rotate           all, in an order that the commit id decides
      --seconds N                           starts no mutant that would end later; prints what was left out
      --tests-passed                        the named scenarios have just passed: do not run them unbroken first
      --confirmed                           fails only for those that touch what was changed and are in tests/mutants/confirmed.txt
      --record                              adds each that is caught to tests/mutants/confirmed.txt, at once

With --changed and --rotate the changed ones come first. tests/mutants/README.md says what an entry of the table holds.

A mutant is built beside the ordinary build of the preset `model`: its files are copied, the texts replaced, and what includes
them is compiled again and linked as the scenario is. The source tree is never touched. The checker must refute the scenario: a
crash or an unfinished search is no catch. A mutant whose text is not found, or which does not build, is an error.
"""
import argparse
import concurrent.futures
import contextlib
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import tomllib

import check_pairs

NO_MUTANT = re.compile(r"\bno mutant:\s*\S")
TOKEN = re.compile(r"\w+|[^\w\s]")
KEYS = {"name", "breaks", "caught_by", "file", "replace", "with", "also"}
CHANGE_KEYS = {"file", "replace", "with"}
CTEST_LINE = re.compile(r"^add_test\(\[(=*)\[(.+?)\]\1\] (.*)\)$", re.M)
SHOWN = 30  # names of mutants left out; those of changed files come first
PRESET = "model"
SECONDS = 300  # for one run of a scenario
JOBS = int(os.environ.get("TACTOR_JOBS") or os.cpu_count() or 1)


class MutantError(Exception):
    pass


@dataclasses.dataclass
class Mutant:
    name: str
    breaks: str
    changes: list  # of (path under src/, text, replacement)
    caught_by: list
    where: str  # the table


def pattern_of(text):
    """Finds the text regardless of white space between its tokens, so that the formatter may rewrap lines."""
    out, before = "", ""
    for token in TOKEN.findall(text):
        both_words = before[-1:].isidentifier() or before[-1:].isdigit()
        both_words = both_words and (token[0].isidentifier() or token[0].isdigit())
        out += ("" if not before else r"\s+" if both_words else r"\s*") + re.escape(token)
        before = token
    return re.compile(out)


def mutated(root, mutant):
    """{path under src/: text} of the broken files. Every text to replace is searched in the unbroken file."""
    spans = {}
    for path, replace, replacement in mutant.changes:
        file = root / "src" / path
        if not file.is_file():
            raise MutantError(f"there is no src/{path}")
        found = list(pattern_of(replace).finditer(file.read_text(encoding="utf-8")))
        if len(found) != 1:
            raise MutantError(f"its text stands {len(found)} times in src/{path}: {replace.splitlines()[0].strip()}")
        spans.setdefault(path, []).append((*found[0].span(), replacement))
    texts = {}
    for path, changes in spans.items():
        text = (root / "src" / path).read_text(encoding="utf-8")
        for start, end, replacement in sorted(changes, reverse=True):
            text = text[:start] + replacement + text[end:]
        texts[path] = text
    return texts


# The table


def problem_of(entry):
    """The complaint about the form of an entry, or None."""
    missing = [key for key in ("breaks", "caught_by", "file", "replace", "with") if key not in entry]
    unknown = [key for key in entry if key not in KEYS]
    if missing or unknown:
        return f"has no {missing[0]}" if missing else f"has an unknown {unknown[0]}"
    for change in [entry, *entry.get("also", [])]:
        if not CHANGE_KEYS <= change.keys() or (change is not entry and change.keys() - CHANGE_KEYS):
            return "an entry of `also` needs file, replace, with, and nothing else"
        if not change["replace"].strip():
            return "replaces nothing"
        if TOKEN.findall(change["replace"]) == TOKEN.findall(change["with"]):
            return "replaces a text by itself"
    if not entry["caught_by"]:
        return "names no test"
    others = [test for test in entry["caught_by"] if not test.startswith("model.")]
    if others:
        return f"names {others[0]}, which is no scenario of the model checker"
    return None


def read_table(root):
    """The mutants, and the complaints about the form of the table."""
    mutants, errors, seen = [], [], {}
    for file in sorted((root / "tests/mutants").glob("*.toml")):
        try:
            entries = tomllib.loads(file.read_text(encoding="utf-8")).get("mutant", [])
        except tomllib.TOMLDecodeError as error:
            errors.append(f"{file.name}: {error}")
            continue
        for entry in entries:
            name = entry.get("name", "?")
            problem = problem_of(entry) or (f"is also in {seen[name]}" if name in seen else None)
            if problem:
                errors.append(f"{file.name}: {name} {problem}")
                continue
            seen[name] = file.name
            changes = [(c["file"], c["replace"], c["with"]) for c in [entry, *entry.get("also", [])]]
            mutants.append(Mutant(name, entry["breaks"], changes, entry["caught_by"], file.name))
    if not mutants and not errors:
        errors.append("there is no mutant in tests/mutants")
    return mutants, errors


def confirmed_names(root):
    """The mutants that were run once and caught."""
    file = root / "tests/mutants/confirmed.txt"
    return set(file.read_text(encoding="utf-8").split()) if file.exists() else set()


def record(root, caught_names):
    names = sorted(confirmed_names(root) | set(caught_names))
    (root / "tests/mutants/confirmed.txt").write_text("".join(f"{name}\n" for name in names), encoding="utf-8")


def files_of_test(root, test):
    """The source of the scenario model.<topic>."""
    return list((root / "tests/model").glob(f"{test.removeprefix('model.')}.model.cpp"))


def weakens(replace, replacement, order):
    """Whether the replacement has fewer accesses of this order."""
    return TOKEN.findall(replacement).count(order) < TOKEN.findall(replace).count(order)


def orders_without_mutant(root, mutants):
    """Complaints about accesses that are not relaxed, with neither a mutant that weakens them nor `// no mutant: reason`."""
    changes = [change for mutant in mutants for change in mutant.changes]
    for name, content in check_pairs.sources(root / "src"):
        text = check_pairs.source(content)
        orders = [(offset, order) for offset, order in text.accesses() if order != "relaxed"]
        if not orders or name.startswith("tactor/port/"):
            continue
        spans = [(found.span(), replace, replacement) for path, replace, replacement in changes if path == name
                 for found in pattern_of(replace).finditer(content)]
        for offset, order in orders:
            caught = any(start <= offset < end and weakens(replace, replacement, order)
                         for (start, end), replace, replacement in spans)
            if not caught and not text.explanation(offset, NO_MUTANT)[0]:
                yield f"src/{name}:{text.line(offset)}: no mutant weakens this {order}: add one, or say `// no mutant: reason`"


def check(root):
    mutants, errors = read_table(root)
    errors += orders_without_mutant(root, mutants)
    errors += [f"confirmed.txt: there is no mutant {name}"
               for name in sorted(confirmed_names(root) - {mutant.name for mutant in mutants})]
    for mutant in mutants:
        errors += [f"{mutant.where}: {mutant.name}: no file holds the test {test}"
                   for test in mutant.caught_by if not files_of_test(root, test)]
        try:
            mutated(root, mutant)
        except MutantError as error:
            errors.append(f"{mutant.where}: {mutant.name}: {error}")
    for error in errors:
        print(f"mutants: {error}")
    if not errors:
        print(f"mutants: {len(mutants)} are found where they say, and every order has one or a reason")
    return 1 if errors else 0


# Building


def call(command, folder, seconds=None):
    """Runs a command; after so many seconds it is killed, with all that it has started."""
    with subprocess.Popen(command, cwd=folder, text=True, errors="replace", stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True) as process:
        try:
            output, status = process.communicate(timeout=seconds)[0], process.returncode
        except subprocess.TimeoutExpired:
            kill_group(process)
            output, status = process.communicate()[0], None
        finally:
            kill_group(process)
        return subprocess.CompletedProcess(command, status, output)


def kill_group(process):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def must(what, command, folder):
    done = call(command, folder)
    if done.returncode != 0:
        raise MutantError(f"{what}:\n{done.stdout[-3000:]}")
    return done.stdout


class Build:
    """The build folder of the scenarios, as known to Ninja and CTest."""

    def __init__(self, root):
        self.root, self.folder = root, root / "build" / PRESET
        must("cmake failed", ["cmake", "--preset", PRESET], root)
        self.tests = {}
        for file in self.folder.rglob("CTestTestfile.cmake"):
            for _, name, command in CTEST_LINE.findall(file.read_text(encoding="utf-8")):
                self.tests[name] = (shlex.split(command), file.parent)
        entries = json.loads((self.folder / "compile_commands.json").read_text(encoding="utf-8"))
        commands = [(shlex.split(entry["command"]), entry["file"]) for entry in entries]
        self.compile = {self.path(command[command.index("-o") + 1]): (command, file) for command, file in commands}
        self.programs, self.includes = {}, {}

    def path(self, name):
        return os.path.normpath(self.folder / name)

    def program(self, test):
        if test not in self.tests:
            raise MutantError(f"the preset {PRESET} has no test {test}")
        if test not in self.programs:
            executable = self.tests[test][0][0]
            must(f"{test} does not build unbroken",
                 ["cmake", "--build", "--preset", PRESET, "-j", str(JOBS), "--target", os.path.relpath(executable, self.folder)],
                 self.root)
            self.read_dependencies()
            self.programs[test] = Program(self, executable)
        return self.programs[test]

    def read_dependencies(self):
        """Object -> the files that it was compiled from, from Ninja's log."""
        for block in must("ninja failed", ["ninja", "-t", "deps"], self.folder).split("\n\n"):
            head, *files = block.splitlines() or [""]
            self.includes[self.path(head.partition(": #deps")[0])] = {self.path(file.strip()) for file in files}


class Program:
    """A scenario's executable: how it is linked, and which objects are in it."""

    def __init__(self, build, executable):
        self.build = build
        command = must("ninja failed", ["ninja", "-t", "commands", "-s", os.path.relpath(executable, build.folder)], build.folder)
        self.link = shlex.split(command.split(" && ")[1])
        # Objects that the linker takes out of archives are recompiled too, if they include a broken file.
        (build.folder / "mutants").mkdir(exist_ok=True)
        trace = must("the test does not link", [*self.with_output(build.folder / "mutants/traced"), "-Wl,--trace,--trace"], build.folder)
        # Two targets may have sources of one name: the archive libX.a holds the objects of the target X.
        members = set(re.findall(r"\(?[\w./+-]*?lib([\w+-]+)\.a\)?\(?([\w.+-]+\.o)\)?$", trace, re.M))
        self.members = [object_ for object_ in build.compile
                        if any(f"/{target}.dir/" in object_ and os.path.basename(object_) == name for target, name in members)]

    def with_output(self, file):
        command = list(self.link)
        command[command.index("-o") + 1] = str(file)
        return command

    def unit(self, source, files, broken):
        """A unit that includes several sources by their full paths; the broken ones are taken instead."""
        if "/Unity/" not in source:
            return source
        text = pathlib.Path(source).read_text(encoding="utf-8")
        for whole, overlay in files.items():
            text = text.replace(f'"{whole}"', f'"{overlay}"')
        broken.write_text(text, encoding="utf-8")
        return broken

    def broken(self, texts, folder):
        """Links the program with these texts in place of their files."""
        build, overlay, compiled = self.build, folder / "include", {}
        files = {build.path(build.root / "src" / path): overlay / path for path in texts}
        own = {build.path(token): token for token in self.link if token.endswith(".o")}
        objects = [o for o in dict.fromkeys([*own, *self.members]) if files.keys() & build.includes.get(o, set())]
        if not objects:
            raise MutantError("nothing in the test includes what is broken")
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            for index, object_ in enumerate(objects):
                command, source = build.compile[object_]
                broken_source = files.get(os.path.normpath(source)) or self.unit(source, files, folder / f"{index}.cxx")
                command = [str(broken_source) if word == source else word for word in command]
                command[command.index("-o") + 1] = str(folder / f"{index}.o")
                launcher = ["ccache"] if shutil.which("ccache") else []
                faster = [] if "-O0" in command else ["-O1"]  # most time is spent in the compiler
                command = [*launcher, command[0], "-I", str(overlay), *command[1:], "-w", *faster]
                compiled[object_] = (folder / f"{index}.o", pool.submit(must, "does not build", command, build.folder))
        for _, job in compiled.values():
            job.result()
        anew = {own[o]: str(file) for o, (file, _) in compiled.items() if o in own}
        extra = [str(file) for o, (file, _) in compiled.items() if o not in own]
        command = [anew.get(token, token) for token in self.with_output(folder / "program")]
        place = command.index("-o")
        must("does not link", command[:place] + extra + command[place:], build.folder)
        return folder / "program"


# Running


def outcome(build, test, executable, *more):
    command, folder = build.tests[test]
    return call([executable, *command[1:], *more], folder, SECONDS)


def is_refuted(run):
    """A crash is no catch, nor is an unfinished search: the checker has to report the error."""
    return run.returncode == 1 and re.search(r"refuted: (?!SEARCH NOT FINISHED)", run.stdout) is not None


class Runner:
    def __init__(self, root, tests_passed):
        self.root, self.passed, self.tests_passed, self.build = root, set(), tests_passed, None

    def check_unbroken(self, build, test):
        if self.tests_passed or test in self.passed:
            return
        if outcome(build, test, build.tests[test][0][0]).returncode != 0:
            raise MutantError(f"{test} fails before anything is broken")
        self.passed.add(test)

    def run(self, mutant):
        """Returns the scenarios that were not refuted, with the end of their output."""
        texts, blind = mutated(self.root, mutant), []
        self.build = build = self.build or Build(self.root)
        for test in mutant.caught_by:
            program = build.program(test)
            self.check_unbroken(build, test)
            folder = build.folder / "mutants" / mutant.name
            shutil.rmtree(folder, ignore_errors=True)
            for path, text in texts.items():
                (folder / "include" / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / "include" / path).write_text(text, encoding="utf-8")
            run = outcome(build, test, program.broken(texts, folder), "--gtest_fail_fast")
            if not is_refuted(run):
                blind.append((test, f"exit code {run.returncode}; the end of its output:\n"
                              + "".join(f"    {line}\n" for line in run.stdout.splitlines()[-20:])))
            shutil.rmtree(folder, ignore_errors=True)
        return blind


def git(root, *arguments):
    done = subprocess.run(["git", "-C", root, *arguments], text=True, capture_output=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def changed_files(root):
    """Against origin/main; if that is this commit, or unknown, against the previous commit."""
    base = git(root, "merge-base", "origin/main", "HEAD")
    if base is None or base == git(root, "rev-parse", "HEAD"):
        base = git(root, "rev-parse", "HEAD~1")
    return set((git(root, "diff", "--name-only", base) or "").split("\n")) if base else set()


def touches(root, mutant, files):
    tests = [file.relative_to(root).as_posix() for test in mutant.caught_by for file in files_of_test(root, test)]
    return any(f"src/{path}" in files for path, _, _ in mutant.changes) or any(test in files for test in tests)


def rotated(root, mutants):
    commit = git(root, "rev-parse", "HEAD") or ""
    return sorted(mutants, key=lambda mutant: hashlib.sha256((commit + mutant.name).encode()).digest())


def select(root, mutants, options):
    if options.names:
        strange = [word for word in options.names if not any(word in mutant.name for mutant in mutants)]
        if strange:
            raise MutantError(f"no name contains {' '.join(strange)}")
        return [mutant for mutant in mutants if any(word in mutant.name for word in options.names)]
    if not options.changed:
        return rotated(root, mutants) if options.rotate else mutants
    files = changed_files(root)
    order = rotated(root, mutants)
    first = [mutant for mutant in order if touches(root, mutant, files)]
    print(f"mutants: {len(first)} touch what was changed")
    return first + ([mutant for mutant in order if mutant not in first] if options.rotate else [])


def run(root, options):
    mutants, errors = read_table(root)
    if errors:
        raise MutantError("\nmutants: ".join(errors))
    chosen, runner = select(root, mutants, options), Runner(root, options.tests_passed)
    start, missed, done = time.monotonic(), [], 0
    for mutant in chosen:
        spent = time.monotonic() - start
        if options.seconds and done and spent + spent / done > options.seconds:
            break
        try:
            blind = runner.run(mutant)
            verdict = "".join(f"SURVIVED {test}: {why}" for test, why in blind) or f"caught by {' '.join(mutant.caught_by)}"
        except MutantError as error:
            blind, verdict = [error], f"ERROR {error}"
        took = time.monotonic() - start - spent
        print(f"mutants: {mutant.name} ({took:.0f} s): {verdict}", flush=True)
        done += 1
        if blind:
            missed.append(mutant)
        elif options.record:
            record(root, [mutant.name])
    left = [mutant.name for mutant in chosen[done:]]
    print(f"mutants: {done - len(missed)} of {done} caught in {time.monotonic() - start:.0f} s"
          + (f"; not caught: {' '.join(mutant.name for mutant in missed)}" if missed else ""))
    if left:
        more = f" and {len(left) - SHOWN} more" if len(left) > SHOWN else ""
        print(f"mutants: {len(left)} left out for want of time: {' '.join(left[:SHOWN])}{more}")
    if options.confirmed:
        known, files = confirmed_names(root), changed_files(root)
        missed = [mutant for mutant in missed if mutant.name in known and touches(root, mutant, files)]
        if missed:
            print(f"mutants: were caught before this change: {' '.join(mutant.name for mutant in missed)}")
    return 1 if missed else 0


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["check", "run"])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--changed", action="store_true")
    parser.add_argument("--rotate", action="store_true")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--tests-passed", action="store_true")
    parser.add_argument("--confirmed", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    options = parser.parse_intermixed_args(arguments)
    root = options.root.resolve()
    if options.command == "check":
        return check(root)
    if not (options.names or options.all or options.changed or options.rotate):
        print("mutants: which? NAME..., --changed, --rotate or --all")
        return 2
    try:
        return run(root, options)
    except MutantError as error:
        print(f"mutants: {error}")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
