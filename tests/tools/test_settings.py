# SPDX-License-Identifier: BSL-1.0
import pathlib

import settings
from planted import PlantedTree

CONFIG = """namespace tactor {

/// How loud.
enum class loudness : std::uint8_t { low, high };  // of two

/// Inner settings.
struct inner_config {
  /// How many; never more. And why.
  std::size_t most = 10;
  duration wait = std::chrono::seconds{1};
};

struct system_config {
  static constexpr int other = 3;
  std::string_view name = {};
  inner_config inner = {};
  loudness how = loudness::low;  // said when it speaks
  /// Function.
  [[nodiscard]] int twice() const;
};

}  // namespace tactor
"""
CHECK = 'if (bad) return refuse("inner.most", std::size_t{most}, "from 1 "\n    "to 9");\n'


class Settings(PlantedTree):
    def setUp(self):
        super().setUp()
        before = settings.ROOT, settings.PAGE
        self.addCleanup(lambda: self.use(*before))
        root = pathlib.Path(self.root)
        self.plant("docs/other.md", "")
        self.plant("src/tactor/config.hpp", CONFIG)
        self.plant("src/tactor/config.cpp", CHECK)
        self.use(root, root / "docs/settings.md")

    @staticmethod
    def use(root, page):
        settings.ROOT, settings.PAGE = root, page

    def written(self):
        self.assertEqual(settings.main(["write"]), 0)
        return settings.PAGE.read_text(encoding="utf-8")

    def test_a_page_that_is_out_of_date_is_caught_until_it_is_written(self):
        self.assertEqual(settings.main(["check"]), 1)
        self.written()
        self.assertEqual(settings.main(["check"]), 0)
        self.plant("src/tactor/config.hpp", CONFIG.replace("= 10;", "= 11;"))
        self.assertEqual(settings.main(["check"]), 1)

    def test_a_row_has_the_default_the_limits_and_the_meaning(self):
        page = self.written()
        self.assertIn("| `inner.most` | `10` | from 1 to 9 | How many; never more |", page)
        self.assertIn("| `inner.wait` | 1 second |  | Inner settings |", page)
        self.assertIn("| `name` | empty |  |", page)
        self.assertIn("| `how` | `loudness::low` | `low`, `high` | Said when it speaks |", page)

    def test_constants_and_functions_are_no_settings(self):
        page = self.written()
        self.assertNotIn("other", page)
        self.assertNotIn("twice", page)
