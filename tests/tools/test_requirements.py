# SPDX-License-Identifier: BSL-1.0
import requirements
from planted import PlantedTree

SPEC = """\
# What it must do
- **T1** The clock ticks for as long as it is asked to. And more, as **T3a** says.
- **T2 ◆** The wheel turns
  in both directions.
- **T3** Three promises. **T3a** The bell rings at the hour, once. More about it. **T3b** It rings
  again after a pause. See **T1**.
"""
CASES = """\
| id | Given / When / Then | Source |
|---|---|---|
| SO-01 | G: a timer. T: it fires. | a peer |
| SO-02 | G: no timer. T: nothing. | a peer |
"""
GOOD = """\
// spec: T1
// case: SO-01
TEST(clock, ticks) {}
"""


class Requirements(PlantedTree):
    def setUp(self):
        super().setUp()
        self.plant("docs/spec.md", SPEC)
        self.plant("docs/conformance.md", CASES)
        self.plant("docs/requirements.due", "T1  # the clock\nSO-01\nlater T2 T3a T3b SO-02  # not built\n")
        self.plant("src/clock.test.cpp", GOOD)

    def generate(self):
        return self.run_main(requirements.main, "generate", "--root", self.root)

    def results(self, output, name="results.xml"):
        """Plants a JUnit file whose one test program printed `output`; returns its path."""
        self.plant(f"build/{name}", f'<testsuite><testcase name="x"><system-out>{output}</system-out></testcase></testsuite>')
        return self.root / "build" / name

    def passes(self, *results):
        self.generate()
        self.assert_passes(requirements.main, "check", "--root", self.root, *(["--results", *results] if results else []))

    def fails_with(self, text, *results):
        self.generate()
        self.assert_fails_with(text, requirements.main, "check", "--root", self.root,
                               *(["--results", *results] if results else []))

    # The good tree

    def test_a_tree_whose_due_ids_are_tested_passes(self):
        self.passes()
        self.passes(self.results("[ RUN      ] clock.ticks\n[       OK ] clock.ticks (0 ms)"))

    def test_the_page_names_id_summary_test_and_file(self):
        self.generate()
        page = (self.root / "build/requirements.md").read_text(encoding="utf-8")
        self.assertIn("| T1 | The clock ticks for as long as it is asked to. | `clock.ticks` (src/clock.test.cpp) |", page)
        self.assertIn("| T2 | The wheel turns in both directions. |  |", page)
        self.assertIn("| SO-01 | G: a timer. T: it fires. | `clock.ticks` (src/clock.test.cpp) |", page)

    def test_comments_may_be_stacked_and_every_kind_of_test_counts(self):
        for head in ("TEST(s, n)", "TEST_F(s, n)", "TEST_P(s, n)", "TYPED_TEST(s, n)", "TEST(s,\n     n)",
                     "RC_GTEST_PROP(s, n, (int x))", "RC_GTEST_FIXTURE_PROP(s, n, ())"):
            with self.subTest(head):
                self.plant("src/clock.test.cpp", f"// spec: T1, T2\n// Why it matters.\n// case: SO-01\n{head} {{}}\n")
                self.passes()

    def test_python_tests_count_by_class_and_method(self):
        self.plant("src/clock.test.cpp", "")
        self.plant("tests/tools/test_clock.py", "\n".join([
            "class Clock(TestCase):", "    # spec: T1", "    # case: SO-01", "    @slow", "    def test_ticks(self):", ""]))
        self.passes(self.results("[       OK ] Clock.ticks (0 ms)"))

    def test_lines_outside_test_files_do_not_count(self):
        self.plant("src/clock.test.cpp", "")
        self.plant("src/clock.cpp", GOOD)
        self.fails_with("T1 is due and no test claims it")

    def test_every_file_below_tests_counts(self):
        self.plant("src/clock.test.cpp", "")
        self.plant("tests/stress/clock.cpp", GOOD)
        self.passes()

    # What is wrong in the sources

    def test_a_due_id_without_a_test_is_caught(self):
        self.plant("docs/requirements.due", "T1 SO-01 T2\n")
        self.fails_with("T2 is due and no test claims it: The wheel turns")

    def test_an_unknown_id_is_caught(self):
        self.plant("src/clock.test.cpp", GOOD + "// spec: T9\nTEST(clock, stops) {}\n")
        self.fails_with("src/clock.test.cpp:4: unknown spec id 'T9'")

    def test_a_case_on_a_spec_line_is_caught(self):
        self.plant("src/clock.test.cpp", GOOD + "// spec: SO-02\nTEST(clock, stops) {}\n")
        self.fails_with("unknown spec id 'SO-02'")

    def test_an_unknown_due_id_is_caught(self):
        self.plant("docs/requirements.due", "T1 SO-01 T77\n")
        self.fails_with("docs/requirements.due: unknown id 'T77'")

    def test_an_id_that_is_not_listed_is_caught(self):
        self.plant("docs/requirements.due", "T1 SO-01\nlater T2 T3a SO-02  # not built\n")
        self.fails_with("docs/requirements.due: T3b is not listed")

    def test_an_id_that_is_not_due_needs_a_reason(self):
        self.plant("docs/requirements.due", "T1 SO-01\nlater T2 T3a T3b SO-02\n")
        self.fails_with("docs/requirements.due: T2 is not due and no reason is given")

    def test_an_id_in_both_lists_is_caught(self):
        self.plant("docs/requirements.due", "T1 SO-01\nlater T1 T2 T3a T3b SO-02  # not built\n")
        self.fails_with("docs/requirements.due: T1 is due and is not")

    def test_an_unknown_id_that_is_not_due_is_caught(self):
        self.plant("docs/requirements.due", "T1 SO-01\nlater T2 T3 SO-02  # not built\n")
        self.fails_with("docs/requirements.due: T3 has clauses")

    def test_a_line_that_is_not_above_a_test_is_caught(self):
        for rest in ("int helper();\n", "\nTEST(clock, stops) {}\n", ""):
            with self.subTest(rest):
                self.plant("src/clock.test.cpp", GOOD + "// spec: T2\n" + rest)
                self.fails_with("src/clock.test.cpp:4: this line is not right above a test")

    def test_ids_behind_code_are_caught(self):
        self.plant("src/clock.test.cpp", GOOD + "TEST(clock, stops) {  // spec: T2\n}\n")
        self.fails_with("src/clock.test.cpp:4: ids belong on a line of their own")

    def test_a_disabled_test_that_claims_an_id_is_caught(self):
        for name in ("clock, DISABLED_ticks", "DISABLED_clock, ticks"):
            with self.subTest(name):
                self.plant("src/clock.test.cpp", GOOD.replace("clock, ticks", name))
                self.fails_with("claims T1 SO-01 but is disabled")
                self.fails_with("T1 is due and no test claims it")

    def test_two_tests_of_the_same_name_are_caught(self):
        self.plant("tests/stress/clock.cpp", "TEST(clock, ticks) {}\n")
        self.fails_with("clock.ticks exists in several files")

    # Clauses

    def test_a_clause_is_an_id_of_its_own(self):
        self.plant("docs/requirements.due", "T1 SO-01 T3b\nlater T2 T3a SO-02  # not built\n")
        self.plant("src/bell.test.cpp", "// spec: T3a T3b\nTEST(bell, rings) {}\n")
        self.passes()

    def test_the_bare_id_of_a_line_with_clauses_is_caught(self):
        self.plant("src/bell.test.cpp", "// spec: T3\nTEST(bell, rings) {}\n")
        self.fails_with("src/bell.test.cpp:1: T3 has clauses: name T3a … T3b")

    def test_a_bare_id_that_is_due_is_caught(self):
        self.plant("docs/requirements.due", "T1 SO-01 T3\n")
        self.plant("src/bell.test.cpp", "// spec: T3a T3b\nTEST(bell, rings) {}\n")
        self.fails_with("docs/requirements.due: T3 has clauses: name T3a … T3b")

    def test_a_due_clause_without_a_test_is_caught(self):
        self.plant("docs/requirements.due", "T1 SO-01 T3a T3b\n")
        self.plant("src/bell.test.cpp", "// spec: T3a\nTEST(bell, rings) {}\n")
        self.fails_with("T3b is due and no test claims it: It rings again after a pause.")

    def test_a_clause_that_does_not_exist_is_caught(self):
        for i in ("T3c", "T1a"):
            with self.subTest(i):
                self.plant("src/bell.test.cpp", f"// spec: {i}\nTEST(bell, rings) {{}}\n")
                self.fails_with(f"unknown spec id '{i}'")

    def test_clauses_behind_code_are_caught(self):
        self.plant("src/bell.test.cpp", "TEST(bell, rings) {  // spec: T3a\n}\n")
        self.fails_with("src/bell.test.cpp:1: ids belong on a line of their own")

    def test_clauses_out_of_order_are_caught(self):
        for letters in ("a c", "b a", "a a"):
            with self.subTest(letters):
                self.plant("docs/spec.md", SPEC + "- **T4** " + " ".join(f"**T4{letter}** A promise." for letter in letters.split()))
                self.fails_with("docs/spec.md: the clauses of T4 are")

    def test_the_page_has_a_row_for_each_clause_and_counts_lines(self):
        self.plant("src/bell.test.cpp", "// spec: T3a\nTEST(bell, rings) {}\n")
        self.generate()
        page = (self.root / "build/requirements.md").read_text(encoding="utf-8")
        self.assertIn("| T3a | The bell rings at the hour, once. | `bell.rings` (src/bell.test.cpp) |", page)
        self.assertIn("| T3b | It rings again after a pause. |  |", page)
        self.assertIn("## Specification: a test for 1 of 3", page)
        self.plant("src/bell.test.cpp", "// spec: T3a T3b\nTEST(bell, rings) {}\n")
        self.generate()
        self.assertIn("## Specification: a test for 2 of 3", (self.root / "build/requirements.md").read_text(encoding="utf-8"))

    def test_check_needs_no_page(self):
        self.assert_passes(requirements.main, "check", "--root", self.root)
        self.assertFalse((self.root / "build").exists())

    # What is wrong in the results

    def test_a_test_that_did_not_run_is_caught(self):
        self.fails_with("clock.ticks claims T1 SO-01 but did not run", self.results("[       OK ] clock.stops (0 ms)"))

    def test_a_longer_name_is_another_test(self):
        self.fails_with("did not run", self.results("[       OK ] clock.ticks_twice (0 ms)\n[       OK ] a_clock.ticks (0 ms)"))

    def test_a_test_that_did_not_run_counts_by_its_kept_result(self):
        other = self.results("[       OK ] clock.stops (0 ms)")
        self.plant("docs/verify-all.md", "| test | result |\n|---|---|\n| `clock.ticks` | passed | `abc` | today |\n")
        self.passes(other)
        self.fails_with("but failed", self.results("[  FAILED  ] clock.ticks (0 ms)"))
        self.plant("docs/verify-all.md", "| `clock.ticks` | FAILED | `abc` | today |\n")
        self.fails_with("but failed", other)
        self.passes(self.results("[       OK ] clock.ticks (0 ms)"))

    def test_a_skipped_test_is_caught(self):
        self.fails_with("but was skipped", self.results("[ RUN      ] clock.ticks\n[  SKIPPED ] clock.ticks (0 ms)"))

    def test_a_failed_test_is_caught_even_if_it_passed_in_another_build(self):
        good = self.results("[       OK ] clock.ticks (0 ms)", "good.xml")
        bad = self.results("[  FAILED  ] clock.ticks (0 ms)", "bad.xml")
        self.fails_with("but failed", good, bad)

    def test_a_test_that_never_ended_is_caught(self):
        self.fails_with("but failed", self.results("[ RUN      ] clock.ticks\nSegmentation fault"))

    def test_skipped_in_one_build_and_run_in_another_passes(self):
        self.passes(self.results("[  SKIPPED ] clock.ticks (0 ms)", "a.xml"),
                    self.results("[       OK ] clock.ticks (0 ms)", "b.xml"))

    def test_runs_of_parameterised_and_typed_tests_count_as_their_test(self):
        for run in ("Sizes/clock.ticks/0", "clock/0.ticks", "All/clock/2.ticks"):
            with self.subTest(run):
                self.passes(self.results(f"[       OK ] {run} (0 ms)"))
        self.fails_with("but failed", self.results(
            "[       OK ] Sizes/clock.ticks/0 (0 ms)\n[  FAILED  ] Sizes/clock.ticks/1, where GetParam() = 8 (0 ms)"))

    def test_missing_results_are_caught(self):
        self.fails_with("no such results", self.root / "build/none/*.xml")
