# SPDX-License-Identifier: BSL-1.0
import pathlib
import re
import subprocess
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools/ci.sh"


class Ci(unittest.TestCase):
    """The stages of the commands, and what they may cost."""

    def stages(self, command):
        """stage -> budget in seconds"""
        listed = re.search(rf"^{command}=\((.*?)\)$", SCRIPT.read_text(encoding="utf-8"), re.M | re.S)[1]
        return {name: 60 * int(minutes) + int(seconds) for name, minutes, seconds in re.findall(r"(\w+)=(\d+):(\d\d)", listed)}

    def test_the_budgets_of_test_and_verify_are_what_the_specification_allows(self):
        test, verify = sum(self.stages("test").values()), sum(self.stages("verify").values())
        self.assertLessEqual(test, 8 * 60)
        self.assertLessEqual(test + verify, 30 * 60)

    def test_each_stage_is_defined(self):
        text = SCRIPT.read_text(encoding="utf-8")
        in_turn = re.search(r"^in_turn=\((.*)\)$", text, re.M)[1].split()
        for name in [*self.stages("test"), *self.stages("verify"), *self.stages("verify_all"), *in_turn]:
            self.assertRegex(text, rf"(?m)^stage_{name}\(\) \{{")

    def test_an_unknown_stage_is_refused(self):
        done = subprocess.run([SCRIPT, "requirements", "none"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no stage is called none", done.stderr)

    def test_the_commit_decides_which_package_and_which_stage_take_their_turn(self):
        functions = re.search(r"^by_commit\(\).*$", SCRIPT.read_text(encoding="utf-8"), re.M)[0]
        chosen = {subprocess.run(["bash", "-c", f"commit={i:07x}ff; {functions}; by_commit one two three"], capture_output=True,
                                 text=True).stdout.strip() for i in range(0xabc0, 0xabc0 + 3)}
        self.assertEqual(chosen, {"one", "two", "three"})
