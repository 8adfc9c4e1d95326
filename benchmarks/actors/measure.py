# SPDX-License-Identifier: BSL-1.0
"""Messages between actors on one thread: runs the workloads of one_thread.cpp in turn, each in its own process."""
import json
import re
import statistics
import subprocess
import sys

# name -> (arguments, goal in ns per message or, where the name says so, in bytes)
WORKLOADS = {
    "ping-pong": (("ping_pong", "5000000"), 25),
    "ring of 1 000, one token": (("ring", "5000000"), 30),
    "bursts of 100": (("bursts", "10000000"), 22),
    "one burst of 5 M": (("one_burst", "5000000"), 90),
    "10 k actors x 100 random sends": (("random", "1000000"), 200),
    "spawn + message + stop": (("spawn_stop", "1000000"), 200),
    "1 M idle actors, bytes each": (("idle_actors", "1000000"), 256),
    "simulation: 10 k actors x 100 random sends": (("random", "1000000", "simulated"), 333),
    "simulation: ping-pong": (("ping_pong", "3000000", "simulated"), 333),
}
COUNTED = {"ping-pong": ("ping_pong", 220), "bursts of 100": ("bursts", None)}


def one(program, arguments):
    done = subprocess.run([program, *arguments], check=True, text=True, capture_output=True)
    return json.loads(done.stdout)


def times(program, repetitions):
    runs = {name: [] for name in WORKLOADS}
    for number in range(repetitions):
        print(f"bench: actors, run {number + 1} of {repetitions}", file=sys.stderr)
        for name, (arguments, _) in WORKLOADS.items():
            runs[name].append(one(program, arguments))
    found = {}
    for name, (_, goal) in WORKLOADS.items():
        values = sorted(run.get("ns", run.get("bytes_each")) for run in runs[name])
        found[name] = {"median": statistics.median(values), "min": values[0], "max": values[-1], "goal": goal,
                       "peak_mb": max(run["peak_mb"] for run in runs[name])}
    return found


def instructions(program):
    """workload -> instructions per message, as the slope between two counts."""
    found = {}
    for name, (workload, goal) in COUNTED.items():
        counts = []
        for count in (100_000, 200_000):
            done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, workload,
                                   str(count)], check=True, text=True, capture_output=True)
            counts.append(int(re.search(r"Collected : (\d+)", done.stderr)[1]))
        found[name] = {"per_message": (counts[1] - counts[0]) / 100_000, "goal": goal}
    return found


def print_table(result):
    print("| one thread | median | fastest and slowest run | goal | peak memory, MB |\n|---|---|---|---|---|")
    for name, each in result["workloads"].items():
        print(f"| {name} | {each['median']:.1f} | {each['min']:.1f} … {each['max']:.1f} | {each['goal']} | "
              f"{each['peak_mb']:.0f} |")
    for name, each in result.get("instructions", {}).items():
        print(f"| instructions per message, {name} | {each['per_message']:.0f} | | {each['goal'] or ''} | |")
