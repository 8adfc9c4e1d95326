#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs the showcase at full load while much goes wrong around it; fails unless it keeps working and its counts add up.

    soak_showcase.py SHOWCASE TACTOR [SECONDS]

SECONDS: 600 by default; less than 60 is a lighter load. TACTOR is the command, which writes traces; "" leaves them out.
"""
import collections
import json
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
import urllib.request

showcase, command = sys.argv[1:3]
seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 600.0
load = ["--load", "32"] if seconds >= 60 else ["--load", "8", "--beacons", "2000"]
hanging = 200
# What is warned of because it is done on purpose. Beside a load that the machine cannot carry there are others: a run of a minute
# or more needs a machine of its own.
explained = {"late_timers": "the process was stopped", "restart_storm": "noise makes parsers fail",
             "hot_dead_letter": "the store's mailbox is full", "old_messages": "the process was stopped",
             "full_mailbox": "the store's mailbox is full, and the fleet's pushes back",
             "suspended_long": "the process was stopped"}


class reader(threading.Thread):
    """Reads all that a process says; the newest lines are kept."""

    def __init__(self, stream):
        super().__init__(daemon=True)
        self.stream, self.lines, self.count = stream, collections.deque(maxlen=60), 0
        self.start()

    def run(self):
        for line in self.stream:
            self.lines.append(line)
            self.count += 1


class sender(threading.Thread):
    """Sends readings over TCP, 100 lines at a time, and counts the answers."""

    def __init__(self, where):
        super().__init__(daemon=True)
        self.where, self.sent, self.answered, self.over = where, 0, 0, False
        self.start()

    def run(self):
        with socket.create_connection(self.where, timeout=60) as peer:
            answers = peer.makefile()
            while not self.over:
                peer.sendall(b"".join(b"%d 21.50\n" % (1 + i % 12) for i in range(100)))
                self.sent += 100
                self.answered += sum(1 for _ in range(100) if answers.readline() == "ok\n")


class events(threading.Thread):
    """Reads the event stream: ticks, warnings, and the memory of the process between them."""

    def __init__(self, where, process):
        super().__init__(daemon=True)
        self.where, self.process = where, process
        self.ticks, self.warnings, self.memory = 0, collections.Counter(), []
        self.example = {}
        self.start()

    def run(self):
        with urllib.request.urlopen(self.where + "api/v1/events", timeout=60) as stream:
            for line in stream:
                if not line.startswith(b"data: ") or not line.endswith(b"\n"):
                    continue
                tick = json.loads(line[6:])
                if self.process.poll() is not None:
                    return
                self.ticks += 1
                for each in tick["warnings"]:
                    self.warnings[each["what"]] += 1
                    self.example[each["what"]] = each["evidence"]
                self.memory.append(memory_of(self.process.pid))


def memory_of(process):
    """Resident kilobytes."""
    with open(f"/proc/{process}/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])


def get(console, what):
    with urllib.request.urlopen(console + "api/v1/" + what, timeout=60) as answer:
        return json.load(answer)


def post(console, token, action):
    request = urllib.request.Request(console + "api/v1/run", json.dumps({"name": action}).encode(),
                                     {"Authorization": "Bearer " + token})
    urllib.request.urlopen(request, timeout=60).close()


def trace_to_a_full_disk(console, token):
    """Returns: whether the command says that the trace could not be written."""
    done = subprocess.run([command, "--to", console.split("/")[2], "trace", "--seconds", "1", "--most", "2000", "-o", "/dev/full"],
                          env={**os.environ, "TACTOR_TOKEN": token}, capture_output=True, text=True, timeout=60)
    return done.returncode == 2 and "/dev/full" in done.stderr, done.stderr


start = time.monotonic()
run = subprocess.Popen([showcase, "--plain", *load, "--seconds", "86400"],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
console, token = re.fullmatch(r"console: (\S+)  token (\S+)\n", run.stdout.readline()).groups()
tcp = run.stdout.readline().strip().removeprefix("tcp: ")
said = reader(run.stdout)
address = (console.split("/")[2].split(":")[0], int(console.split("/")[2].split(":")[1]))
checks = {}
watched = events(console, run)
senders = [] if tcp.startswith("none") else [sender((tcp.split(":")[0], int(tcp.split(":")[1]))) for _ in range(4)]

while watched.ticks == 0 and run.poll() is None:
    time.sleep(0.05)
# A client that never reads its events.
slow = socket.socket()
slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
slow.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 88)  # so the system keeps few bytes for it
slow.connect(address)
slow.sendall(f"GET /api/v1/events HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\n\r\n".encode())
slow.recv(1)  # its stream has begun: before that, one of the crowd could take its place

# Clients that begin a request and go on waiting.
crowd = [socket.create_connection(address, timeout=60) for _ in range(hanging)]
for each in crowd:
    try:
        each.sendall(b"GET /api/v1/system HTTP/1.1\r\n")
    except OSError:
        pass  # it was closed for another one
about = get(console, "console")
checks["the console answers beside 200 clients that hang"] = about["connections"] <= 64
checks["and says how many it ended or turned away"] = about["turned_away"] + about["closed_idle"] >= hanging - 64

time.sleep(min(3.0, seconds / 5))
before = watched.ticks
run.send_signal(signal.SIGSTOP)
time.sleep(min(5.0, seconds / 10))
run.send_signal(signal.SIGCONT)
while watched.ticks < before + 2 and run.poll() is None:
    time.sleep(0.1)
checks["it goes on after SIGSTOP and SIGCONT"] = watched.ticks >= before + 2
for each in about["program_actions"]:
    post(console, token, each["name"])
if command:
    checks["a trace to a full disk is a clear error"], complaint = trace_to_a_full_disk(console, token)

while run.poll() is None and (time.monotonic() < start + seconds or watched.ticks < 18):
    time.sleep(0.2)
about = get(console, "console")
checks["a client that does not read loses events, which are counted"] = about["ticks_lost"] > 0
for each in senders:
    each.over = True
for each in senders:
    each.join(60)
run.send_signal(signal.SIGINT)
status = run.wait(300)
said.join(60)
slow.close()
for each in crowd:
    each.close()

text = "".join(said.lines)
checks["faults were caused"] = f" {len(about['program_actions'])} faults and changes by hand" in text
checks["it ends well"] = status == 130 and "nothing is missing" in text
checks["every line over TCP was answered"] = all(each.sent == each.answered > 0 for each in senders)
if senders:
    lines = sum(each.sent for each in senders)
    checks["and counted"] = f"tcp: {lines} lines from {len(senders)} clients, 0 of them bad" in text
# Memory: the median of the last third beside that of the second.
third = len(watched.memory) // 3
second, last = statistics.median(watched.memory[third:2 * third]), statistics.median(watched.memory[2 * third:])
checks["memory is flat"] = last <= second * 1.05 + 4096
checks["the journal is folded"] = said.count < 60 * seconds
if seconds >= 60:
    checks["no warning but those caused on purpose"] = set(watched.warnings) <= set(explained)
print(f"{seconds:.0f} s, {watched.ticks} ticks, {about['ticks_lost']} lost by the slow reader; "
      f"resident {watched.memory[third] // 1024} MB after a third, median {second // 1024:.0f} then {last // 1024:.0f} MB; {said.count} lines")
if command:
    print(f"full disk: {complaint.strip().splitlines()[-1]}")
for what, count in watched.warnings.items():
    print(f"warning {what} ({explained.get(what, 'not explained')}): in {count} of {watched.ticks} ticks, "
          f"such as: {watched.example[what]}")
failed = [what for what, holds in checks.items() if not holds]
print(text if failed else "".join(list(said.lines)[-14:]))
print("failed: " + ", ".join(failed) if failed else f"all {len(checks)} checks hold")
sys.exit(bool(failed))
