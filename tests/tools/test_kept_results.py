# SPDX-License-Identifier: BSL-1.0
import kept_results
from planted import PlantedTree


class KeptResults(PlantedTree):
    def setUp(self):
        super().setUp()
        self.plant("docs/spec.md", "- **T1** The clock ticks.\n")
        self.plant("docs/conformance.md", "")
        self.plant("src/clock.test.cpp", "// spec: T1\nTEST(clock, ticks) {}\nTEST(clock, stops) {}\n")

    def keep(self, *arguments):
        self.assert_passes(lambda all: kept_results.main(all, self.root), *arguments)
        return (self.root / "docs/verify-all.md").read_text(encoding="utf-8")

    def results(self, output):
        self.plant("build/results.xml", f"<testsuite><testcase name='x'><system-out>{output}</system-out></testcase></testsuite>")
        return self.root / "build/results.xml"

    def test_the_last_result_of_each_stage_is_kept(self):
        self.keep("soak", "0", "600")
        self.keep("coverage", "0", "61")
        page = self.keep("coverage", "1", "125")
        self.assertIn("| `soak` | passed | 10:00 |", page)
        self.assertIn("| `coverage` | FAILED | 2:05 |", page)
        self.assertEqual(page.count("| `coverage` |"), 1)

    def test_tests_that_name_an_id_are_kept(self):
        page = self.keep("soak", "0", "1", self.results("[       OK ] clock.ticks (0 ms)\n[       OK ] clock.stops (0 ms)"))
        self.assertIn("| `clock.ticks` | passed |", page)
        self.assertNotIn("clock.stops", page)
        self.assertIn("| `clock.ticks` | passed |", self.keep("coverage", "0", "1"))
        self.assertIn("| `clock.ticks` | FAILED |", self.keep("soak", "1", "1", self.results("[  FAILED  ] clock.ticks (0 ms)")))

    def test_a_test_that_is_gone_is_forgotten(self):
        self.keep("soak", "0", "1", self.results("[       OK ] clock.ticks (0 ms)"))
        self.plant("src/clock.test.cpp", "")
        self.assertNotIn("clock.ticks", self.keep("soak", "0", "1"))
