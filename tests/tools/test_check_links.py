# SPDX-License-Identifier: BSL-1.0
import subprocess

import check_links
from planted import PlantedTree

README = """\
[examples/one.cpp](examples/one.cpp), complete:

```cpp
// SPDX
```
"""


class CheckLinks(PlantedTree):
    def setUp(self):
        super().setUp()
        subprocess.run(["git", "-C", self.root, "init", "-q"], check=True)
        self.plant("README.md", README)
        self.plant("examples/one.cpp", "// SPDX\n")
        self.plant("Makefile", "check:\n")
        self.plant("src/tactor/core/clock.hpp", "class clock {\n  void tick();  // unlike tock\n  int hands_;\n};\n")
        self.plant("src/tactor/core/bell.cpp", "void ring(bell& it) { it.swing(); }\n")

    def passes(self, page, text):
        self.plant(page, text)
        self.assert_passes(check_links.main, self.root)

    def fails_with(self, what, page, text):
        self.plant(page, text)
        self.assert_fails_with(what, check_links.main, self.root)

    # Links, paths, targets, examples

    def test_links_paths_and_targets_that_exist_pass(self):
        self.passes("docs/page.md", "# A b\n[x](#a-b) [y](../README.md) `src/tactor/core/clock.hpp` `make check`\n")

    def test_what_points_to_nothing_is_caught(self):
        for what, text in (("there is no gone.md", "[x](gone.md)"), ("has no heading #gone", "[x](#gone)"),
                           ("there is no src/gone.hpp", "`src/gone.hpp`"), ("no target gone", "`make gone`")):
            with self.subTest(text):
                self.fails_with(what, "docs/page.md", text)

    def test_the_end_of_a_path_is_enough(self):
        self.passes("src/tactor/README.md", "`core/clock.hpp` `../core/bell.cpp` `core/` `<tactor/core/clock.hpp>`, `x.hpp`, `*/gone.hpp`\n")

    def test_the_end_of_a_path_that_is_gone_is_caught_with_its_line(self):
        for code in ("bell/clock.hpp", "core/clock.cpp", "clock.test.cpp", "../bell/clock.hpp", "clock/"):
            for page in ("docs/design/page.md", "src/tactor/README.md"):
                with self.subTest(f"{code} in {page}"):
                    self.fails_with(f"{page}:2: there is no {code.removeprefix('../')}", page, f"\nSee `{code}`.\n")
                    self.plant(page, "")

    def test_an_example_that_differs_is_caught(self):
        self.fails_with("examples/one.cpp is not what is shown", "examples/one.cpp", "// SPDX\nint x;\n")

    # Includes

    def test_headers_for_users_pass_and_others_pass_elsewhere(self):
        self.plant("examples/host/two.cpp", '#include "tactor/host.hpp"\n')
        self.plant("tests/three.cpp", '#include "tactor/core/clock.hpp"\n')
        self.passes("docs/guide/page.md", "```cpp\n#include <tactor/actor.hpp>\n```\n")

    def test_an_inner_header_in_an_example_or_the_guide_is_caught(self):
        for page in ("examples/host/two.cpp", "examples/host/two.hpp", "docs/guide/page.md"):
            with self.subTest(page):
                self.fails_with(f"{page}: includes tactor/core/clock.hpp", page, '#include "tactor/core/clock.hpp"\n')
                self.plant(page, "")

    # Identifiers

    def test_names_of_the_sources_pass_in_every_form(self):
        self.passes("docs/page.md", "`clock` `tick()` `clock::tick` `clock::tick(5)` `it.swing` `clock<T>` `~clock` `hands_`\n")

    def test_names_of_files_and_folders_pass(self):
        self.passes("docs/page.md", "`clock.hpp` `bell` `core` `one.cpp`\n")

    def test_what_is_no_identifier_is_not_looked_at(self):
        self.passes("docs/page.md", "`a + b` `--flag` `cortex-m0` `x = gone;`\n```\ngone() and `gone`\n```\n")

    def test_std_words_of_other_tools_and_names_of_the_notes_pass(self):
        self.plant("docs/spec.md", "`MailboxRegistry` is planned, and so is `planned_name`.\n")
        self.passes("docs/page.md", "`std::jthread` `TODO` `MailboxRegistry`\n")
        self.fails_with("nothing is called planned_name", "docs/page.md", "`planned_name`\n")

    def test_a_name_that_is_gone_is_caught_with_its_line(self):
        for code in ("gone", "gone()", "gone::tick", "clock::gone", "it.gone", "gone<T>", "clock.gone()"):
            for page in ("docs/page.md", "CONTRIBUTING.md", "src/tactor/README.md"):
                with self.subTest(f"{code} in {page}"):
                    self.fails_with(f"{page}:6: `{code}`: nothing is called gone", page, f"# A\n\n```\nx\n```\nSee `{code}`.\n")

    def test_a_name_of_comments_only_is_caught(self):
        self.fails_with("docs/page.md:1: `tock`: nothing is called tock", "docs/page.md", "`tock`\n")

    def test_a_name_of_mutants_or_other_pages_only_is_caught(self):
        self.plant("tests/mutants/base.toml", "with = 'gone()'\n")
        self.plant("docs/requirements.due", "# gone\n")
        self.plant("docs/other.md", "A page may say gone without code.\n")
        self.fails_with("nothing is called gone", "docs/page.md", "`gone`\n")

    def test_a_member_of_another_type_is_caught(self):
        self.fails_with("docs/page.md:1: `clock::swing`: no file holds clock and swing", "docs/page.md", "`clock::swing`\n")

    def test_plans_and_history_may_name_anything(self):
        for page in ("docs/spec.md", "docs/conformance.md", "docs/names.md", "docs/adr/0001-x.md", "CHANGELOG.md"):
            with self.subTest(page):
                self.passes(page, "`gone_or_planned`\n")

    def test_a_design_that_is_not_built_may_name_anything(self):
        self.passes("docs/design/plan.md", "# A plan\n\nDesign, not built yet.\n\n`planned()`, `make planned`, `tools/planned.py`\n")
        self.fails_with("there is no gone.md", "docs/design/plan.md", "# A plan\n\nDesign, not built yet.\n\n[x](gone.md)\n")

    # Commits

    def commit(self):
        by = ["-c", "user.name=x", "-c", "user.email=x", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", "-C", self.root, *by, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
        return subprocess.run(["git", "-C", self.root, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()

    def other_than(self, commit):
        return ("a1" if commit.startswith("b") else "b1") + commit[2:8]

    def test_a_commit_of_the_history_and_other_words_pass(self):
        known = self.commit()
        self.commit()
        self.passes("docs/page.md", f"At {known[:7]}, `{known[:12]}`; 20261119, deadbeef, #a1b2c3d4, 0123456789abcdef.\n```\na1b2c3d4\n```\n")

    def test_a_commit_that_is_not_in_the_history_is_caught_with_its_line(self):
        gone = self.other_than(self.commit())
        for text in (f"At {gone}.", f"`{gone}`", f"({gone}+)"):
            with self.subTest(text):
                self.fails_with(f"docs/page.md:2: there is no commit {gone}", "docs/page.md", f"\n{text}\n")

    def test_a_shallow_clone_does_not_know_its_history(self):
        gone = self.other_than(self.commit())
        (self.root / ".git/shallow").write_text(self.commit() + "\n", encoding="utf-8")
        self.passes("docs/page.md", f"At {gone}.\n")

    # Walks

    def test_a_walk_through_functions_that_exist_passes(self):
        self.passes("docs/design/walks.md", "1. `core/bell.cpp` `ring`\n2. `core/clock.hpp` `clock::tick`, `hands_`\n")

    def test_a_step_in_a_file_that_is_gone_is_caught(self):
        self.fails_with("docs/design/walks.md:2: there is no src/tactor/core/gone.cpp", "docs/design/walks.md", "\n`core/gone.cpp` `ring`\n")

    def test_a_function_of_another_file_is_caught(self):
        for step in ("`core/bell.cpp` `tick`", "`core/bell.cpp` `ring`, `tick`", "`core/bell.cpp`\n`tick`"):
            with self.subTest(step):
                self.fails_with("docs/design/walks.md:1: src/tactor/core/bell.cpp does not hold tick", "docs/design/walks.md", step)

    def test_a_function_of_comments_only_is_caught(self):
        self.fails_with("does not hold tock", "docs/design/walks.md", "`core/clock.hpp` `tock`\n")

    def test_other_pages_are_no_walks(self):
        self.passes("docs/page.md", "`core/bell.cpp` `tick`\n")
