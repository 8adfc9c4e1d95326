#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs Python tests and reports them in the format of GoogleTest, which tools/requirements.py reads.

    tests/tools/run.py [FILE[:TEST]...]        default: every test_*.py beside this file

A method `test_x` of class `Y` is reported as `Y.x`; x is the name of the test.
"""
import importlib.util
import pathlib
import sys
import time
import unittest


def name_of(test):
    return f"{type(test).__name__}.{test._testMethodName.removeprefix('test_')}"


class GoogleTestResult(unittest.TestResult):
    def startTest(self, test):
        super().startTest(test)
        self.started = time.monotonic()
        print(f"[ RUN      ] {name_of(test)}", flush=True)

    def report(self, word, test, text=""):
        if text:
            print(text)
        milliseconds = round((time.monotonic() - self.started) * 1000)
        print(f"[{word}] {name_of(test)} ({milliseconds} ms)", flush=True)

    def addSuccess(self, test):
        self.report("       OK ", test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.report("  SKIPPED ", test, reason)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.report("  FAILED  ", test, self.failures[-1][1])

    def addError(self, test, error):
        super().addError(test, error)
        if isinstance(test, unittest.TestCase):
            self.report("  FAILED  ", test, self.errors[-1][1])
        else:  # setUpClass or setUpModule
            print(self.errors[-1][1], flush=True)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error:
            self.report("  FAILED  ", test, self._exc_info_to_string(error, test))


def tests_in(argument):
    path, _, name = argument.partition(":")
    file = pathlib.Path(path).resolve()
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*.test_{name}"] if name else None
    return loader.loadTestsFromModule(module)


def main(arguments):
    here = pathlib.Path(__file__).resolve().parent
    sys.dont_write_bytecode = True
    sys.path[:0] = [str(here.parent.parent / "tools"), str(here)]
    wanted = [str(a) for a in arguments] or sorted(str(file) for file in here.glob("test_*.py"))
    suite = unittest.TestSuite(tests_in(each) for each in wanted)
    result = GoogleTestResult()
    suite.run(result)
    bad = len(result.failures) + len(result.errors)
    print(f"[==========] {result.testsRun} tests ran, {bad} failed, {len(result.skipped)} skipped")
    return bad > 0 or result.testsRun == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
