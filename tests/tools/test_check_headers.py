# SPDX-License-Identifier: BSL-1.0
import json
from unittest import mock

import check_headers
from planted import PlantedTree


class CheckHeaders(PlantedTree):
    def setUp(self):
        super().setUp()
        self.enterContext(mock.patch.object(check_headers, "STANDARD", "cstddef"))

    def plant_build(self, **headers):
        """A build folder whose file set holds these headers."""
        entries = []
        for name, text in headers.items():
            self.plant(f"src/tactor/{name}.hpp", "#pragma once\n" + text)
            source = f"build/all_verify_interface_header_sets/tactor/{name}.hpp.cxx"
            self.plant(source, f"#include <tactor/{name}.hpp>\n")
            entries.append({"file": str(self.root / source),
                            "command": f"ccache g++ -I{self.root}/src -x c++ -O3 -std=gnu++23 -o {name}.o -c {self.root / source}"})
        self.plant("build/compile_commands.json", json.dumps(entries))
        return self.root / "build"

    def test_headers_that_compile_by_themselves_pass(self):
        self.assert_passes(check_headers.main, self.plant_build(a="struct a {};\n", b='#include "tactor/a.hpp"\nstruct b : a {};\n'))

    def test_a_header_without_an_include_that_it_needs_is_caught(self):
        build = self.plant_build(a="struct a {};\n", b="struct b : a {};\n")
        self.assert_fails_with("tactor/b.hpp does not compile by itself", check_headers.main, build)

    def test_a_header_that_another_includes_first_is_compiled_with_it(self):
        build = self.plant_build(a="struct a : missing {};\n", b='#include "tactor/a.hpp"\n')
        self.assert_fails_with("(1 were compiled", check_headers.main, build)

    def test_a_header_that_another_includes_second_is_compiled_by_itself(self):
        build = self.plant_build(a="struct a {};\n", b="struct b : a {};\n", c='#include "tactor/a.hpp"\n#include "tactor/b.hpp"\n')
        self.assert_fails_with("1 of 3 do not compile by themselves (2 were compiled", check_headers.main, build)

    def test_a_build_without_headers_is_an_error(self):
        self.assert_fails_with("lists none", check_headers.main, self.plant_build())
