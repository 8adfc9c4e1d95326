# SPDX-License-Identifier: BSL-1.0
"""Runs the timers of tactor and of its peers in turn, each workload in a fresh process; benchmarks/run.py calls it.

What is compared runs side by side: one round is every program once, so that a busy minute spoils a round of all and not
all rounds of one. The figure is the median over the rounds.
"""
import json
import re
import statistics
import subprocess
import sys

from peers import programs as registries

OURS = "tactor"
PEERS = ("libuv", "libevent", "asio")
REGISTRIES = ("DelayQueue", "tokio sleep", "Go", "Netty")  # in other languages: fewer workloads, no instructions
# Of their programs: workload -> arguments (count, threads, pairs), and which of our figures a figure of theirs is.
THEIRS = {"steady 1 M": ("steady", ("1000000", "2", "1000000")), "fire 1 ms": ("fire", ("100000", "2"))}
RENAMED = {"ns": ("pair_ns", "released_pair_ns"), "bytes_each": ("bytes_each",), "cpu_ns": ("cpu_ns",), "cpu_ms": ("cpu_ms",),
           "late_p50_us": ("late_p50_us",), "late_p99_us": ("late_p99_us",), "late_max_us": ("late_max_us",)}
BARE = ("nanosleep", "two_reads")  # what the system and the memory allow
COUNTS = (2_000, 12_000)  # operations; instructions are counted as the slope

# name -> (arguments, programs).
WORKLOADS = {
    "pair random": (("pair", "1000000", "random"), (OURS, *PEERS)),
    "pair in order": (("pair", "1000000", "in_order"), (OURS, *PEERS)),
    "steady 1 M": (("steady", "1000000", "1000000", "1"), (OURS, *PEERS, "two_reads")),
    "steady 1 M, 2 threads": (("steady", "1000000", "1000000", "2"), (OURS,)),
    "steady 10 M": (("steady", "10000000", "1000000", "1"), (OURS,)),
    "memory near": (("memory", "1000000", "near"), (OURS, *PEERS)),
    "memory far": (("memory", "1000000", "far"), (OURS, *PEERS)),
    "fire 1 ms": (("fire", "100000", "1000", "1"), (OURS, *PEERS, "nanosleep")),
    "fire 100 us": (("fire", "100000", "100", "1"), (OURS, "asio", "nanosleep")),
}
# workload, figure, unit, goal for ours
TABLE = (
    ("pair random", "released_pair_ns", "ns", 250), ("pair random", "pair_ns", "ns", None),
    ("pair random", "schedule_ns", "ns", None), ("pair random", "cancel_ns", "ns", None),
    ("pair random", "own_cpu_ns", "ns", None), ("pair random", "cpu_ns", "ns", None),
    ("pair in order", "released_pair_ns", "ns", 95), ("pair in order", "pair_ns", "ns", None),
    ("pair in order", "cpu_ns", "ns", None),
    ("steady 1 M", "released_pair_ns", "ns", 310), ("steady 1 M", "pair_ns", "ns", None),
    ("steady 1 M", "own_cpu_ns", "ns", None), ("steady 1 M", "cpu_ns", "ns", 375),
    ("steady 1 M, 2 threads", "released_pair_ns", "ns", None),
    ("steady 1 M", "bytes_each", "bytes", None),
    ("steady 10 M", "released_pair_ns", "ns", None), ("steady 10 M", "own_cpu_ns", "ns", None),
    ("steady 10 M", "resident_mb", "MB", 1500),
    ("memory near", "bytes_each", "bytes", 72), ("memory far", "bytes_each", "bytes", 96),
    ("fire 1 ms", "cpu_ms", "ms", 55), ("fire 1 ms", "late_p50_us", "us", 600),
    ("fire 1 ms", "late_p99_us", "us", 1100), ("fire 1 ms", "late_max_us", "us", None),
    ("fire 100 us", "cpu_ms", "ms", None), ("fire 100 us", "late_p50_us", "us", None),
    ("fire 100 us", "late_p99_us", "us", None), ("fire 100 us", "context_switches", "", None),
)


def output_of(*command):
    return subprocess.run(command, check=True, text=True, capture_output=True)


def installed(programs):
    """The programs that were built, by name; prints which were not."""
    found = {}
    for name in (OURS, *PEERS, *BARE):
        path = programs / f"timers_{name}"
        if path.exists():
            found[name] = str(path)
        else:
            print(f"bench: {name} is not installed: skipped", file=sys.stderr)
    return found


def figures_of(command):
    """Figure and value, of the lines that our programs and those of the C and C++ libraries print."""
    for line in output_of(*command).stdout.splitlines():
        figure, value = line.split()
        yield figure, float(value)


def figures_of_registry(command):
    """Likewise, of the line of JSON that the others print."""
    said = json.loads(output_of(*command).stdout.splitlines()[-1])
    for theirs, value in said.items():
        for figure in RENAMED.get(theirs, ()):
            yield figure, value


def times(programs, registry_programs, repetitions):
    """workload -> program -> figure -> median, min, max."""
    runs = {}
    for workload, (arguments, names) in WORKLOADS.items():
        print(f"bench: timers, {workload}, {repetitions} rounds", file=sys.stderr)
        calls = [(name, figures_of, [programs[name], *arguments]) for name in names if name in programs]
        if workload in THEIRS:
            kind, theirs = THEIRS[workload]
            calls += [(name, figures_of_registry, [*each[kind], *theirs]) for name, each in registry_programs.items()]
        for _ in range(repetitions):
            for name, figures, command in calls:
                for figure, value in figures(command):
                    runs.setdefault(workload, {}).setdefault(name, {}).setdefault(figure, []).append(value)
    return {workload: {name: {figure: {"median": statistics.median(values), "min": min(values), "max": max(values)}
                              for figure, values in figures.items()}
                       for name, figures in by_name.items()}
            for workload, by_name in runs.items()}


def collected(program, last, count):
    done = output_of("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "instructions", last,
                     str(count))
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def instructions(programs):
    """program -> what -> instructions each; for ours also the later work of the driver, on its own thread."""
    found = {}
    stages = ("schedule", "take_in", "cancel", "clear")
    for name in (each for each in (OURS, *PEERS) if each in programs):
        print(f"bench: timers, instructions, {name}", file=sys.stderr)
        found[name] = {}
        before = 0.0
        for stage in stages:
            few, many = (collected(programs[name], stage, count) for count in COUNTS)
            up_to = (many - few) / (COUNTS[1] - COUNTS[0])
            found[name][stage] = up_to - before
            before = up_to
    return found


def print_tables(result):
    names = [OURS, *PEERS, *REGISTRIES, *BARE]
    print("| timers | goal | " + " | ".join(names) + " |\n|---|---" + "|---" * len(names) + "|")
    for workload, figure, unit, goal in TABLE:
        by_name = result["workloads"].get(workload, {})
        ours = by_name.get(OURS, {}).get(figure)
        if not any(figure in each for each in by_name.values()):
            continue
        cells = []
        for name in names:
            each = by_name.get(name, {}).get(figure)
            if each is None:
                cells.append("–")
            elif name == OURS or ours is None or ours["median"] == 0:
                cells.append(f"**{each['median']:.4g}** ({each['min']:.4g} … {each['max']:.4g})")
            else:
                cells.append(f"{each['median']:.4g} ({each['median'] / ours['median']:.2g} ×)")
        print(f"| {workload}: {figure.removesuffix('_' + unit)}, {unit} | {goal or ''} | " + " | ".join(cells) + " |")
    if "instructions" not in result:
        return
    print("\n| instructions | " + " | ".join(result["instructions"]) + " |\n|---" + "|---" * len(result["instructions"]) + "|")
    for stage in ("schedule", "take_in", "cancel", "clear"):
        print(f"| {stage} | " + " | ".join(f"{each[stage]:.0f}" for each in result["instructions"].values()) + " |")


def compare(programs_folder, repetitions, with_instructions):
    programs = installed(programs_folder)
    others = registries.timers(programs_folder / "peers")
    result = {"repetitions": repetitions, "workloads": times(programs, others, repetitions)}
    if with_instructions:
        result["instructions"] = instructions(programs)
    return result
