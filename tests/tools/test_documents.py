# SPDX-License-Identifier: BSL-1.0
"""The documents that Q5 asks for are there, and have the parts it names."""
import collections
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
DECISIONS = {  # what Q5 names: a decision about it
    "naming coordinator, executor and invoker": "0005-naming.md",
    "who owns suspension": "0023-resume-is-never-user-mail.md",
    "ports": "0001-ports.md",
    "time": "0002-time-is-an-argument.md",
    "no exceptions": "0003-no-exceptions-in-the-core.md",
    "layout": "0004-side-by-side-layout.md",
    "test framework": "0006-test-framework.md",
}
QUESTIONS = 5  # of the notes
STATES = ("done", "different", "planned", "missing")
ROW = re.compile(r"^\| (\d)\.\d+ \|(?:[^|]*\|){3} (\w+)[^|]*\|([^|]+)\|$", re.MULTILINE)
NAMED_TEST = re.compile(r"\[`(\w+)\.(\w+)`\]\(\.\./([^)]+)\)")
ARROW = re.compile(r"─|-->|->|▶|▼|→|\|")


def text_of(path):
    return (DOCS / path).read_text(encoding="utf-8")


def headings(text):
    return re.findall(r"^#+ (.+)$", text, re.MULTILINE)


def drawings(text):
    """The code blocks without a language."""
    return [block for language, block in re.findall(r"^```(\w*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL) if not language]


class Documents(unittest.TestCase):
    # spec: Q5
    def test_there_is_a_decision_for_each_topic_and_a_template(self):
        for topic, file in {"the template": "0000-template.md", **DECISIONS}.items():
            for part in ("Status:", "Decision.", "Reason.", "Options considered.", "Consequences."):
                self.assertIn(f"**{part}**", text_of(f"adr/{file}"), f"{file}: {topic}")

    # spec: Q5
    def test_each_folder_of_the_core_has_a_page_with_a_drawing(self):
        folders = [f for f in (ROOT / "src/tactor/core").iterdir() if f.is_dir()]
        self.assertGreaterEqual(len(folders), 9)
        pages = [page.read_text(encoding="utf-8") for page in (DOCS / "design").glob("*.md") if page.name != "walks.md"]
        for folder in folders:
            its_pages = [page for page in pages if re.search(rf"\bcore/{folder.name}\b", page)]
            drawn = [drawing for page in its_pages for drawing in drawings(page) if ARROW.search(drawing)]
            self.assertTrue(drawn, f"no page of docs/design has core/{folder.name} and a drawing")

    # spec: Q5
    def test_the_notes_questions_are_answered(self):
        asked = [h for h in headings(text_of("guide/faq.md")) if h.endswith("?")]
        self.assertGreaterEqual(len(asked), QUESTIONS)

    # spec: Q5
    def test_there_are_pages_for_operation_and_for_regressions(self):
        for page in ("guide/troubleshooting.md", "guide/operations.md"):
            self.assertGreaterEqual(len(headings(text_of(page))), 5, page)
        self.assertIn("When a figure gets worse", headings(text_of("performance.md")))

    def test_the_rows_about_the_notes_add_up_and_name_tests_that_exist(self):
        page = text_of("notes-coverage.md")
        rows = ROW.findall(page)
        self.assertEqual(len(rows), len(re.findall(r"^\| \d\.\d+ \|", page, re.MULTILINE)), "a row has another form")
        counts = collections.Counter((note, state) for note, state, _ in rows)
        for note, *figures in re.findall(r"^\| \[(\d)\..*\) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| \d+ \|$", page, re.MULTILINE):
            self.assertEqual([int(each) for each in figures], [counts[note, state] for state in STATES], f"note {note}")
        for suite, name, file in NAMED_TEST.findall(page):
            self.assertRegex((ROOT / file).read_text(encoding="utf-8"), rf"\b{suite}\b[\s\S]*\b{name}\b", file)
