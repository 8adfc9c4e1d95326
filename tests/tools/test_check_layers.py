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
        self.plant_include("core/timing/wheel.hpp", '"tactor/core/cell/cell.hpp"')
        self.fails_with("core/timing may not include")

    def test_siblings_of_the_top_layer_do_not_see_each_other(self):
        self.plant_include("bare/loop.cpp", '"tactor/host/pool.hpp"')
        self.fails_with("bare may not include tactor/host/pool.hpp")

    def test_folders_of_the_host_include_downwards(self):
        self.plant_include("host/actor_system.cpp", '"tactor/host/workers/pool.hpp"')
        self.plant_include("host/workers/pool.cpp", '"tactor/host/os/wait_on_word.hpp"')
        self.passes()
        self.plant_include("host/os/wait_on_word.cpp", '"tactor/host/workers/pool.hpp"')
        self.fails_with("host/os may not include tactor/host/workers/pool.hpp")
        self.plant_include("host/os/wait_on_word.cpp", '"tactor/host/actor_system.hpp"')
        self.fails_with("host/os may not include tactor/host/actor_system.hpp")
        self.plant_include("host/os/wait_on_word.cpp", "<cstdint>")
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

    # Where functions are defined

    def plant_functions(self, declared, own, other):
        self.plant("core/timing/wheel.hpp", f"#pragma once\nnamespace tactor {{\n{declared}\n}}  // namespace tactor\n")
        self.plant("core/timing/wheel.cpp", f"namespace tactor {{\n{own}\n}}  // namespace tactor\n")
        self.plant("core/timing/other.cpp", f"namespace tactor {{\n{other}\n}}  // namespace tactor\n")

    def test_a_function_that_another_source_defines_is_caught(self):
        for declared in ("int turn(int by) noexcept;", "[[nodiscard]] int turn(wheel& w, int (*f)(int)) noexcept;",
                         "template <class T>\nint turn(T by);", "std::vector<std::pair<int, int>> turn();",
                         "class wheel {\n  void stop();\n};\nint turn(int by);", "static_assert([] { return f(1); }());\nint turn(int by);"):
            with self.subTest(declared):
                self.plant_functions(declared, "", "int turn(int by) noexcept {\n  return by;\n}")
                self.fails_with("core/timing/other.cpp defines turn, which core/timing/wheel.hpp declares")

    def test_a_function_that_its_own_files_define_passes(self):
        self.plant_functions("int turn(int by);", "int turn(int by) {\n  return by;\n}", "int turn(double by) {\n  return 1;\n}")
        self.passes()
        self.plant_functions("int turn(int by);\ninline int turn(int by) { return by; }", "", "int turn(double by) {\n  return 1;\n}")
        self.passes()

    def test_members_and_what_only_looks_like_a_function_pass(self):
        self.plant_functions("""class wheel {
              int turn(int by);
              int other() { return 1; }
            };
            // int turn(int by);
            static_assert(wheel{}.turn(1));
            using turner = int (*)(int turn);
            constexpr int turns = turn(1);
            template <class T> concept turns_well = requires(T t) { turn(t); };
            """, "", "int turn(int by) {\n  return by;\n}")
        self.passes()

    def test_a_member_that_another_source_defines_is_caught_unless_there_is_a_reason(self):
        for declared in ("class wheel final : public round {\n  void stop();\n};", "template <class T>\nstruct alignas(8) wheel {\n  void stop();\n};"):
            for name in ("wheel::stop", "wheel<int>::stop", "wheel::spoke::stop", "wheel::operator=", "wheel::~wheel"):
                with self.subTest(declared + name):
                    self.plant_functions(declared, "", f"auto {name}(int by) noexcept {{\n}}")
                    self.fails_with("core/timing/other.cpp defines members of wheel, which core/timing/wheel.hpp declares")
        self.plant_functions("class wheel {\n  void stop();\n};", "void wheel::stop() {\n}", "namespace wheel_of {\n}")
        self.passes()
        self.plant_functions("class turn {\n  void stop();\n};", "", "void turn::stop() {\n}")
        self.passes()

    def test_a_function_that_nothing_defines_passes(self):
        self.plant_functions("template <class R> R reply_of(R (*)(int));", "", "")
        self.passes()

    # Calls through rows

    def plant_row(self, caller, call, value=".stop = stop_all"):
        self.plant("core/features.hpp", """\
            struct stop_functions {
              void (*stop)();
            };
            extern const stop_functions stop_feature;
            struct features {
              const stop_functions* stops = nullptr;
            };
            """)
        self.plant("core/life/stop.hpp", "void stop_all();\nclass stopper {\n  void stop();\n};\n")
        self.plant("core/turn/row.cpp", f"const stop_functions stop_feature{{{value}}};\n")
        self.plant(caller, f"void call() {{\n  {call}\n}}\n")

    def test_a_call_through_a_row_follows_includes(self):
        for value in (".stop = stop_all", ".stop = call_member<&stopper::stop>"):
            for caller in ("core/turn/call.cpp", "core/life/call.cpp"):
                self.plant_row(caller, "program_features().stops->stop();", value)
                self.passes()

    def test_a_call_through_a_row_that_goes_up_is_caught(self):
        for call in ("program_features().stops->stop();",
                     "const stop_functions* const row = program_features().stops; if (row != nullptr) row->stop();",
                     "if (const auto* const row = internal::program_features().stops) row->stop();"):
            with self.subTest(call):
                self.plant_row("core/observe/call.cpp", call)
                self.fails_with("core/observe/call.cpp calls stops->stop of core/life, which core/observe may not include")

    def test_a_function_without_a_header_is_in_the_folder_of_its_row(self):
        self.plant_row("core/life/call.cpp", "program_features().stops->stop();", ".stop = [] { stop_all(); }")
        self.fails_with("core/life/call.cpp calls stops->stop of core/turn")
