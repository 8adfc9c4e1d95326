#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Fails unless each line of a file is a snapshot of version 1 with the fields that the guide names.

    check_snapshot.py FILE
"""
import json
import sys

NUMBER, TEXT, FLAG = int, str, bool
MAYBE = type(None)
ACTOR = {"id": TEXT, "parent": (TEXT, MAYBE), "path": TEXT, "type": TEXT, "state": TEXT, "reasons": [TEXT],
         "suspended_for_ns": (NUMBER, MAYBE), "waiting": (NUMBER, MAYBE), "oldest_ns": (NUMBER, MAYBE), "capacity": (NUMBER, MAYBE), "overloaded": FLAG,
         "restarts": (NUMBER, MAYBE), "handled": (NUMBER, MAYBE), "handler_p99_ns": (NUMBER, MAYBE),
         "busy_ns": (NUMBER, MAYBE)}
DEAD_LETTER = {"time_ns": NUMBER, "reason": TEXT, "message": TEXT, "target": (TEXT, MAYBE), "target_id": (TEXT, MAYBE),
               "sender": (TEXT, MAYBE), "sender_id": (TEXT, MAYBE)}
FAILURE = {"time_ns": NUMBER, "id": TEXT, "path": TEXT, "type": TEXT, "message": TEXT, "text": TEXT, "thrown": TEXT,
           "decision": TEXT, "restarts": NUMBER}
HANDLING = {"worker": NUMBER, "on_pool": FLAG, "actor": TEXT, "message": TEXT, "turn": NUMBER}
FIGURES = {"label": TEXT, "taken": NUMBER, "latency_p50_ns": NUMBER, "latency_p99_ns": NUMBER,
           "handler_p50_ns": NUMBER, "handler_p99_ns": NUMBER}
TIMER = {"key": (TEXT, MAYBE), "message": (TEXT, MAYBE), "mode": TEXT, "due_in_ns": (NUMBER, MAYBE), "period_ns": (NUMBER, MAYBE)}
WINDOW = {"matching": NUMBER, "offset": NUMBER}
PARTS = {
    "system": {"name": TEXT, "phase": TEXT, "metrics_level": TEXT, "actors": NUMBER, "waiting": NUMBER,
               "latency_p99_ns": NUMBER, "handler_p99_ns": NUMBER, "sums": dict},
    "actors": {**WINDOW, "actors": [ACTOR]},
    "actor": {"actor": ACTOR, "figures": (FIGURES, MAYBE), "children_total": NUMBER, "children": [ACTOR],
              "timers": ([TIMER], MAYBE), "watchers": ([TEXT], MAYBE), "watched": ([TEXT], MAYBE)},
    "tree": {**WINDOW, "nodes": [ACTOR]},
    "workers": {"pool": {"spawned": NUMBER, "running": NUMBER, "draining": NUMBER, "stopped": NUMBER},
                "ready_queue_depth": NUMBER, "workers": [{"name": TEXT, "busy_ns": NUMBER, "idle_ns": NUMBER}],
                "handling": [HANDLING]},
    "timers": {"occupancy": ({"bars": [NUMBER], "left_out": NUMBER}, MAYBE), "timers": dict},
    "dead_letters": {"total": NUMBER, "suppressed": NUMBER, "by_reason": dict, "not_recorded": NUMBER,
                     "recent": [DEAD_LETTER]},
    "failures": {"failures": NUMBER, "restarts": NUMBER,
                 "cause_of_the_end": ({"path": TEXT, "message": TEXT, "text": TEXT}, MAYBE), "not_recorded": NUMBER,
                 "recent": [FAILURE]},
    "warnings": {"warnings": [{"what": TEXT, "evidence": TEXT, "advice": TEXT}]},
    "shutdown": {"phase": TEXT, "actors": NUMBER, "waiting": NUMBER, "handling": [HANDLING], **WINDOW,
                 "holding": [ACTOR]},
    "board": {"board": ({"snapshot": NUMBER, "snapshots_lost": NUMBER, "frames_damaged": NUMBER, "frames_unknown": NUMBER,
                         "frames_missing": NUMBER, "stack_used": (NUMBER, MAYBE), "stack_size": (NUMBER, MAYBE),
                         "mailboxes": [{"id": TEXT, "path": TEXT, "deepest": NUMBER}]}, MAYBE)},
}
HEAD = {"version": NUMBER, "part": TEXT, "time_ns": NUMBER}


def wrong(value, kind, where):
    """Says what is wrong; None: nothing."""
    if isinstance(kind, tuple):
        found = [wrong(value, each, where) for each in kind]
        return None if None in found else found[0]
    if isinstance(kind, list):
        if not isinstance(value, list):
            return f"{where}: not a list"
        return next(filter(None, (wrong(each, kind[0], f"{where}[]") for each in value)), None)
    if isinstance(kind, dict):
        if not isinstance(value, dict):
            return f"{where}: not an object"
        if set(value) != set(kind):
            return f"{where}: {sorted(set(value) ^ set(kind))}"
        return next(filter(None, (wrong(value[name], kind[name], f"{where}.{name}") for name in kind)), None)
    return None if type(value) is kind else f"{where}: {value!r} is not {kind.__name__}"


def main():
    seen = set()
    with open(sys.argv[1], encoding="utf-8") as lines:
        for line in lines:
            snapshot = json.loads(line)
            part = snapshot.get("part")
            if snapshot.get("version") != 1 or part not in PARTS:
                sys.exit(f"version {snapshot.get('version')}, part {part}")
            if said := wrong(snapshot, {**HEAD, **PARTS[part]}, part):
                sys.exit(said)
            seen.add(part)
    if seen != set(PARTS):
        sys.exit(f"missing: {sorted(set(PARTS) - seen)}")


if __name__ == "__main__":
    main()
