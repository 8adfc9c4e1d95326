# SPDX-License-Identifier: BSL-1.0
import check_names
from planted import PlantedTree

GOOD = "".join(f"/// The worker takes cell {number}.\n" for number in range(198))


class CheckNames(PlantedTree):
    def setUp(self):
        super().setUp()
        self.plant("tools/old_names.txt", "# Renamed\nlook_monitor  # poll_monitor\nmind\n")
        self.plant("src/a.hpp", "// SPDX-License-Identifier: BSL-1.0\n" + GOOD + "class poll_monitor {};\n")

    def passes(self, path=None, text=None):
        if path:
            self.plant(path, text)
        self.assert_passes(check_names.main, self.root)

    def fails_with(self, what, path, text):
        self.plant(path, text)
        self.assert_fails_with(what, check_names.main, self.root)

    # Old names

    def test_a_tree_without_old_names_passes(self):
        self.passes()

    def test_a_list_of_comments_only_passes(self):
        self.passes("tools/old_names.txt", "# Nothing yet: look_monitor\n")

    def test_an_old_name_is_caught_in_code_comments_and_pages(self):
        for path, line in (("src/b.cpp", "look_monitor it;"), ("src/b.hpp", "/// See look_monitor."), ("src/b.test.cpp", "look_monitor();"),
                           ("src/CMakeLists.txt", "look_monitor.cpp"), ("docs/b.md", "the `look_monitor`"), ("src/README.md", "look_monitor")):
            with self.subTest(path):
                self.fails_with(f"{path}:2: look_monitor is an old name", path, f"\n{line}\n")
                (self.root / path).unlink()

    def test_part_of_a_longer_name_is_another_name(self):
        self.passes("src/b.cpp", "int remind; int look_monitor_size; int minds;\n")

    def test_pages_of_plans_and_history_are_exempt(self):
        for path in ("docs/names.md", "docs/spec.md", "docs/conformance.md", "docs/adr/0001-x.md", "CHANGELOG.md", "docs/CHANGELOG.md"):
            with self.subTest(path):
                self.passes(path, "mind is look_monitor\n")

    def test_other_folders_are_not_looked_at(self):
        self.passes("tests/stress/a.cpp", "look_monitor\n")

    def test_what_is_no_identifier_in_the_list_is_caught(self):
        self.fails_with("'look monitor' is no identifier", "tools/old_names.txt", "look monitor\n")

    # The numbers of panics

    CODE = "inline constexpr port::panic_code {0}{{\n    .module = 7, .id = {1}, .advice = \"so\"}};\n"

    def test_panics_with_different_numbers_pass(self):
        self.plant("src/b.hpp", self.CODE.format("no_memory", 1) + self.CODE.format("too_late", 2))
        self.passes("src/b.test.cpp", self.CODE.format("of_a_test", 1))

    def test_two_panics_with_one_number_are_caught(self):
        self.plant("src/b.hpp", self.CODE.format("no_memory", 1))
        self.fails_with("src/c.cpp:3: panic 7.1 is also no_memory in src/b.hpp", "src/c.cpp", self.CODE.format("first", 2) + self.CODE.format("second", "0x1"))

    # The page of names

    def test_rows_whose_new_name_is_in_its_file_pass(self):
        self.plant("src/tactor/core/poll.hpp", "class poll_monitor { void poll(); };\n")
        self.passes("docs/names.md", "| old | new | file |\n|---|---|---|\n| `look_monitor` | `poll_monitor` | `core/poll.hpp` |\n"
                    "| `look` | `poll_monitor::poll(now)` | `core/poll.hpp` |\n| `look` (file) | `polling` | `core/poll.hpp` |\n"
                    "| `looks` | `x` | `core` |\n| `mind` | watching | (comments) |\n")

    def test_a_row_whose_name_or_file_is_gone_is_caught(self):
        self.plant("src/tactor/core/poll.hpp", "class poll_monitor {};\n")
        self.fails_with("docs/names.md:1: core/poll.hpp does not hold poll_watch", "docs/names.md", "| `a` | `poll_watch` | `core/poll.hpp` |\n")
        self.fails_with("docs/names.md:1: core/gone.hpp is gone", "docs/names.md", "| `a` (file) | `gone` | `core/gone.hpp` |\n")

    # Vague comments

    def test_one_percent_of_vague_comments_passes_and_more_is_caught(self):
        self.passes("src/b.hpp", "/// Nobody takes it.\n/// Somebody does.\n")
        self.fails_with("3 of 201 comment lines hide their noun", "src/b.hpp", "/// Nobody takes it.\n/// Somebody does.\n// As above.\n")

    def test_every_phrase_counts_and_names_its_line(self):
        for words in ("Whoever asks is told", "nobody", "tells somebody", "to everybody", "for those who wait", "one that waits", "one who waits",
                      "the one before", "The same for timers.", "As above."):
            with self.subTest(words):
                self.fails_with(f"src/b.hpp:3: {words}", "src/b.hpp", f"int x;\n// {words}\n// {words}\n// {words}\n".replace("//", "///", 1))

    def test_comments_behind_code_and_blocks_count(self):
        self.fails_with("src/b.hpp:1: nobody waits", "src/b.hpp", "int x;  // nobody waits\n/* nobody\n * one that\n * the one */ int y;\n")
        self.fails_with("4 of 202", "src/b.hpp", "int x;  // nobody waits\n/* nobody\n * one that\n * the one */ int nobody;\n")

    def test_words_elsewhere_do_not_count(self):
        self.passes("src/b.hpp", 'int nobody;\nauto s = "http://nobody // nobody";\n/// At the same time.\n/// Also the onerous.\n/// Assert it. Anyone that waits.\n' * 5)

    def test_the_head_and_empty_lines_are_no_comments(self):
        self.plant("src/a.hpp", "// SPDX-License-Identifier: BSL-1.0\n//\n///\n" * 500)
        self.fails_with("1 of 1 comment lines", "src/b.hpp", "// nobody\n")
