# SPDX-License-Identifier: BSL-1.0
import check_includes
from planted import PlantedTree


class CheckIncludes(PlantedTree):
    def passes(self, path, text):
        self.plant(path, text)
        self.assert_passes(check_includes.main, self.root)

    def fails_with(self, what, path, text):
        self.plant(path, text)
        self.assert_fails_with(what, check_includes.main, self.root)

    def test_a_name_whose_header_is_included_passes(self):
        self.passes("src/tactor/a.hpp", "#include <vector>\nstd::vector<int> a;\n")

    def test_a_name_without_its_header_is_caught_in_headers_and_examples(self):
        for path in ("src/tactor/core/a.hpp", "examples/host/a.cpp", "examples/host/a.hpp"):
            with self.subTest(path):
                self.fails_with(f"{path}:2: std::vector needs #include <vector>", path, "#include <string>\nstd::vector<int> a;\n")
                (self.root / path).unlink()

    def test_a_name_of_several_headers_may_come_from_any_of_them(self):
        self.passes("src/tactor/a.hpp", "#include <cstdio>\nstd::size_t a;\n")

    def test_a_pattern_stands_for_its_names(self):
        self.passes("src/tactor/a.hpp", "#include <type_traits>\nstatic_assert(std::is_void_v<void>);\n")
        self.fails_with("std::this_thread::yield needs #include <thread>", "src/tactor/b.hpp", "std::this_thread::yield();\n")

    def test_a_name_that_is_not_known_is_an_error(self):
        self.fails_with("does not know the header of std::frobnicate", "src/tactor/a.hpp", "std::frobnicate();\n")

    def test_comments_texts_and_places_with_a_reason_are_left_out(self):
        self.passes("src/tactor/a.hpp", """\
            // std::vector
            auto a = "std::vector";
            // NOLINTNEXTLINE(misc-include-cleaner): a reason
            std::vector<int> b;
            // NOLINTBEGIN(misc-include-cleaner): a reason
            std::map<int, int> c;
            // NOLINTEND(misc-include-cleaner)
            """)

    def test_an_example_has_what_its_own_header_includes(self):
        self.plant("examples/host/a.hpp", "#include <vector>\n")
        self.passes("examples/host/a.cpp", "std::vector<int> a;\n")

    def test_sources_and_tests_are_not_looked_at(self):
        self.plant("src/tactor/a.test.hpp", "std::vector<int> a;\n")
        self.passes("src/tactor/a.cpp", "std::vector<int> a;\n")
