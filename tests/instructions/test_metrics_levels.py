# SPDX-License-Identifier: BSL-1.0
"""How many instructions a message of a ping-pong takes, and how many each level of the metrics adds.

TACTOR_VALGRIND and TACTOR_PING_PONG name the programs. Instructions are the slope between two counts of messages, so that start
and end of the program do not matter.
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


def percent_above_off(level, work=0):
    return 100 * (per_message(level, work) / per_message("off", work) - 1)


class MetricsLevels(unittest.TestCase):
    def test_a_message_takes_240_instructions_at_most(self):
        # 214.7 with g++ 12. Whoever exceeds it finds the cause, or raises it here and says why in docs/performance.md.
        self.assertLessEqual(per_message("off"), 240)

    # spec: O4
    def test_system_takes_5_percent_and_actor_10_percent_more_instructions_at_most(self):
        self.assertLessEqual(percent_above_off("system"), 5)
        self.assertLessEqual(percent_above_off("actor"), 10)

    # spec: O4
    def test_with_a_handler_of_200_ns_both_take_2_percent_at_most(self):
        length = per_message("off", WORK) - per_message("off")
        self.assertTrue(0.9 * LENGTH < length <= LENGTH, length)
        self.assertLessEqual(percent_above_off("system", WORK), 2)
        self.assertLessEqual(percent_above_off("actor", WORK), 2)

    # spec: O4
    def test_off_takes_the_same_after_another_level(self):
        self.assertLessEqual(abs(percent_above_off("off_again")), 0.5)

    # spec: O4
    def test_without_a_trace_it_takes_the_same(self):
        self.assertLessEqual(abs(percent_above_off("trace_over")), 0.5)

