#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs `scheduler_showcase --json` and fails unless it prints one sound JSON object.

    check_scheduler_showcase.py SCHEDULER_SHOWCASE
"""
import json
import subprocess
import sys

run = subprocess.run([sys.argv[1], "--json"], capture_output=True, text=True, timeout=50)
said = json.loads(run.stdout)
jobs = said["metrics"]
ended = sum(jobs[f"{way}_total"] for way in ("completed", "cancelled", "evicted", "undeliverable"))
caused = ("burst_fire", "backlog_exceeded", "handler_failed", "quota_reached", "overflow_near_capacity",
          "dropped_low_priority", "task_run_failed", "driver_stalled", "driver_resumed")
checks = {
    "ends well": run.returncode == 0,
    "counters balance": jobs["scheduled_total"] == ended and jobs["active_total"] == 0 and said["balanced"],
    "program and scheduler agree": said["agrees"] and said["program"]["scheduled"] == jobs["scheduled_total"],
    "nothing early": said["program"]["early"] == 0,
    "close tasks": said["shutdown"]["run"] == 4 and said["shutdown"]["failed"] == 1,
    "all kinds ran": all(kind["executions"] + kind["put_off"] > 0 for kind in said["kinds"].values()),
    **{f"warned of {kind}": said["warnings"].get(kind, 0) > 0 for kind in caused},
}
failed = [what for what, holds in checks.items() if not holds]
print("failed: " + ", ".join(failed) if failed else f"all {len(checks)} checks hold")
sys.exit(bool(failed))
