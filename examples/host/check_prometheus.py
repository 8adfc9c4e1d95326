#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs the showcase and a Prometheus server that scrapes its console and loads the alert rules of share/prometheus; fails unless
the server has the figures of the showcase, all of them, and evaluates every rule. Exit status 77: there is no Prometheus.

    check_prometheus.py SHOWCASE RULES
"""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

LIMIT = 120  # seconds, for a machine that is busy


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def get(url):
    with urllib.request.urlopen(url, timeout=20) as answer:
        return answer.read().decode()


class Server:
    def __init__(self, folder, target, rules):
        self.folder = folder
        with open(os.path.join(folder, "prometheus.yml"), "w", encoding="utf-8") as file:
            json.dump({"global": {"scrape_interval": "1s", "evaluation_interval": "1s"}, "rule_files": [rules],
                       "scrape_configs": [{"job_name": "tactor", "static_configs": [{"targets": [target]}]}]}, file)
        self.address = f"127.0.0.1:{free_port()}"
        self.log = open(os.path.join(folder, "log"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
             f"--web.listen-address={self.address}"], stdout=self.log, stderr=self.log)

    def ask(self, what, **parameters):
        url = f"http://{self.address}/api/v1/{what}?{urllib.parse.urlencode(parameters)}"
        return json.loads(get(url))["data"]

    def value(self, query):
        found = self.ask("query", query=query)["result"]
        return float(found[0]["value"][1]) if found else None

    def wait_for(self, what, holds):
        """Asks again and again until it holds."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            try:
                if holds():
                    return
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                pass  # it starts
            threading.Event().wait(0.1)
        self.log.seek(0)
        sys.exit(f"failed: {what}\n{self.log.read()}")

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()


def families(text):
    return set(re.findall(r"^# TYPE (\S+)", text, re.MULTILINE))


def main():
    if shutil.which("prometheus") is None:
        print("prometheus: skipped, it is not installed (Debian package `prometheus`)")
        sys.exit(77)
    showcase = subprocess.Popen([sys.argv[1], "--plain", "--beacons", "200", "--seconds", "600"],
                                stdout=subprocess.PIPE, text=True)
    console = re.fullmatch(r"console: (\S+)  token \S+\n", showcase.stdout.readline())[1]
    threading.Thread(target=showcase.stdout.read, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder, urllib.parse.urlsplit(console).netloc, os.path.abspath(sys.argv[2]))
        try:
            handled = "sum(tactor_actor_messages_handled_total)"
            server.wait_for("the console is scraped", lambda: server.value('up{job="tactor"}') == 1)
            server.wait_for("messages are counted", lambda: (server.value(handled) or 0) > 0)
            before = server.value(handled)
            server.wait_for("the figures change", lambda: server.value(handled) > before)
            server.wait_for("there is a rate", lambda: (server.value(f"sum(rate({handled[4:-1]}[10s]))") or 0) > 0)
            shown = families(get(console + "metrics"))
            server.wait_for("every family of the console is known",
                            lambda: shown and shown <= set(server.ask("metadata")))
            dropped = server.ask("targets")["activeTargets"][0]["lastError"]
            if dropped:
                sys.exit(f"failed: the scrape has an error: {dropped}")

            def rules():
                return [rule for group in server.ask("rules")["groups"] for rule in group["rules"]]
            server.wait_for("every rule is evaluated", lambda: rules() and all(each["health"] == "ok" for each in rules()))
            print(f"{len(shown)} families, {len(rules())} rules, {server.value('scrape_duration_seconds'):.3f} s for a scrape")
        finally:
            server.end()
            showcase.send_signal(signal.SIGINT)
            showcase.wait()


main()
