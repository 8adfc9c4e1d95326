# SPDX-License-Identifier: BSL-1.0
"""A temporary folder with planted files, and the output of a checker that was run on it."""
import contextlib
import io
import pathlib
import tempfile
import textwrap
import unittest


class PlantedTree(unittest.TestCase):
    """Each test has an empty folder `self.root`."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def plant(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text), encoding="utf-8")

    def run_main(self, main, *arguments):
        """Exit status (0 or not) and output."""
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            status = int(main([str(a) for a in arguments]))
        return status, output.getvalue()

    def assert_passes(self, main, *arguments):
        status, output = self.run_main(main, *arguments)
        self.assertEqual(status, 0, output)

    def assert_fails_with(self, text, main, *arguments):
        status, output = self.run_main(main, *arguments)
        self.assertNotEqual(status, 0, "nothing was found")
        self.assertIn(text, output)
