# SPDX-License-Identifier: BSL-1.0
"""Counts the instructions of a message of a ping-pong, and those that each level of the metrics adds.

TACTOR_VALGRIND and TACTOR_PING_PONG name the programs. Instructions are the slope between two counts of messages, so that start
and end of the program do not matter.

A limit is what the specification promises and some room for the layout of the code: the same source takes a few instructions more or
less when the compiler lays it out differently.
"""
import functools
import os
import re
import subprocess
import unittest

COUNTS = (20_000, 100_000)
# Assumed for a handler of 200 ns: 3 GHz and 1.7 instructions per cycle. A faster processor does more of them in that time.
LENGTH = 1000
WORK = 124  # repetitions of a loop, for such a handler
MEASURED = 251  # a message at level off, with g++ 12
ROOM = 1.05  # Q2 allows so much to a change that is not named
ROOM_OF_A_LEVEL = 5  # instructions: 2 % of a message


def collected(level, count, work):
    done = subprocess.run([os.environ["TACTOR_VALGRIND"], "--tool=callgrind", "--callgrind-out-file=/dev/null",
                           os.environ["TACTOR_PING_PONG"], level, str(count), str(work)],
                          check=True, capture_output=True, text=True)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


@functools.cache
def per_message(level, work=0):
    few, many = (collected(level, count, work) for count in COUNTS)
    found = (many - few) / (COUNTS[1] - COUNTS[0])
    print(f"{level}: {found:.1f} instructions for each message" + (f", {work} repetitions" if work else ""))
    return found


def added_by(level, work=0):
    return per_message(level, work) - per_message("off", work)


class MetricsLevels(unittest.TestCase):
    def assert_adds_at_most(self, percent, level, work=0):
        self.assertLessEqual(added_by(level, work), percent / 100 * per_message("off", work) + ROOM_OF_A_LEVEL)

    def test_a_message_takes_no_more_than_it_was_measured_with(self):
        # Who exceeds it finds the cause, or raises the figure above and says why in docs/performance.md.
        self.assertLessEqual(per_message("off"), ROOM * MEASURED)

    # spec: O4
    def test_system_takes_5_percent_and_actor_10_percent_more_instructions_at_most(self):
        self.assert_adds_at_most(5, "system")
        self.assert_adds_at_most(10, "actor")

    # spec: O4
    def test_with_a_handler_of_200_ns_both_take_2_percent_at_most(self):
        length = per_message("off", WORK) - per_message("off")
        self.assertTrue(0.9 * LENGTH < length <= LENGTH, length)
        self.assert_adds_at_most(2, "system", WORK)
        self.assert_adds_at_most(2, "actor", WORK)

    # spec: O4
    def test_off_takes_the_same_after_another_level(self):
        self.assertLessEqual(abs(added_by("off_again")), 0.005 * per_message("off"))

    # spec: O4
    def test_without_a_trace_it_takes_the_same(self):
        self.assertLessEqual(abs(added_by("trace_over")), 0.005 * per_message("off"))
