# SPDX-License-Identifier: BSL-1.0
"""The two numbers of a `panic_code` name one reason: a board reports nothing else."""
import pathlib
import re
import unittest

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "src"
CODE = re.compile(r"\bpanic_code\s+(\w+)\s*\{\s*\.module\s*=\s*(\w+),\s*\.id\s*=\s*(\w+)")


class Panics(unittest.TestCase):
    def test_no_two_have_the_same_numbers(self):
        reasons = {}
        for file in sorted(SOURCES.rglob("*.[ch]pp")):
            if file.name.endswith((".test.cpp", ".model.cpp")):
                continue
            for name, module, number in CODE.findall(file.read_text(encoding="utf-8")):
                reason = reasons.setdefault((int(module, 0), int(number, 0)), (file.name, name))
                self.assertEqual(reason, (file.name, name))
        self.assertGreater(len(reasons), 20)
