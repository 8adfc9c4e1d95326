# SPDX-License-Identifier: BSL-1.0
"""Requests per second of the echo services, ours and plain Asio, with the same client: one after the other in each round."""
import json
import resource
import statistics
import subprocess
import sys

CONNECTIONS = (1, 100, 10_000)
GOAL = 0.9
# name -> program and its argument. Ours has a thread for Asio and one worker.
SERVICES = {
    "tactor": ("tcp_echo_tactor", "1"),
    "tactor_one_thread": ("tcp_echo_tactor", "0"),
    "asio": ("tcp_echo_asio", "1"),
    "asio_two_threads": ("tcp_echo_asio", "2"),
}


def one(programs, service, connections, seconds):
    """Requests per second, and microseconds of the service's processor time for a request."""
    program, argument = SERVICES[service]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with subprocess.Popen([programs / program, argument], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as serving:
        port = serving.stdout.readline().strip()
        with subprocess.Popen([programs / "tcp_echo_client", port, str(connections), str(seconds)], text=True,
                              stdout=subprocess.PIPE) as asking:
            told = json.loads(asking.stdout.read())
        serving.stdin.close()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime - told["client_cpu_s"]
    return {"per_s": told["requests_per_s"], "cpu_us": 1e6 * spent / told["requests"]}


def summary(values, base):
    return {"median": statistics.median(values), "min": min(values), "max": max(values),
            "by_asio": statistics.median(a / b for a, b in zip(values, base))}


def times(programs, repetitions, seconds=0.5):
    """connections -> service -> figure -> median, min, max, and the median of the ratios to plain Asio of the same round."""
    found = {}
    for connections in CONNECTIONS:
        runs = {service: [] for service in SERVICES}
        for number in range(repetitions):
            print(f"bench: tcp, {connections} connections, run {number + 1} of {repetitions}", file=sys.stderr)
            order = list(SERVICES) if number % 2 == 0 else list(reversed(SERVICES))
            for service in order:
                runs[service].append(one(programs, service, connections, seconds))
        found[str(connections)] = {
            service: {figure: summary([each[figure] for each in of], [each[figure] for each in runs["asio"]])
                      for figure in ("per_s", "cpu_us")}
            for service, of in runs.items()}
    return found


def print_table(result):
    for figure, title in (("per_s", "requests per second"), ("cpu_us", "µs of processor time of the service for a request")):
        print(f"| {title}, connections | " + " | ".join(SERVICES) + " |\n|---" + "|---" * len(SERVICES) + "|")
        for connections, by_service in result["workloads"].items():
            cells = [f"{each[figure]['median']:.4g} ({each[figure]['min']:.4g} … {each[figure]['max']:.4g}), "
                     f"{each[figure]['by_asio']:.2f} ×" for each in by_service.values()]
            print(f"| {connections} | " + " | ".join(cells) + " |")
        print()
