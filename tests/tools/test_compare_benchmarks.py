# SPDX-License-Identifier: BSL-1.0
import importlib.machinery
import importlib.util
import json
import pathlib
import textwrap

from planted import PlantedTree

TOOL = pathlib.Path(__file__).resolve().parent.parent.parent / "tools/compare_benchmarks"


def loaded():
    loader = importlib.machinery.SourceFileLoader("compare_benchmarks", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


compare_benchmarks = loaded()


class CompareBenchmarks(PlantedTree):
    def plant_result(self, path, **fields):
        self.plant(path, json.dumps({"commit": "0000000", **fields}))

    def plant_counts(self, path, ping_pong, **more):
        self.plant_result(path, instructions={"ping-pong": {"per_message": ping_pong, "goal": 220}, **more})

    def passes(self, *options):
        self.assert_passes(compare_benchmarks.main, self.root / "old.json", self.root / "new.json", *options)

    def fails_with(self, text, *options):
        self.assert_fails_with(text, compare_benchmarks.main, self.root / "old.json", self.root / "new.json", *options)

    # Results: instructions judge.

    # spec: Q2
    def test_a_doctored_result_with_more_than_5_percent_more_instructions_fails(self):
        self.plant_counts("old.json", 200.0)
        self.plant_counts("new.json", 210.2)
        self.fails_with("ping-pong / per_message: 200.0 -> 210.2 (+5.1%) FAILED")

    # spec: Q2
    def test_5_percent_more_pass(self):
        self.plant_counts("old.json", 200.0)
        self.plant_counts("new.json", 210.0)
        self.passes()

    def test_fewer_instructions_pass(self):
        self.plant_counts("old.json", 200.0)
        self.plant_counts("new.json", 100.0)
        self.passes()

    def test_one_bad_count_among_many_good_ones_fails(self):
        self.plant_counts("old.json", 200.0, ask={"per_message": 900}, ring={"per_message": 210})
        self.plant_counts("new.json", 150.0, ask={"per_message": 1000}, ring={"per_message": 210})
        self.fails_with("compare_benchmarks: 1 worse")

    # spec: Q2
    def test_a_change_that_is_named_with_its_reason_passes(self):
        self.plant_counts("old.json", 200.0, ask={"per_message": 900})
        self.plant_counts("new.json", 220.0, ask={"per_message": 900})
        self.plant("accepted.txt", "# Prices\nnew.json: ping-pong / per_message # one structure for all ports\n")
        self.passes("--accepted", self.root / "accepted.txt")
        self.plant_counts("new.json", 220.0, ask={"per_message": 999})
        self.fails_with("ask / per_message: 900.0 -> 999.0 (+11.0%) FAILED", "--accepted", self.root / "accepted.txt")

    def test_a_name_without_a_reason_fails(self):
        self.plant_counts("old.json", 200.0)
        self.plant_counts("new.json", 200.0)
        self.plant("accepted.txt", "new.json: ping-pong / per_message\n")
        self.fails_with("gives no reason", "--accepted", self.root / "accepted.txt")

    def plant_peers(self, path, **rows):
        """row -> the times of ours, of one peer, of another."""
        self.plant_result(path, workloads={row: {"1": {name: {"ns": {"median": time}} for name, time in zip(("tactor", "slow", "fast"), times)} | {"missing": None}}
                                           for row, times in rows.items()})

    # spec: Q2
    def test_a_row_of_messages_that_falls_below_twice_the_best_peer_fails(self):
        self.plant_peers("old.json", ping_pong=(10, 90, 25))
        self.plant_peers("new.json", ping_pong=(13, 90, 25))
        self.fails_with("ping_pong / 1: 2.50 -> 1.92 x the best peer, below 2 FAILED")
        self.plant("accepted.txt", "new.json: ping_pong / 1 # simplicity\n")
        self.passes("--accepted", self.root / "accepted.txt")

    # spec: Q2
    def test_a_row_of_messages_that_stays_ahead_or_was_not_passes(self):
        self.plant_peers("old.json", ping_pong=(10, 90, 25), ask=(10, 90, 15), spawn_stop=(10, 90, 25))
        self.plant_peers("new.json", ping_pong=(12.5, 90, 25), ask=(12, 90, 15), spawn_stop=(20, 90, 25))
        self.passes()

    # spec: Q2
    def test_times_of_results_are_not_judged(self):
        self.plant_result("old.json", instructions={"insert": {"10000": 50}}, nanoseconds={"insert": {"median": 3}})
        self.plant_result("new.json", instructions={"insert": {"10000": 50}}, nanoseconds={"insert": {"median": 9}})
        self.passes()

    def plant_peak(self, path, ping_pong, **more):
        self.plant_result(path, instructions={"ping-pong": {"per_message": 200.0}},
                          workloads={"ping-pong": {"median": 13.2, "peak_mb": ping_pong}, **more})

    def test_a_doctored_result_with_more_than_10_percent_more_memory_fails(self):
        self.plant_peak("old.json", 30.0)
        self.plant_peak("new.json", 33.1)
        self.fails_with("workloads / ping-pong / peak_mb: 30.0 -> 33.1 (+10.3%) FAILED")

    def test_10_percent_more_memory_pass(self):
        self.plant_peak("old.json", 30.0)
        self.plant_peak("new.json", 33.0)
        self.passes()

    def test_a_peak_that_is_gone_fails(self):
        self.plant_peak("old.json", 30.0, ask={"peak_mb": 3.4})
        self.plant_peak("new.json", 30.0)
        self.fails_with("workloads / ask / peak_mb: 3.4 -> nothing FAILED: is gone")

    def test_the_memory_of_peers_is_not_judged(self):
        self.plant_peak("old.json", 30.0, ask={"tactor": {"peak_mb": 3.0}, "caf": {"peak_mb": 5.0}})
        self.plant_peak("new.json", 30.0, ask={"tactor": {"peak_mb": 3.0}, "caf": {"peak_mb": 50.0}})
        self.passes()

    def test_a_count_that_is_gone_fails(self):
        self.plant_counts("old.json", 200.0, ask={"per_message": 900})
        self.plant_counts("new.json", 200.0)
        self.fails_with("ask / per_message: 900.0 -> nothing FAILED: is gone")

    def test_a_new_count_passes(self):
        self.plant_counts("old.json", 200.0)
        self.plant_counts("new.json", 200.0, ask={"per_message": 900})
        self.passes()

    def test_results_without_counts_fail(self):
        self.plant_result("old.json", workloads={})
        self.plant_result("new.json", workloads={})
        self.fails_with("has no counts of instructions")

    def test_a_count_that_is_no_number_fails(self):
        for nonsense in (float("nan"), float("inf"), "200", None, True):
            with self.subTest(nonsense=nonsense):
                self.plant_counts("old.json", 200.0)
                self.plant_counts("new.json", nonsense)
                self.fails_with("not a count of instructions")

    def test_an_old_count_that_is_not_above_zero_fails(self):
        self.plant_counts("old.json", 0)
        self.plant_counts("new.json", 100)
        self.fails_with("the old count is not above 0")

    def test_a_file_that_is_no_result_fails(self):
        self.plant_counts("old.json", 200.0)
        self.plant("new.json", "not json\n")
        self.fails_with("is not a result of a benchmark")

    def test_a_file_that_is_not_there_fails(self):
        self.plant_counts("new.json", 200.0)
        self.fails_with("is not a result of a benchmark")

    def test_a_goal_is_no_count(self):
        self.plant_result("old.json", instructions={"ring": {"per_message": 200, "goal": None}})
        self.plant_result("new.json", instructions={"ring": {"per_message": 200, "goal": 100}})
        self.passes()

    def test_what_peers_need_is_not_judged(self):
        self.plant_result("old.json", instructions={"tactor": {"schedule": 437}, "libuv": {"schedule": 600}})
        self.plant_result("new.json", instructions={"tactor": {"schedule": 437}, "libuv": {"schedule": 900}})
        self.passes()
        self.plant_result("new.json", instructions={"tactor": {"schedule": 537}, "libuv": {"schedule": 600}})
        self.fails_with("tactor / schedule: 437.0 -> 537.0 (+22.9%) FAILED")

    def test_folders_are_compared_file_by_file(self):
        for folder, second in (("old", 50), ("new", 60)):
            self.plant_counts(f"{folder}/actors.json", 200.0)
            self.plant_result(f"{folder}/wheel.json", instructions={"insert": second})
            self.plant_result(f"{folder}/peers.json", workloads={})
        self.assert_fails_with("wheel.json: insert: 50.0 -> 60.0 (+20.0%) FAILED", compare_benchmarks.main,
                               self.root / "old", self.root / "new")
        self.plant_result("new/wheel.json", instructions={"insert": 50})
        self.assert_passes(compare_benchmarks.main, self.root / "old", self.root / "new")

    def test_a_file_missing_in_the_new_folder_fails(self):
        self.plant_counts("old/actors.json", 200.0)
        self.plant_counts("old/threads.json", 200.0)
        self.plant_counts("new/actors.json", 200.0)
        self.assert_fails_with("threads.json: FAILED: is gone", compare_benchmarks.main, self.root / "old",
                               self.root / "new")

    # Programs: time judges.

    def plant_program(self, name, *times):
        """Prints these times one after the other, and logs that it ran."""
        self.plant(name, textwrap.dedent("""\
            #!/bin/sh
            echo {name} "$@" >> {log}
            set -- {times}
            shift $(( ($(grep -c '^{name} ' {log}) - 1) % $# ))
            echo "{{\\"ns\\": $1}}"
            """).format(name=name, log=self.root / "log", times=" ".join(str(time) for time in times)))
        (self.root / name).chmod(0o755)

    def programs(self, *options):
        return (compare_benchmarks.main, self.root / "before", self.root / "after", "--workload", "ring 10 1", *options)

    # spec: Q2
    def test_programs_run_alternately_at_least_7_times(self):
        self.plant_program("before", 10)
        self.plant_program("after", 10)
        self.assert_passes(*self.programs("--runs", "7"))
        log = (self.root / "log").read_text(encoding="utf-8").splitlines()
        self.assertEqual(log, ["before ring 10 1", "after ring 10 1"] * 7)
        self.assert_fails_with("fewer than 7 runs", *self.programs("--runs", "6"))

    # spec: Q2
    def test_a_program_more_than_15_percent_slower_whose_times_lie_apart_fails(self):
        self.plant_program("before", 10, 11)
        self.plant_program("after", 12.5, 13)
        self.assert_fails_with("FAILED", *self.programs())

    def test_16_percent_are_too_much_if_the_times_lie_apart(self):
        self.plant_program("before", 100)
        self.plant_program("after", 116)
        self.assert_fails_with("(+16.0%) FAILED", *self.programs())

    # spec: Q2
    def test_a_slower_program_whose_times_overlap_passes(self):
        self.plant_program("before", 10, 10, 10, 10, 10, 10, 10, 10, 14)
        self.plant_program("after", 13)
        self.assert_passes(*self.programs())

    # spec: Q2
    def test_a_slower_program_that_is_named_with_its_reason_passes(self):
        self.plant_program("before", 100)
        self.plant_program("after", 130)
        self.plant("accepted.txt", "ring 10 1 # one turn for everything\n")
        self.assert_passes(*self.programs("--accepted", self.root / "accepted.txt"))

    # spec: Q2
    def test_a_program_15_percent_slower_passes(self):
        self.plant_program("before", 100)
        self.plant_program("after", 115)
        self.assert_passes(*self.programs())

    def test_a_faster_program_passes(self):
        self.plant_program("before", 100)
        self.plant_program("after", 50)
        self.assert_passes(*self.programs())

    def test_a_program_that_prints_no_time_fails(self):
        self.plant_program("before", 10)
        self.plant_program("after", '\\"slow\\"')
        self.assert_fails_with("gave no `ns`", *self.programs())

    def test_a_program_compared_with_itself_fails(self):
        self.plant_program("before", 10)
        self.assert_fails_with("the same program", compare_benchmarks.main, self.root / "before", self.root / "before",
                               "--workload", "ring 10 1")
