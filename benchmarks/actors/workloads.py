# SPDX-License-Identifier: BSL-1.0
"""The workloads of actors on worker threads and their output: for our own figures and for the comparison with peers."""
import json
import re
import statistics
import subprocess

WORKERS = (1, 2)
COUNTED = (20_000, 120_000)  # operations; instructions are counted as the slope, on one worker
GIVE_UP_SECONDS = 60

# A row: workload, count, figure, title, goals on 1 and 2 workers. The figure is a field of the JSON that programs print.
MESSAGES = (
    ("ping_pong", 5_000_000, "ns", "ping-pong, ns per message", (25, 30)),
    ("bursts", 10_000_000, "ns", "1 → 1 in bursts of 100, ns per message", (22, 24)),
    ("one_burst", 5_000_000, "ns", "1 → 1, one burst of 5 M, ns per message", (90, 40)),
    ("fan_in", 4_000_000, "ns", "4 → 1, 100 sends a turn, ns per message", (35, 50)),
    ("ring_1", 2_000_000, "ns", "ring of 1 000, 1 token, ns per hop", (30, 35)),
    ("ring_100", 2_000_000, "ns", "ring of 1 000, 100 tokens, ns per hop", (20, 24)),
    ("random", 1_000_000, "ns", "10 k actors × 100 random sends, ns per message", (200, 125)),
    ("ask", 1_000_000, "ns", "ask with timeout, ns per round trip", (120, 150)),
    ("co_await_ask", 1_000_000, "ns", "the same in a coroutine, ns per round trip", (180, 225)),
    ("foreign_many", 4_000_000, "ns", "8 foreign threads → 1 000 actors, ns per message", (48, 48)),
    ("queued", 1_000_000, "bytes_each", "1 M messages wait for one actor, bytes each", (64, 64)),
    ("spawn_stop", 500_000, "ns", "spawn + one message + stop, ns per actor", (200, 250)),
    ("idle_actors", 1_000_000, "bytes_each", "memory per idle actor, bytes", (256, 256)),
)
# One actor hands out jobs and waits for all. A row: workload, rounds, title, µs on two workers if they shared the work exactly.
ROUNDS = (
    ("rounds_2_100", 2_000, "2 jobs of 100 µs, µs per round", 100),
    ("rounds_4_100", 2_000, "4 jobs of 100 µs, µs per round", 200),
    ("rounds_8_100", 1_000, "8 jobs of 100 µs, µs per round", 400),
    ("rounds_8_10", 10_000, "8 jobs of 10 µs, µs per round", 40),
)
# The same with 5 ms of silence before each round: the second worker is parked.
SILENT = (
    ("silent_8_100", 200, "8 jobs of 100 µs after 5 ms of silence, µs per round, p50", 400),
    ("silent_8_10", 200, "8 jobs of 10 µs after 5 ms of silence, µs per round, p50", 40),
)
# 1 000 actors send at random; each message costs some work. A row: workload, count, title, how much faster two workers should be.
WORK = tuple((f"work_{ns}", 2_000_000, f"1 000 actors, random sends, {ns} ns of work each, ns per message", goal)
             for ns, goal in ((0, 1.4), (50, 1.6), (100, 1.8), (200, 1.8)))
# The time from sending a message to its handler.
LATENCY = (
    ("foreign", 5_000, "foreign thread → parked actor, it sleeps 100 µs between"),
    ("foreign_spinning", 5_000, "foreign thread → parked actor, it spins 100 µs between"),
    ("foreign_rare", 200, "foreign thread → parked actor, 5 ms between"),
)
STARVATION = ("starvation", 10_000, "one of 1 000 that seldom have mail, beside one that always has")
SCALING = tuple((f"scaling_{actors}", 2_000_000, f"{actors} actor{'s' * (actors > 1)} in a ring, a message each")
                for actors in (1, 10, 100, 1000))
INSTRUCTIONS = (("ping_pong", 220), ("bursts", None), ("fan_in", None), ("ring_1", None), ("ask", None), ("spawn_stop", None))
NO_PEER = ("starvation", "co_await_ask", "queued", *(row[0] for row in SILENT))
# Above this, the two processors share no cache at the moment: see line_transfer_ns in measuring.hpp.
LINE_NS_NEAR = 100
TRIES = 8


def counts(share=1.0):
    """workload -> count; a share of it for trials."""
    long = {row[0]: max(20_000, int(row[1] * share) // 10_000 * 10_000) for row in (*MESSAGES, *SCALING, *WORK)}
    return long | {row[0]: max(20, int(row[1] * share)) for row in (*ROUNDS, *SILENT, *LATENCY, STARVATION)}


def one(command):
    """figure -> value of one run; nothing if it does not finish."""
    try:
        done = subprocess.run(command, check=True, text=True, capture_output=True, timeout=GIVE_UP_SECONDS)
    except subprocess.TimeoutExpired:
        return None
    except subprocess.CalledProcessError as failed:
        raise SystemExit(f"bench: {' '.join(command)} failed ({failed.returncode}): {failed.stderr.strip()}") from None
    found = json.loads(done.stdout)
    figures = {name: value for name, value in found.items() if name not in ("workload", "count", "workers")}
    for quantile in ("p50", "p95", "p99"):
        if f"raw_{quantile}_us" in figures:
            figures[f"{quantile}_by_raw"] = figures[f"{quantile}_us"] / figures[f"raw_{quantile}_us"]
    return figures


def one_near(probe, command):
    """Like `one`, in a moment when the processors share a cache, as `probe` sees it before and after; the last run counts
    if there was no such moment. `probe` is our program, also for the runs of peers."""
    def far():
        return one([probe, "line", "1", "1"])["ns"] > LINE_NS_NEAR
    for left in reversed(range(TRIES)):
        if far() and left > 0:
            continue
        figures = one(command)
        if figures is None or left == 0 or not far():
            return figures
    return None


def summary(runs):
    """figure -> median, fastest and slowest; for memory the maximum."""
    found = {}
    for name in runs[0]:
        values = [run[name] for run in runs]
        found[name] = max(values) if name == "peak_mb" else {"median": statistics.median(values), "min": min(values),
                                                             "max": max(values)}
    return found


def instructions(program):
    """workload -> instructions per operation on one worker, all threads together, as the slope between two counts."""
    found = {}
    for workload, goal in INSTRUCTIONS:
        few, many = (collected(program, workload, count) for count in COUNTED)
        found[workload] = {"per_operation": (many - few) / (COUNTED[1] - COUNTED[0]), "goal": goal}
    return found


def collected(program, workload, count):
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, workload, str(count),
                           "1"], check=True, text=True, capture_output=True)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])
