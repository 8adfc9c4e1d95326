# SPDX-License-Identifier: BSL-1.0
import check_tests
from planted import PlantedTree


class CheckTests(PlantedTree):
    def passes(self):
        self.assert_passes(check_tests.main, self.root)

    def fails_with(self, complaint):
        self.assert_fails_with(complaint, check_tests.main, self.root)

    def plant_two(self, first, second, folder="core"):
        self.plant("core/a.test.cpp", first)
        self.plant(f"{folder}/b.test.cpp", second)

    def test_anonymous_names_may_be_the_same(self):
        text = """\
            namespace tactor {{
            namespace {{

            struct ping {{
              int {0};
            }};
            void f() {{
            }}
            TEST(suite, {0}) {{
            }}
            struct pong {{ int {0}; }};

            }}  // namespace
            }}  // namespace tactor
            """
        self.plant_two(text.format("a"), text.format("b"))
        self.passes()

    def test_two_classes_of_one_name_are_caught(self):
        self.plant_two("namespace shop {\nstruct ping {};\n}\n", "namespace shop {\nstruct ping { int x; };\n}\n")
        self.fails_with("core/b.test.cpp:2: shop::ping is another one in a.test.cpp")

    def test_a_class_behind_an_anonymous_namespace_is_caught(self):
        text = "namespace {{\nvoid f() {{\n}}\n}}  // namespace\nclass ping {{\n  int {0};\n}};\n"
        self.plant_two(text.format("a"), text.format("b"))
        self.fails_with("core/b.test.cpp:5: ping is another one")

    def test_a_class_behind_an_anonymous_namespace_of_one_line_is_caught(self):
        text = "namespace {{\nint x;\n}}\nclass ping {{\n  int {0};\n}};\n"
        self.plant_two(text.format("a"), text.format("b"))
        self.fails_with("core/b.test.cpp:4: ping is another one")

    def test_two_templates_of_one_name_are_caught(self):
        text = "template <class T>\nstruct box {{\n  T {0};\n}};\n"
        self.plant_two(text.format("a"), text.format("b"))
        self.fails_with("core/b.test.cpp:2: box is another one")

    def test_two_inline_functions_of_one_name_are_caught(self):
        text = "inline int sum(int a, int b) {{\n  return a {0} b;\n}}\n"
        self.plant_two(text.format("+"), text.format("-"))
        self.fails_with("core/b.test.cpp:1: sum is another one")

    def test_the_same_class_twice_passes(self):
        text = "namespace shop {\nstruct ping {\n  int x;\n};\n}  // namespace shop\n"
        self.plant_two(text, text)
        self.passes()

    def test_names_in_different_namespaces_pass(self):
        self.plant_two("namespace a {\nstruct ping {};\n}\n", "namespace b {\nstruct ping { int x; };\n}\n")
        self.passes()

    def test_names_in_different_folders_pass(self):
        self.plant_two("struct ping {};\n", "struct ping { int x; };\n", folder="host")
        self.passes()

    def test_two_tests_of_one_name_are_caught(self):
        text = "namespace {\nTEST(suite, name) {\n}\n}  // namespace\n"
        self.plant_two(text, text)
        self.fails_with("core/b.test.cpp:2: suite.name is also the name of the test in a.test.cpp:2")
