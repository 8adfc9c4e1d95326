# SPDX-License-Identifier: BSL-1.0
"""The parts that Q4 names have as many tests as it asks for, of each kind. `make coverage` measures the rest of Q4."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORE, HOST, TESTKIT, ACTORS = "src/tactor/core", "src/tactor/host", "src/tactor/testkit", "tests/actors"
COORDINATOR = (
    f"{CORE}/dispatch/single_thread_coordinator.test.cpp",
    f"{CORE}/dispatch/worker_executor.test.cpp",
    f"{TESTKIT}/simulation_coordinator.test.cpp",
    f"{HOST}/workers/work_stealing_coordinator.test.cpp",
)
LEAST = {  # the tests of these files together
    "coordinator": (20, COORDINATOR),
    "driver of the host": (5, (f"{HOST}/actor_system.test.cpp",)),
    "cooperative driver": (5, (f"{HOST}/cooperative_system.test.cpp",)),
    "driver of the simulation": (5, (f"{TESTKIT}/simulation.test.cpp",)),
    "invoker": (25, (f"{ACTORS}/message_invoker.test.cpp",)),
    "middleware of the invoker": (7, (f"{ACTORS}/middleware.test.cpp",)),
    "failures that the invoker reports to the guardian": (5, (f"{ACTORS}/fault_handling.test.cpp",)),
    "backpressure in the invoker": (5, (f"{ACTORS}/outbox.test.cpp",)),
    "hub": (10, (f"{CORE}/observe/metrics_hub.test.cpp",)),
}
KINDS = {  # of the tests of the coordinator
    "normal": """a_registered_cell_is_drained_once a_result_queues_the_cell_again_if_there_is_more_to_do
        a_cell_that_yields_waits_behind_queued_cells the_signal_says_whether_there_is_something_to_drain
        drains_runs_and_reports_until_nothing_is_ready the_first_goes_into_the_slot_and_the_others_into_the_ring
        reports_what_each_worker_runs an_injected_cell_wakes_a_sleeping_worker""",
    "error": """a_cell_that_is_registered_twice_is_drained_once an_unregistered_cell_is_not_drained
        an_unregistered_cell_that_is_registered_again_is_drained_once a_queued_cell_is_not_queued_twice_by_a_report
        a_pool_for_which_there_is_no_memory_is_not_opened a_pool_in_use_is_neither_opened_nor_closed
        a_full_ring_that_cannot_grow_gives_half_to_all""",
    "boundary": """a_drain_takes_as_many_as_it_may_first_come_first_served a_skipped_cell_does_not_count_in_a_drain
        gives_no_more_turns_than_it_is_asked_for a_pool_has_1_to_256_workers a_full_ring_grows""",
}
WANTED = {"normal": 8, "error": 7, "boundary": 5}


def tests_of(file):
    """The names of the tests in a file."""
    return re.findall(r"^TEST(?:_F|_P)?\(\s*\w+,\s*(\w+)\)", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)


class Counts(unittest.TestCase):
    # spec: Q4
    def test_each_part_has_as_many_tests_as_it_needs(self):
        for part, (least, files) in LEAST.items():
            self.assertGreaterEqual(sum(len(tests_of(file)) for file in files), least, part)

    # spec: Q4
    def test_the_coordinator_has_tests_of_each_kind(self):
        there = {name for file in COORDINATOR for name in tests_of(file)}
        for kind, names in KINDS.items():
            self.assertGreaterEqual(len(set(names.split())), WANTED[kind], kind)
            self.assertEqual(set(names.split()) - there, set(), f"{kind}: tests that do not exist")
