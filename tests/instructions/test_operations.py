# SPDX-License-Identifier: BSL-1.0
"""How many instructions a spawn with one message and a stop takes, an ask, with a continuation or in a coroutine, and a
message of a mailbox that blocks its producers.

TACTOR_VALGRIND and TACTOR_OPERATIONS name the programs. Instructions are the slope between two counts. The limits are those of g++ 12
with a few percent to spare: whoever exceeds one finds the cause, or raises it here and says why in docs/performance.md.
"""
import os
import re
import subprocess
import unittest

COUNTS = (10_000, 40_000)


def collected(what, count):
    done = subprocess.run([os.environ["TACTOR_VALGRIND"], "--tool=callgrind", "--callgrind-out-file=/dev/null",
                           os.environ["TACTOR_OPERATIONS"], what, str(count)],
                          check=True, capture_output=True, text=True)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def per_operation(what):
    few, many = (collected(what, count) for count in COUNTS)
    found = (many - few) / (COUNTS[1] - COUNTS[0])
    print(f"{what}: {found:.1f} instructions each")
    return found


class Operations(unittest.TestCase):
    def test_spawn_with_a_message_and_a_stop(self):
        self.assertLessEqual(per_operation("spawn"), 1620)

    def test_ask(self):
        self.assertLessEqual(per_operation("ask"), 805)

    def test_message_of_a_lossless_mailbox(self):
        # No lock while nobody waits: a lock and a search for the waiting threads are 120 more.
        # On a busy machine it varies from 560 to 575.
        self.assertLessEqual(per_operation("lossless"), 585)

    def test_an_awaited_ask_takes_half_as_much_again_as_one_with_a_continuation(self):
        # About 1.48. Valgrind is so slow that most readings of the processor's counter read the clock besides, which takes
        # up to 30 instructions more, and the more the busier the machine is.
        self.assertLessEqual(per_operation("await"), 1.55 * per_operation("ask"))


if __name__ == "__main__":
    unittest.main()
