# SPDX-License-Identifier: BSL-1.0
"""The cost of failing, watching, waiting and suspending: runs the workloads of living.cpp in turn, each in its own
process, and compares workloads that differ in one property only."""
import json
import statistics
import subprocess
import sys

COUNTS = {"ping_pong": 3_000_000, "ping_pong_timeout": 3_000_000, "bursts": 5_000_000, "bursts_timeout": 5_000_000,
          "steady": 2_000_000, "restart": 1_000_000, "restart_at_root": 1_000_000, "watch": 1_000_000,
          "tell_parent": 1_000_000, "stashed": 5_000_000, "not_stashed": 5_000_000, "keyed_timer": 3_000_000,
          "keyed_timer_alone": 1_000_000, "routed": 5_000_000, "direct": 5_000_000}
RESUMES = 2_000
STARTS = 21  # processes

# title, with, without, goal in ns
DIFFERENCES = (
    ("receive timeout: ping-pong, more per message", "ping_pong_timeout", "ping_pong", 30),
    ("receive timeout: bursts of 100, more per message", "bursts_timeout", "bursts", 3),
    ("failure and restart, child of an actor", "restart", "steady", 2000),
    ("failure and restart, at the root", "restart_at_root", "steady", 2000),
    ("watch + terminated, instead of a message", "watch", "tell_parent", 1000),
    ("stash and unstash, more per message", "stashed", "not_stashed", 30),
    ("routed by a pool, more per message", "routed", "direct", 30),
)


def one(program, workload, count):
    done = subprocess.run([program, workload, str(count)], check=True, text=True, capture_output=True)
    return json.loads(done.stdout)


def times(program, repetitions):
    runs = {name: [] for name in COUNTS}
    resumes = []
    for number in range(repetitions):
        print(f"bench: living, run {number + 1} of {repetitions}", file=sys.stderr)
        for name, count in COUNTS.items():
            runs[name].append(one(program, name, count)["ns"])
        resumes.append(one(program, "resume", RESUMES))
    found = {"ns": {name: {"median": statistics.median(values), "min": min(values), "max": max(values)}
                    for name, values in runs.items()}}
    # Two workloads that ran next to each other saw the same machine: the median of differences, not the difference of medians.
    found["differences"] = {title: {"median": statistics.median(a - b for a, b in zip(runs[more], runs[less])),
                                    "goal": goal}
                            for title, more, less, goal in DIFFERENCES}
    found["resume_us"] = {key: statistics.median(run[f"{key}_us"] for run in resumes) for key in ("p50", "p95", "p99")}
    found["resume_us"]["goal_p99"] = 1000
    starts = sorted(one(program, "first_message", 1)["ns"] / 1000 for _ in range(STARTS))
    found["first_message_us"] = {"median": statistics.median(starts), "min": starts[0], "max": starts[-1], "goal": 150}
    return found


def print_table(result):
    print("| | median, ns | goal |\n|---|---|---|")
    for title, each in result["differences"].items():
        print(f"| {title} | {each['median']:.1f} | {each['goal']} |")
    resume = result["resume_us"]
    print(f"| suspended, resumed by a foreign thread, handled: p50 / p95 / p99, µs | {resume['p50']:.1f} / "
          f"{resume['p95']:.1f} / {resume['p99']:.1f} | {resume['goal_p99']} |")
    first = result["first_message_us"]
    print(f"| first message after start, µs | {first['median']:.0f} ({first['min']:.0f} … {first['max']:.0f}) | {first['goal']} |")
    for name, each in result["ns"].items():
        print(f"| {name}, ns each | {each['median']:.1f} ({each['min']:.1f} … {each['max']:.1f}) | |")
