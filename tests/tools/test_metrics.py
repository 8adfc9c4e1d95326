# SPDX-License-Identifier: BSL-1.0
import pathlib
import shutil
import subprocess
import unittest

import metrics
from planted import PlantedTree

TABLE = """inline constexpr metric metric_table[] = {
    // waiting
    metric{.name = "shop.wait_total",
           .unit = metric_unit::nanoseconds,
           .labels = "desk,till",
           .help = "How long, in "
                   "all.",
           .total = internal::member_of<&metrics_snapshot::wait>},
    metric{
        .name = "shop.load",
        .unit = metric_unit::ratio,
        .kind = metric_kind::gauge,
        .level = metrics_level::actor,
        .help =
            "How full.",
        .source = metric_source::load},
};
"""


class Metrics(PlantedTree):
    def setUp(self):
        super().setUp()
        self.addCleanup(setattr, metrics, "ROOT", metrics.ROOT)
        metrics.ROOT = pathlib.Path(self.root)
        self.plant("docs/other.md", "")
        self.plant(metrics.TABLE, TABLE)

    def test_a_page_that_is_out_of_date_is_caught_until_it_is_written(self):
        self.assertEqual(metrics.main(["check"]), 1)
        self.assertEqual(metrics.main(["write"]), 0)
        self.assertEqual(metrics.main(["check"]), 0)
        self.plant(metrics.TABLE, TABLE.replace("How full", "How empty"))
        self.assertEqual(metrics.main(["check"]), 1)

    def test_a_row_has_the_names_and_the_help(self):
        metrics.main(["write"])
        text = (metrics.ROOT / metrics.PAGE).read_text(encoding="utf-8")
        self.assertIn("| `shop.wait_total` | tactor_shop_wait_seconds_total | counter | `system` | desk, till | How long, in all. |", text)
        self.assertIn("| `shop.load` | tactor_shop_load | gauge | `actor` |  | How full. |", text)

    def test_a_rule_for_a_metric_that_does_not_exist_is_caught(self):
        self.plant("share/prometheus/some.rules.yml", "expr: tactor_shop_load > 1 and tactor_shop_wait_seconds_total > 1\n")
        self.assertEqual(metrics.main(["write"]), 0)
        self.plant("share/grafana/some.json", '{"expr": "rate(tactor_shop_sales_total[1m])"}')
        self.assertEqual(metrics.main(["check"]), 1)

    @unittest.skipUnless(shutil.which("promtool"), "promtool is not installed (Debian package `prometheus`)")
    def test_promtool_accepts_the_rules(self):
        rules = pathlib.Path(metrics.__file__).resolve().parent.parent / "share/prometheus/tactor.rules.yml"
        self.assertEqual(subprocess.run(["promtool", "check", "rules", rules], stdout=subprocess.DEVNULL).returncode, 0)

    def test_a_table_that_is_not_found_is_an_error(self):
        self.plant(metrics.TABLE, "")
        self.assertEqual(metrics.main(["write"]), 1)
