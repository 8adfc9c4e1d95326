#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs `showcase --json` on threads, and simulated with several seeds; fails unless every message is accounted for.

    check_showcase.py SHOWCASE
"""
import json
import subprocess
import sys


def run(*arguments):
    done = subprocess.run([sys.argv[1], "--json", *arguments], capture_output=True, text=True, timeout=50)
    return done.returncode, json.loads(done.stdout)


def balances(said):
    return sum(said["sent"].values()) == said["handled"] + sum(said["dead_letters"].values())


seeds = {seed: run("--simulated", "--seed", str(seed)) for seed in range(1, 21)}
ran = [said for status, said in seeds.values() if status == 0]
threads = {workers: run("--workers", str(workers), "--seconds", "1") for workers in (1, 2, 8)}
checks = {
    "all seeds end well": len(ran) == len(seeds),
    "every message is accounted for": all(balances(said) for said in [*ran, *(said for _, said in threads.values())]),
    "the same seed, the same run": run("--simulated", "--seed", "7") == seeds[7],
    "another seed, another run": len({said["journal"]["digest"] for said in ran}) == len(ran),
    "parsers failed and were made anew": all(sum(said["parsers_made"]) > 3 for said in ran),
    "a device was lost": all(said["devices_lost"] == 1 for said in ran),
    "the store's mailbox was full": all(said["dead_letters"].get("dropped_oldest", 0) > 0 for said in ran),
    "parsers left mail behind": all(said["dead_letters"].get("stopped", 0) > 0 for said in ran),
    "threads end well": all(status == 0 and said["sound"] and said["readings"] > 0 for status, said in threads.values()),
    "so many workers": all(said["workers"] == workers for workers, (_, said) in threads.items()),
    "nobody is left": all(said["shutdown"]["complete"] for _, said in threads.values()),
}
failed = [what for what, holds in checks.items() if not holds]
print("failed: " + ", ".join(failed) if failed else f"all {len(checks)} checks hold")
sys.exit(bool(failed))
