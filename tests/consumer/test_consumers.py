# SPDX-License-Identifier: BSL-1.0
import os
import pathlib
import subprocess
import unittest


class Consumers(unittest.TestCase):
    # case: XT-01
    def test_build_and_run_by_find_package_pkg_config_and_add_subdirectory(self):
        script = pathlib.Path(__file__).with_name("run.sh")
        subprocess.run([script, os.environ["TACTOR_BUILD"]], check=True)
