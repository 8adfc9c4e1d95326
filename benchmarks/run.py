#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Builds and runs the benchmarks, and writes benchmarks/results/{timer_wheel,timers,actors,threads,tcp,peers}.json.

    benchmarks/run.py [--only timer_wheel|timers|actors|living|threads|tcp|peers] [--repetitions 9] [--without-instructions]
                      [--build FOLDER] [--results FOLDER] [--share 0.01] [--peers NAME,...]

Without --only, all but the peers. --share tries things out with so much of each workload; its figures are worth nothing.

The whole program is run again and again and the median over the runs is taken, so that a busy minute spoils one run of
each benchmark and not all runs of one. Instructions are counted by callgrind, as the slope between two counts.
"""
import argparse
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys

from actors import living, measure, threads, workloads
from peers import compare as peers
from tcp import compare as tcp
from timers import compare

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks/results"
BUILD = ROOT / "build/bench"
COUNTS = (1024, 4096)
SIZES = (1_000, 10_000, 1_000_000)
GOALS = {"insert_next_in_memory/10000": 6, "insert/10000": 6, "cancel/10000": 4, "expire/10000": 10,
         "insert_next_in_memory/1000000": 15, "insert/1000000": 15, "cancel/1000000": 40}


def output_of(*command):
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    return subprocess.run(command, cwd=ROOT, check=True, text=True, capture_output=True, env=environment)


def programs():
    return BUILD / "benchmarks"


def build():
    for command in (("cmake", "--preset", "bench", "-B", str(BUILD), "-DTACTOR_BUILD_EXAMPLES=OFF"),
                    ("cmake", "--build", str(BUILD), "-j2")):
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def processor():
    found = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.M)
    return found[1] if found else platform.processor()


def circumstances():
    cache = (BUILD / "CMakeCache.txt").read_text(encoding="utf-8")
    flags = re.search(r"^CMAKE_CXX_FLAGS_RELEASE:STRING=(.*)$", cache, re.M)[1]
    dirty = output_of("git", "status", "--porcelain", "--", "src").stdout.strip() != ""
    return {"commit": output_of("git", "rev-parse", "--short", "HEAD").stdout.strip() + ("+" if dirty else ""),
            "machine": {"processor": processor(), "cores": os.cpu_count(), "kernel": platform.release()},
            "compiler": output_of("g++", "--version").stdout.splitlines()[0], "flags": f"-std=c++23 {flags}",
            "load_average": os.getloadavg()[0]}


def one_run():
    """name -> nanoseconds per operation."""
    done = output_of(str(programs() / "bench_timer_wheel"), "--benchmark_format=json", "--benchmark_min_time=0.1")
    return {each["name"].removeprefix("insert_or_cancel/").removesuffix("/manual_time"): each["ns"]
            for each in json.loads(done.stdout)["benchmarks"]}


def times(repetitions):
    runs = []
    for number in range(repetitions):
        print(f"bench: run {number + 1} of {repetitions}", file=sys.stderr)
        runs.append(one_run())
    found = {}
    for name in runs[0]:
        values = sorted(run[name] for run in runs)
        found[name] = {"median": statistics.median(values), "min": values[0], "max": values[-1]}
    return found


def collected(operation, live, count):
    done = output_of("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                     str(programs() / "timer_wheel_instructions"), operation, str(live), str(count))
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def instructions():
    """operation -> {live: instructions per operation}."""
    found = {}
    for operation in ("insert", "cancel", "expire"):
        found[operation] = {}
        for live in SIZES:
            few, many = (collected(operation, live, count) for count in COUNTS)
            found[operation][str(live)] = (many - few) / (COUNTS[1] - COUNTS[0])
    return found


def target_instructions():
    """operation -> {live: instructions per operation} on a Cortex-M0, in the emulator; nothing if there is no cross compiler."""
    if not all(map(shutil.which, ("arm-none-eabi-g++", "qemu-system-arm"))):
        return None
    image = "image_timer_wheel_cost"
    for command in (("cmake", "--preset", "cortex-m0"), ("cmake", "--build", "--preset", "cortex-m0", "--target", image)):
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    toolchain = (ROOT / "cmake/toolchain-cortex-m.cmake").read_text(encoding="utf-8")
    emulator = re.search(r"CMAKE_CROSSCOMPILING_EMULATOR\s+(.*?)\)", toolchain, re.S)[1].replace("${TACTOR_BOARD}", "microbit")
    done = output_of(*emulator.split(), str(ROOT / "build/cortex-m0/tests/embedded" / image))
    lines = (line.split() for line in done.stdout.splitlines())
    return {name: {"16": int(few), "128": int(many)} for name, few, many in lines}


def print_tables(result):
    print("| operation, live timers | median, ns | fastest and slowest run | goal |\n|---|---|---|---|")
    for name, each in result["nanoseconds"].items():
        print(f"| {name} | {each['median']:.1f} | {each['min']:.1f} … {each['max']:.1f} | {GOALS.get(name, '')} |")
    if "instructions" not in result:
        return
    print("\n| instructions per operation | 1 k live | 10 k live | 1 M live | difference |\n|---|---|---|---|---|")
    on_target = result["instructions"].get("cortex_m0", {})
    for operation, by_size in result["instructions"].items():
        if by_size is on_target:
            continue
        small, middle, large = by_size.values()
        print(f"| {operation} | {small:.1f} | {middle:.1f} | {large:.1f} | {100 * (large - small) / small:+.1f} % |")
    print("\n| instructions on Cortex-M0 | 16 live | 128 live |\n|---|---|---|")
    for operation, by_size in on_target.items():
        print(f"| {operation} | {by_size['16']} | {by_size['128']} |")


def write(name, result):
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def measure_timer_wheel(repetitions, with_instructions):
    result = circumstances()
    result["repetitions"] = repetitions
    result["nanoseconds"] = times(repetitions)
    if with_instructions:
        result["instructions"] = instructions()
        if target := target_instructions():
            result["instructions"]["cortex_m0"] = target
    write("timer_wheel", result)
    print_tables(result)


def measure_timers(repetitions, with_instructions):
    before = circumstances()
    result = before | compare.compare(programs(), repetitions, with_instructions)
    result["load_average_after"] = os.getloadavg()[0]
    write("timers", result)
    compare.print_tables(result)


def measure_actors(repetitions, with_instructions):
    result = circumstances()
    program = str(programs() / "actors_one_thread")
    result["repetitions"] = repetitions
    result["workloads"] = measure.times(program, repetitions)
    result["load_average_after"] = os.getloadavg()[0]
    if with_instructions:
        result["instructions"] = measure.instructions(program)
    write("actors", result)
    measure.print_table(result)


def measure_living(repetitions):
    result = circumstances()
    result["repetitions"] = repetitions
    result |= living.times(str(programs() / "actors_living"), repetitions)
    result["load_average_after"] = os.getloadavg()[0]
    write("living", result)
    living.print_table(result)


def measure_threads(repetitions, with_instructions, share):
    result = circumstances()
    program = str(programs() / "actors_threads")
    result["repetitions"] = repetitions
    result["workloads"] = threads.times(program, repetitions, share)
    result["load_average_after"] = os.getloadavg()[0]
    if with_instructions:
        result["instructions"] = workloads.instructions(program)
    write("threads", result)
    threads.print_tables(result)
    if not threads.all_ended(result):
        raise SystemExit("bench: not everything came to an end, see above")


def measure_tcp(repetitions):
    if not (programs() / "tcp_echo_tactor").exists():
        print("bench: Asio is not installed: no figures of TCP", file=sys.stderr)
        return
    result = circumstances()
    result["repetitions"] = repetitions
    result["workloads"] = tcp.times(programs(), repetitions)
    result["load_average_after"] = os.getloadavg()[0]
    write("tcp", result)
    tcp.print_table(result)


def measure_peers(repetitions, share, names):
    before = circumstances()
    result = before | peers.compare(programs(), repetitions, share, names)
    result["load_average_after"] = os.getloadavg()[0]
    write("peers", result)
    peers.print_tables(result)


def main():
    global BUILD, RESULTS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("timer_wheel", "timers", "actors", "living", "threads", "tcp", "peers"))
    parser.add_argument("--repetitions", type=int, help="9 of the timing wheel, 11 of tcp, 5 of the others")
    parser.add_argument("--without-instructions", action="store_true")
    parser.add_argument("--build", type=pathlib.Path, default=BUILD)
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS)
    parser.add_argument("--share", type=float, default=1.0, help="of each workload of threads and peers")
    parser.add_argument("--peers", type=lambda names: names.split(","), help="only these, as in `erlang,pekko`")
    arguments = parser.parse_args()
    BUILD, RESULTS = arguments.build.resolve(), arguments.results.resolve()
    if arguments.share != 1.0 and RESULTS == ROOT / "benchmarks/results":
        parser.error("a share of the workloads is no result: give another --results")
    build()
    counted = not arguments.without_instructions
    if arguments.only in (None, "timer_wheel"):
        measure_timer_wheel(arguments.repetitions or 9, counted)
    if arguments.only in (None, "timers"):
        measure_timers(arguments.repetitions or 5, counted)
    if arguments.only in (None, "actors"):
        measure_actors(arguments.repetitions or 5, counted)
    if arguments.only in (None, "living"):
        measure_living(arguments.repetitions or 5)
    if arguments.only in (None, "threads"):
        measure_threads(arguments.repetitions or 5, counted, arguments.share)
    if arguments.only in (None, "tcp"):
        measure_tcp(arguments.repetitions or 11)
    if arguments.only == "peers":
        measure_peers(arguments.repetitions or 5, arguments.share, arguments.peers)


if __name__ == "__main__":
    main()
