#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs the showcase, sends readings over TCP and causes faults through its console; fails unless it says so and ends well.

    check_showcase_live.py SHOWCASE
"""
import itertools
import json
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request


class running:
    """A showcase that runs until it is interrupted, a minute at most."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.argv[1], "--plain", "--beacons", "200", "--seconds", "60"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        first = self.process.stdout.readline()
        self.console, self.token = re.fullmatch(r"console: (\S+)  token (\S+)\n", first).groups()
        self.tcp = self.process.stdout.readline().strip().removeprefix("tcp: ")

    def get(self, what):
        with urllib.request.urlopen(self.console + "api/v1/" + what, timeout=20) as answer:
            return json.load(answer)

    def post(self, what, **fields):
        request = urllib.request.Request(self.console + "api/v1/" + what, json.dumps(fields).encode(),
                                         {"Authorization": "Bearer " + self.token})
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status
        except urllib.error.HTTPError as refused:
            return refused.code

    def send_lines(self, lines):
        host, port = self.tcp.split(":")
        with socket.create_connection((host, int(port)), timeout=20) as peer:
            peer.sendall("".join(line + "\n" for line in lines).encode())
            peer.shutdown(socket.SHUT_WR)
            return peer.makefile().read().splitlines()

    def fails_with(self, why, cause):
        """Calls cause until a failure with this text is known. A parser that is given up loses what waits in its
        mailbox, so one call may not be enough. Returns how many calls it took."""
        for calls in itertools.count(1):
            cause()
            if why in json.dumps(self.get("failures")):
                return calls

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)
        said = self.process.communicate(timeout=50)[0]
        return self.process.returncode, said


checks = {}
world = running()
actions = [each["name"] for each in world.get("console")["program_actions"]]
checks["the console knows the faults and the load"] = actions == [
    "parser-crash", "store-slow", "device-silent", "flood", "load-double", "load-halve"]
checks["all of them are done"] = all(world.post("run", name=name) == 200 for name in actions)
has_tcp = not world.tcp.startswith("none")
if has_tcp:
    answers = world.send_lines(["1 21.50", "12 20.00", "13 20.00", "hello", "3 20.00"] + ["2 22.00"] * 1000)
    checks["every line is answered"] = len(answers) == 1005
    checks["good lines are taken, bad ones are not"] = \
        [line == "ok" for line in answers[:5]] == [True, True, False, False, True] and set(answers[5:]) == {"ok"}
    noisy = world.fails_with("'#' is no number", lambda: world.send_lines(["3 #"]))
world.fails_with("told to fail", lambda: world.post("run", name="parser-crash"))
status, said = world.interrupt()
checks["it ends well"] = status == 130  # interrupted, and sound
checks["the journal says what was done"] = all(
    f"by hand       {what}" in said
    for what in ("fault: parser-crash", "fault: store-slow", "fault: device-silent", "fault: flood", "load: 2", "load: 1"))
checks["the parser failed as it was told"] = "told to fail" in said
checks["lines that repeat are folded"] = " times)" in said and len(said.splitlines()) < 1000
if has_tcp:
    checks["lines are counted"] = f"tcp: {1005 + noisy} lines from {1 + noisy} clients, 2 of them bad" in said
    checks["the parser fails on what came over TCP"] = "'#' is no number" in said

with_faults = said
world = running()
checks["an actor is suspended by hand"] = world.post("suspend", path="/user/pager") == 200
status, said = world.interrupt()
checks["a broken invariant is the exit status"] = status == 1 and "BROKEN: each suspended actor has resumed" in said

failed = [what for what, holds in checks.items() if not holds]
print("failed: " + ", ".join(failed) if failed else f"all {len(checks)} checks hold")
if failed:
    print(with_faults, said, sep="\n")
sys.exit(bool(failed))
