# SPDX-License-Identifier: BSL-1.0
"""Actors of tactor and its peers: one round runs every program once, so that a busy minute spoils one round of all and not
all rounds of one. The figure is the median over the rounds."""
import sys

from actors import workloads
from peers.programs import OURS, installed


def times(found, repetitions, share):
    """workload -> workers -> program -> figure -> median, min, max; nothing for programs that did not finish."""
    result = {}
    counts = workloads.counts(share)
    counts["idle_actors"] = min(counts["idle_actors"], 200_000)  # CAF takes minutes for a million on two workers
    for workload, count in counts.items():
        if workload in workloads.NO_PEER:
            continue
        print(f"bench: peers, {workload}, {repetitions} rounds", file=sys.stderr)
        for workers in workloads.WORKERS:
            runs = {name: [] for name, peer in found.items() if peer.takes_part(workload)}
            for _ in range(repetitions):
                for name, of in runs.items():
                    if of is None:
                        continue
                    figures = workloads.one_near(found[OURS].call("line", 1, 1)[0], found[name].call(workload, count, workers))
                    if figures is None:
                        print(f"bench: {name}, {workload}, {workers} workers: did not end within "
                              f"{workloads.GIVE_UP_SECONDS} s", file=sys.stderr)
                        runs[name] = None
                    else:
                        of.append(figures)
            result.setdefault(workload, {})[str(workers)] = {
                name: workloads.summary(of) if of else None for name, of in runs.items()}
    return result


def cells(by_name, names, figure):
    ours = by_name.get(OURS)
    for name in names:
        each = by_name.get(name)
        if each is None:
            yield "did not end" if name in by_name else "–"
            continue
        value = each[figure]["median"]
        memory = f"{each['peak_mb']:.0f} MB"
        if name == OURS:
            yield f"**{value:.4g}** ({each[figure]['min']:.4g} … {each[figure]['max']:.4g}), {memory}"
        elif ours is None:
            yield f"{value:.4g}, {memory}"
        else:
            yield f"{value:.4g} ({value / ours[figure]['median']:.2g} ×), {memory}"


def quantiles(by_name, names):
    for name in names:
        each = by_name.get(name)
        if each is None:
            yield "did not end" if name in by_name else "–"
            continue
        text = " / ".join(f"{each[f'{quantile}_us']['median']:.3g}" for quantile in ("p50", "p95", "p99"))
        if name == OURS:
            text = f"**{text}**"
        if "ns" in each:
            text += f"; {each['ns']['median']:.3g} ns"
        if "raw_p50_us" in each:
            text += "; raw " + " / ".join(f"{each[f'raw_{quantile}_us']['median']:.3g}" for quantile in ("p50", "p95", "p99"))
        yield text


def print_tables(result):
    names = result["programs"]
    columns = " | ".join(names) + " |\n|---|---" + "|---" * len(names)
    print(f"| medians, ratio to ours, peak memory | workers | goal | {columns}|---|")
    rows = (*workloads.MESSAGES, *((name, count, "ns", title, ("", "")) for name, count, title, _ in workloads.WORK))
    for workload, _, figure, title, goals in rows:
        if workload in workloads.NO_PEER:
            continue
        for workers, goal in zip(workloads.WORKERS, goals):
            row = cells(result["workloads"][workload][str(workers)], names, figure)
            print(f"| {title} | {workers} | {goal} | " + " | ".join(row) + " |")
    print(f"\n| µs per round, ratio to ours | workers | ideal on 2 workers | {columns}|---|")
    for workload, _, title, ideal in workloads.ROUNDS:
        for workers in workloads.WORKERS:
            row = cells(result["workloads"][workload][str(workers)], names, "us")
            print(f"| {title} | {workers} | {ideal} | " + " | ".join(row) + " |")
    print("\nGoal of the foreign thread: p50 and p95 within 1.2 × those of the raw condition variable beside it.\n")
    print(f"| from sent to handled, µs: p50 / p95 / p99 | workers | {columns}|")
    for workload, _, title in (*workloads.LATENCY, *workloads.SCALING):
        for workers in workloads.WORKERS:
            row = quantiles(result["workloads"][workload][str(workers)], names)
            print(f"| {title} | {workers} | " + " | ".join(row) + " |")


def compare(programs, repetitions, share, names):
    """`names`: only these peers; None: all."""
    found = installed(programs)
    if unknown := set(names or ()) - set(found):
        sys.exit(f"bench: no peer is called {', '.join(sorted(unknown))}; there are: {', '.join(found)}")
    found = {name: peer for name, peer in found.items() if names is None or name in (OURS, *names)}
    return {"repetitions": repetitions, "programs": list(found),
            "versions": {name: peer.version for name, peer in found.items() if peer.version},
            "workloads": times(found, repetitions, share)}
