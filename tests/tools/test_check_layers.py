# SPDX-License-Identifier: BSL-1.0
import check_layers
from planted import PlantedTree


class CheckLayers(PlantedTree):
    def plant_include(self, path, include):
        self.plant(path, f"#pragma once\n#include {include}\n")

    def passes(self):
        self.assert_passes(check_layers.main, self.root)

    def fails_with(self, text):
        self.assert_fails_with(text, check_layers.main, self.root)

    def test_includes_that_point_down_pass(self):
        self.plant_include("port/port.hpp", '"tactor_port.hpp"')
        self.plant_include("port/host/tactor_port.hpp", "<atomic>")
        self.plant_include("base/ring.hpp", '"tactor/port/port.hpp"')
        self.plant_include("core/timing/wheel.hpp", '"tactor/base/ring.hpp"')
        self.plant_include("core/timing/wheel.cpp", '"tactor/core/timing/wheel.hpp"')
        self.plant_include("core/system/system.hpp", '"tactor/core/actor/actor.hpp"')
        self.plant_include("host/pool.cpp", "<thread>")
        self.plant_include("host/pool.hpp", '"tactor/version.hpp"')
        self.passes()

    def test_an_include_that_points_up_is_caught(self):
        self.plant_include("base/ring.hpp", '"tactor/core/timing/wheel.hpp"')
        self.fails_with("base/ring.hpp:2: base may not include tactor/core/timing/wheel.hpp")

    def test_an_include_across_core_is_caught(self):
        self.plant_include("core/timing/wheel.hpp", '"tactor/core/actor/cell/cell.hpp"')
        self.fails_with("core/timing may not include")

    def test_siblings_of_the_top_layer_do_not_see_each_other(self):
        self.plant_include("bare/loop.cpp", '"tactor/host/pool.hpp"')
        self.fails_with("bare may not include tactor/host/pool.hpp")

    def test_folders_of_the_host_include_downwards(self):
        self.plant_include("host/actor_system.cpp", '"tactor/host/workers/pool.hpp"')
        self.plant_include("host/workers/pool.cpp", '"tactor/host/os/futex.hpp"')
        self.passes()
        self.plant_include("host/os/futex.cpp", '"tactor/host/workers/pool.hpp"')
        self.fails_with("host/os may not include tactor/host/workers/pool.hpp")
        self.plant_include("host/os/futex.cpp", '"tactor/host/actor_system.hpp"')
        self.fails_with("host/os may not include tactor/host/actor_system.hpp")
        self.plant_include("host/os/futex.cpp", "<cstdint>")
        self.plant_include("host/workers/pool.cpp", '"tactor/host/timers/driver.hpp"')
        self.fails_with("host/workers may not include tactor/host/timers/driver.hpp")

    def test_angle_brackets_do_not_hide_an_include(self):
        self.plant_include("port/port.hpp", "<tactor/base/ring.hpp>")
        self.fails_with("port may not include tactor/base/ring.hpp")

    def test_a_header_for_everything_is_no_way_round(self):
        self.plant_include("tactor.hpp", '"tactor/host/pool.hpp"')
        self.passes()
        self.plant_include("base/ring.hpp", '"tactor/tactor.hpp"')
        self.fails_with("base may not include tactor/tactor.hpp")

    def test_a_relative_include_is_caught(self):
        self.plant_include("base/ring.hpp", '"../core/timing/wheel.hpp"')
        self.fails_with("write the full path")

    def test_a_folder_that_is_not_listed_is_caught(self):
        self.plant_include("core/extras/x.hpp", "<cstdint>")
        self.fails_with("core/extras/x.hpp: its folder is not listed")

    def test_a_file_directly_in_core_is_caught(self):
        self.plant_include("core/x.hpp", "<cstdint>")
        self.fails_with("core/x.hpp: its folder is not listed")

    def test_a_banned_header_in_base_or_core_is_caught(self):
        for header in sorted(check_layers.BANNED):
            with self.subTest(header):
                self.plant_include("core/timing/wheel.cpp", f"<{header}>")
                self.fails_with(f"<{header}> is banned in base and core")
        self.plant_include("core/timing/wheel.cpp", "<cstdint>")
        self.plant_include("base/ring.hpp", "<functional>")
        self.fails_with("base/ring.hpp:2: <functional> is banned")

    def test_an_atomic_in_a_folder_with_one_owner_is_caught(self):
        self.plant("core/timing/wheel.hpp", "port::atomic<int> slots;\n")
        self.fails_with("core/timing has one owner and uses no atomics")

    def test_test_files_may_include_anything(self):
        self.plant_include("base/ring.test.cpp", '"tactor/testkit/manual_clock.hpp"')
        self.plant_include("base/ring.model.cpp", "<thread>")
        self.passes()
