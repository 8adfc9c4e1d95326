# SPDX-License-Identifier: BSL-1.0
import pathlib

import public_names
from planted import PlantedTree

SPACE = """<doxygen><compounddef kind="namespace"><compoundname>tactor{inner}</compoundname>
<memberdef kind="function"><name>{name}</name><briefdescription>Does it. And more.</briefdescription>
<location file="build/include/tactor/core/{name}.hpp"/></memberdef></compounddef></doxygen>
"""


class PublicNames(PlantedTree):
    def setUp(self):
        super().setUp()
        before = public_names.ROOT, public_names.PAGE
        self.addCleanup(lambda: self.use(*before))
        root = pathlib.Path(self.root)
        self.plant("docs/api.md", "")
        self.plant("src/tactor/actor.hpp", '#include "tactor/core/visible.hpp"\n')
        self.plant("src/tactor/core/visible.hpp", "")
        self.plant("xml/a.xml", SPACE.format(inner="", name="visible"))
        self.plant("xml/b.xml", SPACE.format(inner="::internal", name="hidden"))
        self.use(root, root / "docs/api.md")
        self.xml = str(root / "xml")

    @staticmethod
    def use(root, page):
        public_names.ROOT, public_names.PAGE = root, page

    def test_a_page_that_is_out_of_date_is_caught_until_it_is_written(self):
        self.assertEqual(public_names.main(["check", self.xml]), 1)
        self.assertEqual(public_names.main(["write", self.xml]), 0)
        self.assertEqual(public_names.main(["check", self.xml]), 0)

    def test_the_page_has_the_first_sentence_and_nothing_internal(self):
        public_names.main(["write", self.xml])
        page = public_names.PAGE.read_text(encoding="utf-8")
        self.assertIn("| `visible` | tactor/core/visible.hpp | Does it. |", page)
        self.assertNotIn("hidden", page)

    def test_a_name_that_no_header_for_users_gives_is_caught(self):
        self.plant("src/tactor/actor.hpp", "")
        self.assertEqual(public_names.main(["check", self.xml]), 1)

    def test_a_name_without_a_comment_is_caught(self):
        self.plant("xml/a.xml", SPACE.format(inner="", name="visible").replace("Does it. And more.", ""))
        self.assertEqual(public_names.main(["write", self.xml]), 1)

    def test_a_page_is_not_written_without_names(self):
        self.plant("docs/api.md", "kept")
        self.assertEqual(public_names.main(["write", self.xml + "/nothing"]), 1)
        self.assertEqual(public_names.PAGE.read_text(encoding="utf-8"), "kept")
