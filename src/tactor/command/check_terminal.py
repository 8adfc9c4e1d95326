#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs `tactor top` in a terminal of its own, and fails unless it shows a picture, ends in each way that a user ends it, and
leaves the terminal as it was.

    check_terminal.py PROGRAM
"""
import fcntl
import json
import os
import pty
import select
import signal
import socket
import struct
import sys
import tempfile
import termios
import threading

ENTER, LEAVE, SHOW_CURSOR = b"\x1b[?1049h", b"\x1b[?1049l", b"\x1b[?25h"
PART = {"version": 1, "time_ns": 1, "name": "shop", "phase": "running", "actors": [{"id": "1.1", "path": "/user/\x1b]0;x\x07"}]}


def serve(listening):
    while True:
        try:
            client, _ = listening.accept()
        except OSError:
            return
        with client:
            text = b""
            while b"\r\n\r\n" not in text:
                text += client.recv(4096)
            body = json.dumps(PART).encode()
            client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


def read_until(terminal, seen, wanted):
    while wanted not in seen:
        ready, _, _ = select.select([terminal], [], [], 20)
        if not ready:
            sys.exit(f"no {wanted!r} in {seen!r}")
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the program has ended
            part = b""
        if not part:
            sys.exit(f"ended without {wanted!r}: {seen!r}")
        seen += part
    return seen


def run(program, address, end):
    """Returns what the program wrote."""
    terminal, other_side = pty.openpty()
    fcntl.ioctl(other_side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    before = termios.tcgetattr(other_side)
    child = os.fork()
    if child == 0:
        os.setsid()
        fcntl.ioctl(other_side, termios.TIOCSCTTY, 0)
        for standard in (0, 1, 2):
            os.dup2(other_side, standard)
        os.closerange(3, 256)
        os.execve(program, [program, "top", "--to", address, "--interval", "3600"], {"TERM": "xterm"})
    seen = read_until(terminal, b"", b"/user/")
    end(terminal, child)
    seen = read_until(terminal, seen, LEAVE)
    status = os.waitpid(child, 0)[1]
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"status {status}: {seen!r}")
    if termios.tcgetattr(other_side) != before:
        sys.exit("the settings of the terminal are others than before")
    os.close(terminal)
    os.close(other_side)
    return seen


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listening:
        address = folder + "/console.sock"
        listening.bind(address)
        listening.listen()
        threading.Thread(target=serve, args=(listening,), daemon=True).start()
        ends = {"q": lambda terminal, _: os.write(terminal, b"q"),
                "another order, then q": lambda terminal, _: os.write(terminal, b"xpq"),
                "Ctrl-C": lambda terminal, _: os.write(terminal, b"\x03"),
                "Ctrl-\\": lambda terminal, _: os.write(terminal, b"\x1c"),
                "SIGTERM": lambda _, child: os.kill(child, signal.SIGTERM)}
        for name, end in ends.items():
            seen = run(program, address, end)
            if not seen.startswith(ENTER) or SHOW_CURSOR not in seen:
                sys.exit(f"{name}: {seen!r}")
            if b"\x1b]" in seen or b"\x07" in seen:
                sys.exit(f"{name}: control characters of an actor's name reach the terminal: {seen!r}")
        listening.shutdown(socket.SHUT_RDWR)


if __name__ == "__main__":
    main()
