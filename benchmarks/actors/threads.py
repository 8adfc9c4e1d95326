# SPDX-License-Identifier: BSL-1.0
"""Our actors on worker threads: every workload of threads.cpp in turn, each in its own process."""
import sys

from . import workloads


def times(program, repetitions, share):
    """workload -> workers -> figure -> median, min, max; nothing for runs that did not finish."""
    runs = {}
    for number in range(repetitions):
        print(f"bench: threads, run {number + 1} of {repetitions}", file=sys.stderr)
        for name, count in workloads.counts(share).items():
            for workers in map(str, workloads.WORKERS):
                of = runs.setdefault(name, {}).setdefault(workers, [])
                if None in of:
                    continue
                of.append(workloads.one_near(program, [program, name, str(count), workers]))
                if of[-1] is None:
                    print(f"bench: {name}, {workers} workers: did not end within {workloads.GIVE_UP_SECONDS} s",
                          file=sys.stderr)
    return {name: {workers: None if None in of else workloads.summary(of) for workers, of in by_workers.items()}
            for name, by_workers in runs.items()}


def all_ended(result):
    return all(each is not None for by_workers in result["workloads"].values() for each in by_workers.values())


def cell(each):
    return f"{each['median']:.4g} ({each['min']:.4g} … {each['max']:.4g})"


def print_tables(result):
    measured = result["workloads"]
    print("| | goal, 1 / 2 workers | 1 worker | peak, MB | 2 workers | peak, MB |\n|---|---|---|---|---|---|")
    for name, _, figure, title, goals in workloads.MESSAGES:
        cells = [f"{cell(each[figure])} | {each['peak_mb']:.1f}" if each else "did not end |"
                 for each in measured[name].values()]
        print(f"| {title} | {goals[0]} / {goals[1]} | " + " | ".join(cells) + " |")

    print("\n| latency, µs | workers | p50 | p95 | p99 | raw condition variable p50 | p95 | p99 | × raw p50 (goal 1.2) | p95 "
          "(goal 1.2) | p99 |\n|---" + "|---" * 10 + "|")
    for name, _, title in workloads.LATENCY:
        for workers, each in measured[name].items():
            if each is None:
                print(f"| {title} | {workers} | did not end |")
                continue
            figures = [each[f"{prefix}{quantile}{suffix}"]["median"] for prefix, suffix in
                       (("", "_us"), ("raw_", "_us"), ("", "_by_raw")) for quantile in ("p50", "p95", "p99")]
            print(f"| {title} | {workers} | " + " | ".join(f"{value:.3g}" for value in figures) + " |")

    print("\n| latency, µs | workers | p50 | p95 | p99 | worst | ns per message | peak, MB |\n|---" + "|---" * 7 + "|")
    for name, _, title in (*workloads.SCALING, workloads.STARVATION):
        for workers, each in measured[name].items():
            if each is None:
                print(f"| {title} | {workers} | did not end |")
                continue
            figures = [each[f"{quantile}_us"]["median"] for quantile in ("p50", "p95", "p99", "max")]
            per_message = f"{each['ns']['median']:.1f}" if "ns" in each else ""
            print(f"| {title} | {workers} | " + " | ".join(f"{value:.3g}" for value in figures) +
                  f" | {per_message} | {each['peak_mb']:.1f} |")

    print("\n| rounds, µs | ideal on 2 workers | 1 worker | 2 workers |\n|---|---|---|---|")
    for name, _, title, ideal in (*workloads.ROUNDS, *workloads.SILENT):
        figure = "us" if "rounds" in name else "p50_us"
        cells = [cell(each[figure]) if each else "did not end" for each in measured[name].values()]
        print(f"| {title} | {ideal} | " + " | ".join(cells) + " |")

    print("\n| work | two workers should be faster by | 1 worker | 2 workers | medians |\n|---|---|---|---|---|")
    for name, _, title, goal in workloads.WORK:
        by_workers = measured[name]
        cells = [cell(each["ns"]) if each else "did not end" for each in by_workers.values()]
        ratio = by_workers["1"]["ns"]["median"] / by_workers["2"]["ns"]["median"] if all(by_workers.values()) else 0
        print(f"| {title} | {goal} | " + " | ".join(cells) + f" | {ratio:.2f} × |")

    if "instructions" in result:
        print("\n| instructions, 1 worker | per operation | goal |\n|---|---|---|")
        for name, each in result["instructions"].items():
            print(f"| {name} | {each['per_operation']:.0f} | {each['goal'] or ''} |")
