# SPDX-License-Identifier: BSL-1.0
import contextlib
import os
import pathlib
import subprocess

import mutants
from planted import PlantedTree

HALF = """\
#pragma once
constexpr int half(int x) {
  if (x < 0) return -half(-x);
  return x / 2;
}
int twice(int x);
"""
TEST = """\
#include <cstdio>
#include <cstdlib>
#include "tactor/half.hpp"
int main() {
  if (half(8) == 4 && twice(4) == 8) return 0;
  if (half(8) == 5) std::abort();
  std::puts(half(8) == 6 ? "refuted: SEARCH NOT FINISHED" : "model: half: refuted: RACE");
  return 1;
}
"""
ENTRY = """\
[[mutant]]
name = "half_of_nothing"
breaks = "The half of everything is zero."
caught_by = ["model.half"]
file = "tactor/half.hpp"
replace = 'return x / 2;'
with = 'return 0;'
"""
# A project with the structure of the real one: presets, a library, a program per test.
PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(planted LANGUAGES CXX)
enable_testing()
add_library(half STATIC src/tactor/half.cpp)
target_include_directories(half PUBLIC src)
add_executable(test_model_half tests/model/half.model.cpp)
target_link_libraries(test_model_half PRIVATE half)
add_test(NAME model.half COMMAND test_model_half)
"""
PRESETS = """\
{"version": 6,
 "configurePresets": [{"name": "base", "hidden": true, "generator": "Ninja", "binaryDir": "${sourceDir}/build/${presetName}",
                       "cacheVariables": {"CMAKE_EXPORT_COMPILE_COMMANDS": "ON", "CMAKE_BUILD_TYPE": "Debug"}},
                      {"name": "model", "inherits": "base"}],
 "buildPresets": [{"name": "model", "configurePreset": "model"}]}
"""


def entry(name, replace, replacement, test="model.half", file="tactor/half.hpp"):
    return (f'[[mutant]]\nname = "{name}"\nbreaks = "It."\ncaught_by = ["{test}"]\nfile = "{file}"\n'
            f"replace = '''{replace}'''\nwith = '''{replacement}'''\n")


class Planted(PlantedTree):
    def setUp(self):
        super().setUp()
        self.plant("src/tactor/half.hpp", HALF)
        self.plant("src/tactor/half.cpp", '#include "tactor/half.hpp"\nint twice(int x) { return x + x; }\n')
        self.plant("tests/model/half.model.cpp", TEST)
        self.plant("tests/mutants/base.toml", ENTRY)

    def run_mutants(self, *arguments):
        return self.run_main(mutants.main, *arguments, "--root", self.root)


class MutantTable(Planted):
    """Output of `check`."""

    def passes(self):
        self.assert_passes(mutants.main, "check", "--root", self.root)

    def fails_with(self, text, table=None):
        if table is not None:
            self.plant("tests/mutants/base.toml", table)
        self.assert_fails_with(text, mutants.main, "check", "--root", self.root)

    def test_a_table_whose_texts_are_found_passes(self):
        self.passes()

    def test_a_text_that_is_gone_is_caught(self):
        self.fails_with("half_of_nothing: its text stands 0 times in src/tactor/half.hpp: return x / 3;",
                        ENTRY.replace("x / 2", "x / 3"))

    def test_a_text_that_stands_twice_is_caught(self):
        self.fails_with("stands 2 times", ENTRY.replace("return x / 2;", "half"))

    def test_white_space_between_tokens_does_not_count(self):
        self.plant("src/tactor/half.hpp", HALF.replace("return x / 2;", "return\n      x /\n      2;"))
        self.passes()
        self.plant("src/tactor/half.hpp", HALF.replace("return x / 2;", "returnx / 2;"))
        self.fails_with("stands 0 times")

    def test_a_missing_file_is_caught(self):
        self.fails_with("there is no src/tactor/third.hpp", ENTRY.replace("half.hpp", "third.hpp"))

    def test_a_missing_scenario_is_caught(self):
        self.fails_with("no file holds the test model.third", ENTRY.replace("model.half", "model.third"))

    def test_a_memory_order_without_a_mutant_is_caught(self):
        self.plant("src/tactor/flag.hpp", "inline void set() {\n  flag.store(1, release);  // pairs: flag.set\n}\n")
        self.fails_with("src/tactor/flag.hpp:2: no mutant weakens this release: add one, or say `// no mutant: reason`")
        left_out = entry("flag_is_not_set", "flag.store(1, release);", "", file="tactor/flag.hpp")
        kept = entry("flag_is_cleared", "flag.store(1, release)", "flag.store(0, release)", file="tactor/flag.hpp")
        self.fails_with("no mutant weakens this release", ENTRY + kept)
        self.plant("tests/mutants/base.toml", ENTRY + left_out)
        self.passes()
        self.plant("tests/mutants/base.toml", ENTRY)
        self.plant("src/tactor/flag.hpp", "inline void set() {\n  flag.store(1, release);  // pairs: flag.set; no mutant: one core\n}\n")
        self.passes()

    def test_relaxed_accesses_and_the_port_need_no_mutant(self):
        self.plant("src/tactor/flag.hpp", "inline void set() { flag.store(1, relaxed); }  // relaxed: a number\n")
        self.plant("src/tactor/port/port.hpp", "inline void set() { flag.store(1, release); }\n")
        self.passes()

    def test_a_confirmed_mutant_that_is_gone_is_caught(self):
        self.plant("tests/mutants/confirmed.txt", "half_of_nothing\n")
        self.passes()
        self.plant("tests/mutants/confirmed.txt", "half_of_something\n")
        self.fails_with("confirmed.txt: there is no mutant half_of_something")

    def test_two_of_one_name_are_caught_also_in_two_tables(self):
        self.fails_with("half_of_nothing is also in base.toml", ENTRY + ENTRY)
        self.plant("tests/mutants/base.toml", ENTRY)
        self.plant("tests/mutants/timing.toml", ENTRY)
        self.fails_with("timing.toml: half_of_nothing is also in base.toml")

    def test_a_wrong_form_is_caught(self):
        for text, table in (("has no with", ENTRY.replace("with = 'return 0;'", "")),
                            ("has no breaks", ENTRY.replace("breaks", "# breaks")),
                            ("has an unknown tests", ENTRY + 'tests = ["base.half"]\n'),
                            ("replaces nothing", ENTRY.replace("return x / 2;", " ")),
                            ("replaces a text by itself", ENTRY.replace("return 0;", "return x/2;")),
                            ("names no test", ENTRY.replace('"model.half"', "")),
                            ("names base.half, which is no scenario", ENTRY.replace('"model.half"', '"model.half", "base.half"')),
                            ("an entry of `also` needs", ENTRY + "[[mutant.also]]\nfile = 'tactor/half.hpp'\n"),
                            ("base.toml: ", ENTRY + "name = \n"),
                            ("there is no mutant", "")):
            with self.subTest(text):
                self.fails_with(text, table)

    def test_every_place_of_a_mutant_is_looked_for(self):
        also = "[[mutant.also]]\nfile = 'tactor/half.cpp'\nreplace = 'x + x'\nwith = 'x'\n"
        self.plant("tests/mutants/base.toml", ENTRY + also)
        self.passes()
        self.fails_with("stands 0 times in src/tactor/half.cpp", ENTRY + also.replace("x + x", "x + y"))

    def test_places_are_those_of_the_unbroken_file(self):
        move = ENTRY.replace("return 0;", "return x / 3;") + (
            "[[mutant.also]]\nfile = 'tactor/half.hpp'\nreplace = 'if (x < 0) return -half(-x);'\nwith = 'return x / 2;'\n")
        self.plant("tests/mutants/base.toml", move)
        self.passes()
        texts = mutants.mutated(self.root, mutants.read_table(self.root)[0][0])
        self.assertIn("{\n  return x / 2;\n  return x / 3;\n}", texts["tactor/half.hpp"])


class MutantChoice(Planted):
    """Which mutants `run` selects, and in which order."""

    def setUp(self):
        super().setUp()
        self.plant("src/tactor/other.hpp", "int a = 1;\nint b = 2;\nint c = 3;\n")
        self.plant("tests/mutants/other.toml", "".join(
            entry(f"other_{name}", f"int {name} =", f"int {name} = 1 +", "model.other", "tactor/other.hpp") for name in "abc"))
        self.plant("tests/model/other.model.cpp", "")
        self.git("init", "-q")
        self.commit()
        self.git("branch", "start")

    def git(self, *arguments):
        subprocess.run(["git", "-C", self.root, "-c", "user.name=x", "-c", "user.email=x", *arguments], check=True, capture_output=True)

    def commit(self, text="x"):
        self.git("add", "-A")
        self.git("commit", "-qm", text, "--allow-empty")

    def chosen(self, **options):
        table = mutants.read_table(self.root)[0]
        settings = {"names": [], "changed": False, "rotate": False} | options
        return [m.name for m in mutants.select(self.root, table, type("options", (), settings))]

    def test_all_in_the_order_of_the_tables(self):
        self.assertEqual(self.chosen(), ["half_of_nothing", "other_a", "other_b", "other_c"])

    def test_by_parts_of_names(self):
        self.assertEqual(self.chosen(names=["_a", "half"]), ["half_of_nothing", "other_a"])
        with self.assertRaisesRegex(mutants.MutantError, "no name contains third"):
            self.chosen(names=["half", "third"])

    def test_changed_in_the_last_commit(self):
        self.plant("src/tactor/other.hpp", "int a = 1;\nint b = 2;\nint c = 4;\n")
        self.commit()
        self.assertEqual(sorted(self.chosen(changed=True)), ["other_a", "other_b", "other_c"])

    def test_changed_and_not_committed(self):
        self.commit()
        self.plant("src/tactor/half.hpp", HALF + "// more\n")
        self.assertEqual(self.chosen(changed=True), ["half_of_nothing"])

    def test_changed_since_the_main_branch(self):
        self.plant("src/tactor/half.hpp", HALF + "// more\n")
        self.commit()
        self.commit()
        self.assertEqual(self.chosen(changed=True), [])
        self.git("update-ref", "refs/remotes/origin/main", "start")
        self.assertEqual(self.chosen(changed=True), ["half_of_nothing"])

    def test_a_changed_test_counts_as_well(self):
        self.plant("tests/model/half.model.cpp", TEST + "// more\n")
        self.commit()
        self.assertEqual(self.chosen(changed=True), ["half_of_nothing"])

    def test_the_changed_come_first_and_the_others_rotate_by_commit(self):
        orders = set()
        for text in "abcdefgh":
            self.plant("src/tactor/half.hpp", HALF + f"// {text}\n")
            self.commit(text)
            order = self.chosen(changed=True, rotate=True)
            self.assertEqual(order[0], "half_of_nothing")
            self.assertEqual(order, self.chosen(changed=True, rotate=True))
            self.assertEqual(sorted(order[1:]), ["other_a", "other_b", "other_c"])
            orders.add(tuple(order))
        self.assertGreater(len(orders), 1)

    def test_run_wants_to_know_which(self):
        status, output = self.run_mutants("run")
        self.assertNotEqual(status, 0)
        self.assertIn("which?", output)


class MutantRuns(Planted):
    """Output of `run`; everything here is really compiled."""

    def setUp(self):
        super().setUp()
        self.plant("CMakeLists.txt", PROJECT)
        self.plant("CMakePresets.json", PRESETS)
    def table(self, *entries):
        self.plant("tests/mutants/base.toml", "\n".join(entries))

    def test_each_kind_of_end_is_told_by_name(self):
        self.table(ENTRY,
                   entry("survivor", "if (x < 0) return -half(-x);", ""),
                   entry("in_a_library", "x + x", "x", file="tactor/half.cpp"),
                   entry("does_not_build", "x / 2", "y / 2"),
                   entry("never_includes_it", "int z;", "int y;", file="tactor/third.hpp"),
                   entry("text_is_gone", "x / 3", "x"),
                   entry("crash_is_no_catch", "x / 2", "5"),
                   entry("endless_search_is_no_catch", "x / 2", "6"))
        self.plant("src/tactor/third.hpp", "int z;\n")
        before = (self.root / "src/tactor/half.hpp").read_bytes()
        status, output = self.run_mutants("run", "--all")
        self.assertNotEqual(status, 0)
        for line in (r"half_of_nothing \(\d+ s\): caught by model.half", r"survivor \(\d+ s\): SURVIVED model.half: exit code 0",
                     r"in_a_library \(\d+ s\): caught by model.half", r"does_not_build \(\d+ s\): ERROR does not build",
                     r"never_includes_it \(\d+ s\): ERROR nothing in the test includes",
                     r"text_is_gone \(\d+ s\): ERROR its text stands 0 times",
                     r"crash_is_no_catch \(\d+ s\): SURVIVED model.half", r"endless_search_is_no_catch \(\d+ s\): SURVIVED model.half",
                     r"2 of 8 caught in \d+ s; not caught: survivor does_not_build never_includes_it text_is_gone "
                     r"crash_is_no_catch endless_search_is_no_catch"):
            self.assertRegex(output, line)
        self.assertEqual((self.root / "src/tactor/half.hpp").read_bytes(), before)

    def test_a_survivor_is_fatal_if_it_was_confirmed_and_touches_the_change(self):
        survivor = entry("survivor", "if (x < 0) return -half(-x);", "")
        self.table(survivor)
        git = ["git", "-C", str(self.root), "-c", "user.name=n", "-c", "user.email=e"]
        for command in (["init", "-q"], ["add", "CMakeLists.txt"], ["commit", "-qm", "first"],
                        ["add", "."], ["commit", "-qm", "second"]):
            subprocess.run([*git, *command], check=True)
        self.assertEqual(self.run_mutants("run", "--changed", "--confirmed")[0], 0)
        self.plant("tests/mutants/confirmed.txt", "survivor\n")
        status, output = self.run_mutants("run", "--changed", "--confirmed")
        self.assertEqual(status, 1, output)
        self.assertIn("were caught before this change: survivor", output)
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "nothing touched"], check=True)
        self.assertEqual(self.run_mutants("run", "--rotate", "--confirmed")[0], 0)

    def test_those_that_are_caught_are_recorded(self):
        self.table(ENTRY, entry("survivor", "if (x < 0) return -half(-x);", ""))
        self.run_mutants("run", "--all", "--record")
        self.assertEqual((self.root / "tests/mutants/confirmed.txt").read_text(encoding="utf-8"), "half_of_nothing\n")

    def test_a_source_of_the_same_name_in_another_target_is_not_linked(self):
        self.plant("CMakeLists.txt", PROJECT + "add_library(other STATIC other/half.cpp)\n"
                   "target_include_directories(other PUBLIC src)\nadd_dependencies(test_model_half other)\n")
        self.plant("other/half.cpp", '#include "tactor/half.hpp"\nint twice(int x) { return half(4 * x); }\n')
        status, output = self.run_mutants("run", "half_of_nothing")
        self.assertEqual(status, 0, output)

    def test_a_library_compiled_several_sources_at_a_time(self):
        project = PROJECT.replace("src/tactor/half.cpp)", "src/tactor/half.cpp src/tactor/more.cpp)")
        self.plant("CMakeLists.txt", project + "set_target_properties(half PROPERTIES UNITY_BUILD ON)\n")
        self.plant("src/tactor/more.cpp", "int more(int x) { return x + 1; }\n")
        self.table(ENTRY, entry("in_a_source", "x + x", "x", file="tactor/half.cpp"))
        status, output = self.run_mutants("run", "--all")
        self.assertEqual(status, 0, output)

    def test_a_test_that_fails_unbroken_is_told(self):
        self.plant("tests/model/half.model.cpp", TEST.replace("half(8) == 4", "half(8) == 3"))
        self.assertIn("model.half fails before anything is broken", self.run_mutants("run", "half")[1])

    def test_what_time_does_not_allow_is_named(self):
        self.table(*(entry(f"half_{number}", "x / 2", f"x / {number}") for number in (3, 4, 5)))
        status, output = self.run_mutants("run", "--all", "--seconds", "0.01", "--tests-passed")
        self.assertEqual(status, 0, output)
        self.assertIn("1 of 1 caught", output)
        self.assertIn("2 left out for want of time: half_4 half_5\n", output)

    def test_of_many_that_time_does_not_allow_the_first_are_named(self):
        self.table(*(entry(f"half_{number}", "x / 2", f"x / {number}") for number in range(3, 44)))
        output = self.run_mutants("run", "--all", "--seconds", "0.01", "--tests-passed")[1]
        self.assertIn("40 left out for want of time: half_4 ", output)
        self.assertIn("half_33 and 10 more", output)

    def test_what_a_test_has_started_ends_with_it(self):
        seconds = f"1000.{os.getpid()}"  # unlike that of any other process
        self.assertIsNone(mutants.call(["sh", "-c", f"sleep {seconds} & wait"], ".", seconds=0.5).returncode)
        for file in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):  # it may end meanwhile
                self.assertNotIn(seconds.encode(), file.read_bytes())
