#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs `showcase --json` on threads, and simulated with several seeds; fails unless every message is accounted for.

    check_showcase.py SHOWCASE
"""
import json
import os
import subprocess
import sys
import tempfile


def run(*arguments):
    done = subprocess.run([sys.argv[1], "--json", *arguments], capture_output=True, text=True, timeout=50)
    return done.returncode, json.loads(done.stdout)


def balances(said):
    return sum(said["sent"].values()) == said["handled"] + said["failed"] + sum(said["dead_letters"].values())


def given_up(said):
    return sum(said["parsers_made"]) - 3


def failures_were_dealt_with(said):
    return said["failed"] == said["restarts"] + given_up(said) + said["devices_lost"]


def suspensions_ended(said):
    known = said["restarts"] + said["services"] + said["fleet"]["pushed_back"] + said["limited"]
    return said["resumes"] == said["suspensions"] == known


def silences_ended(said):
    fleet = said["fleet"]
    return said["silences"]["begun"] == said["silences"]["timed_out"] + said["silences"]["cut_off"] \
        and fleet["silent"] == fleet["woken"] + fleet["cut_off"]


def lines_of_metrics():
    """What a run writes with --metrics, how it ends, and how it ends on a full disk."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "metrics.jsonl")
        status, said = run("--workers", "2", "--seconds", "2.5", "--metrics", file)
        with open(file, encoding="utf-8") as written:
            lines = [json.loads(line) for line in written]
    full = run("--workers", "2", "--seconds", "1.5", "--metrics", "/dev/full")
    return lines, status, said, full


def are_of_one_run(lines, said):
    sums = [each["messages_handled"] for each in lines]
    times = [each["time_ns"] for each in lines]
    return len(lines) >= 1 and sums == sorted(sums) and times == sorted(set(times)) \
        and 0 < sums[-1] <= said["handled"] + said["failed"]


metrics, metrics_status, metrics_said, metrics_full = lines_of_metrics()
seeds = {seed: run("--simulated", "--seed", str(seed)) for seed in range(1, 21)}
ran = [said for status, said in seeds.values() if status == 0]
threads = {workers: run("--workers", str(workers), "--seconds", "1.2") for workers in (1, 2, 8)}
faulty = {seed: run("--simulated", "--faults", "--seed", str(seed)) for seed in range(1, 11)}
loaded = run("--simulated", "--load", "16", "--seconds", "20")
broken = run("--workers", "2", "--seconds", "1.5", "--faults", "--load", "8")
everywhere = [*ran, *(said for _, said in [*threads.values(), *faulty.values(), loaded, broken])]
checks = {
    "all seeds end well": len(ran) == len(seeds),
    "every message is accounted for": all(balances(said) for said in everywhere),
    "the same seed, the same run": run("--simulated", "--seed", "7") == seeds[7],
    "another seed, another run": len({said["journal"]["digest"] for said in ran}) == len(ran),
    "each failed actor was restarted or stopped": all(failures_were_dealt_with(said) for said in everywhere),
    "each suspension has a known reason, and ended": all(suspensions_ended(said) for said in everywhere),
    "each silence ended by a timeout or a stop": all(silences_ended(said) for said in everywhere),
    "every alarm was paged, or dropped": all(said["pages"] + said["alarms_lost"] == said["alarms"] for said in everywhere),
    "the pager is suspended after each page": all(said["limited"] == said["pages"] > 0 for said in ran),
    "a report every ten seconds": all(said["reports"] in (5, 6) for said in ran),
    "faults are caused, and dealt with": all(status == 0 and said["interventions"] == 4
                                             for status, said in [*faulty.values(), broken]),
    "a fault makes a parser fail": all(said["failed"] > 0 for _, said in faulty.values()),
    "more load, more readings": loaded[0] == 0 and loaded[1]["sent"]["actors"] > 3 * ran[0]["sent"]["actors"],
    "parsers were restarted": all(said["restarts"] > 0 for said in ran),
    "parsers were stopped and replaced": all(given_up(said) > 0 for said in ran),
    "stopped parsers had queued messages": all(said["dead_letters"].get("stopped", 0) > 0 for said in ran),
    "beacons fell silent and timed out": all(said["fleet"]["woken"] > 0 for said in ran),
    "the fleet's mailbox pushed back on threads": any(said["fleet"]["pushed_back"] > 0 for _, said in threads.values()),
    "devices timed out": all(said["silences"]["timed_out"] > 0 for said in ran),
    "a device was lost": all(said["devices_lost"] == 1 for said in ran),
    "the store was serviced every nine seconds": all(said["services"] == 6 for said in ran),
    "the store was serviced on threads": all(said["services"] > 0 for _, said in threads.values()),
    "the store's mailbox was full": all(said["dead_letters"].get("dropped_oldest", 0) > 0 for said in ran),
    "the runtime set timers of its own": all(said["deadlines"] > said["restarts"] for said in ran),
    "threads end well": all(status == 0 and said["sound"] and said["readings"] > 0 for status, said in threads.values()),
    "so many workers": all(said["workers"] == workers for workers, (_, said) in threads.items()),
    "figures are written to a file, line by line": metrics_status == 0 and are_of_one_run(metrics, metrics_said),
    "a full disk for figures stops nothing": metrics_full[0] == 0 and metrics_full[1]["sound"],
    "all actors have ended": all(said["shutdown"]["complete"] for _, said in threads.values()),
}
failed = [what for what, holds in checks.items() if not holds]
print("failed: " + ", ".join(failed) if failed else f"all {len(checks)} checks hold")
if failed:
    print([said["broken"] for said in everywhere])
sys.exit(bool(failed))
