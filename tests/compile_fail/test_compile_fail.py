# SPDX-License-Identifier: BSL-1.0
"""Mistakes in the use of actors do not compile, and the compiler explains them in one line.

Each source beside this file holds one mistake, and what is to be said about it:

    // error: TEXT                     is in the line of the error; one of several such lines is enough
    // names: NAME, NAME               are somewhere in the output
    // only: COMPILER                  where others accept it
    // at most: 2 errors, 32 lines     where it is not yet as short as it should be (1 error, 20 lines
                                    without the chain of includes)

With CORRECT defined it is the same program without the mistake, and must compile: so it is the mistake that is reported.
TACTOR_COMPILER says which compiler is tried. With TACTOR_SHOW=1 everything it says is printed.
"""
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parent.parent / "src"
COMPILER = os.environ.get("TACTOR_COMPILER", "g++")
SHOW = os.environ.get("TACTOR_SHOW") == "1"
CASES = sorted(file.stem for file in HERE.glob("*.cpp"))
running = {}


def compiled(*arguments, text=None, standard="c++23"):
    """The output of the compiler, like a user sees it."""
    command = [COMPILER, f"-std={standard}", "-Wall", "-Wextra", f"-I{SOURCES}", f"-I{SOURCES}/tactor/port/host", *arguments]
    return subprocess.run(command, cwd=HERE, env={**os.environ, "LC_ALL": "C"}, input=text, capture_output=True,
                          text=True)


def first_header(case):
    return re.search(r'^#include "(.*)"', (HERE / f"{case}.cpp").read_text(encoding="utf-8"), re.M)[1]


def precompiled(header, folder):
    """Arguments for a case that includes the header first, which takes most of its time."""
    copy = pathlib.Path(folder) / ("precompiled_" + header.replace("/", "_"))
    copy.write_text(f'#include "{header}"\n', encoding="utf-8")
    compiled("-xc++-header", str(copy), "-o", f"{copy}.gch").check_returncode()  # both compilers look for it there
    return ["-include", str(copy)]


def mistake(case, header):
    return compiled("-fsyntax-only", *(header.result() if header else []), f"{case}.cpp")


def all_twins():
    """Every source without its mistake, as one unit: each in a namespace, all headers before them."""
    sources = {case: (HERE / f"{case}.cpp").read_text(encoding="utf-8") for case in CASES}
    includes = sorted({line for text in sources.values() for line in re.findall(r"^#include .*$", text, re.M)})
    spaces = [f'namespace {case} {{\n#include "{case}.cpp"\n}}' for case in CASES]
    return "\n".join(["#define CORRECT", *includes, *spaces, ""])


def setUpModule():
    if not shutil.which(COMPILER):
        raise unittest.SkipTest(f"there is no {COMPILER}")
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    first = {case: first_header(case) for case in CASES}
    headers = {header: pool.submit(precompiled, header, folder.name)
               for header, cases in collections.Counter(first.values()).most_common() if cases > 2}
    running["twins"] = pool.submit(compiled, "-fsyntax-only", f"-I{HERE}", "-xc++", "-", text=all_twins())
    running.update((case, pool.submit(mistake, case, headers.get(header))) for case, header in first.items())


class CompileFail(unittest.TestCase):
    # spec: A1
    def test_the_same_without_the_mistakes_compiles(self):
        result = running["twins"].result()
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stderr)

    def test_an_older_standard_is_one_error_from_every_public_header(self):
        for header in sorted((SOURCES / "tactor").glob("*.hpp")):
            source = f'#include "tactor/{header.name}"\ntactor::actor_system system;\n'
            with self.subTest(header.name):
                result = compiled("-fsyntax-only", "-xc++", "-", text=source, standard="c++20")
                errors = [line for line in result.stderr.splitlines() if re.search(r"\berror: ", line)]
                self.assertIn("tactor needs C++23: compile with -std=c++23", errors[0])
                self.assertIn("fatal error: ", errors[1])  # nothing else is compiled
                self.assertEqual(len(errors), 2)

    def test_a_missing_port_is_one_error_that_says_what_to_do(self):
        command = [COMPILER, "-std=c++23", f"-I{SOURCES}", "-fsyntax-only", "-xc++", "-"]
        result = subprocess.run(command, input='#include "tactor/host.hpp"\n', capture_output=True, text=True)
        errors = [line for line in result.stderr.splitlines() if re.search(r"\berror: ", line)]
        self.assertIn("tactor needs a port: link tactor::host (CMake), or add what pkg-config --cflags tactor prints", errors[0])
        self.assertIn("fatal error: ", errors[1])  # nothing else is compiled
        self.assertEqual(len(errors), 2)

    # spec: V3
    # case: DW-06
    def test_watch_without_a_handler(self):
        self.check("watch_without_a_handler")

    # spec: A10f
    def test_unlisted_handler(self):
        self.check("unlisted_handler")

    def check(self, case):
        source = (HERE / f"{case}.cpp").read_text(encoding="utf-8")
        only = re.search(r"^// only: (.*)$", source, re.M)
        if only and only[1] != COMPILER:
            self.skipTest(f"only {only[1]} reports it")
        result = running[case].result()
        # Which of our headers led to the error does not help the user, so the chain of includes is not counted.
        lines = [line for line in result.stderr.splitlines() if not re.match(r"In file included from | +from ", line)]
        errors = [line for line in lines if re.search(r"\berror: ", line)]
        if SHOW:
            print(result.stderr, f"-- {case}: {len(errors)} errors, {len(lines)} lines", sep="")
        self.assertNotEqual(result.returncode, 0, "it compiles")

        texts = re.findall(r"^// error: (.*)$", source, re.M)
        names = re.search(r"^// names: (.*)$", source, re.M)[1].split(", ")
        most = re.search(r"^// at most: (\d+) errors, (\d+) lines$", source, re.M) or (0, 1, 20)
        self.assertTrue(any(text in errors[0] for text in texts), result.stderr)
        for name in names:
            self.assertRegex(result.stderr, rf"\b{name}\b")
        self.assertLessEqual(len(errors), int(most[1]), result.stderr)
        self.assertLessEqual(len(lines), int(most[2]), result.stderr)


for each in CASES:
    setattr(CompileFail, f"test_{each}", lambda self, case=each: self.check(case))
