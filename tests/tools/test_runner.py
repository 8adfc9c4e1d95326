# SPDX-License-Identifier: BSL-1.0
import unittest

import run
from planted import PlantedTree


class Runner(PlantedTree):
    """The runner reports in the format that tools/requirements.py reads."""

    def report_of(self, body):
        class sample(unittest.TestCase):
            test_it = body

        suite = unittest.TestSuite([sample("test_it")])
        return self.run_main(lambda _: suite.run(run.GoogleTestResult()).wasSuccessful())

    def test_passed(self):
        self.assertRegex(self.report_of(lambda test: None)[1], r"\[       OK \] sample\.it \(\d+ ms\)")

    def test_failed(self):
        successful, output = self.report_of(lambda test: test.fail("no"))
        self.assertRegex(output, r"\[  FAILED  \] sample\.it \(\d+ ms\)")
        self.assertNotIn("OK", output)
        self.assertFalse(successful)

    def test_skipped(self):
        output = self.report_of(lambda test: test.skipTest("later"))[1]
        self.assertRegex(output, r"\[  SKIPPED \] sample\.it \(\d+ ms\)")
        self.assertNotIn("OK", output)

    def test_a_file_without_tests_fails(self):
        self.plant("test_nothing.py", "")
        self.assertNotEqual(self.run_main(run.main, self.root / "test_nothing.py")[0], 0)

    def test_one_test_of_a_file_is_run(self):
        self.plant("test_two.py", """\
            import unittest

            class Two(unittest.TestCase):
                def test_good(self):
                    pass

                def test_bad(self):
                    self.fail("no")
            """)
        file = self.root / "test_two.py"
        self.assertEqual(self.run_main(run.main, f"{file}:good")[0], 0)
        self.assertNotEqual(self.run_main(run.main, f"{file}:bad")[0], 0)
        self.assertNotEqual(self.run_main(run.main, f"{file}:none")[0], 0)
