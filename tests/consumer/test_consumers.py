# SPDX-License-Identifier: BSL-1.0
"""Each way to use tactor is a test of its own: `make verify` runs one of them, `make verify-all` all."""
import os
import pathlib
import subprocess
import unittest


class Consumers(unittest.TestCase):
    def use(self, way):
        script = pathlib.Path(__file__).with_name("run.sh")
        subprocess.run([script, os.environ["TACTOR_BUILD"], way], check=True)

    # case: XT-01
    def test_find_package(self):
        self.use("find_package")

    # case: XT-01
    def test_pkg_config(self):
        self.use("pkg_config")

    # case: XT-01
    def test_add_subdirectory(self):
        self.use("add_subdirectory")

    def test_shared_library(self):
        self.use("shared_library")

    def test_plug_ins(self):
        self.use("plug_ins")
