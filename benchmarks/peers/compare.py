# SPDX-License-Identifier: BSL-1.0
"""Actors of tactor, CAF and Erlang: one round runs every program once, so that a busy minute spoils one round of all and not
all rounds of one. The figure is the median over the rounds."""
import shutil
import subprocess
import sys

from actors import workloads

OURS = "tactor"


def installed(programs, folder):
    """name -> workers -> command without its last arguments; prints which are missing."""
    found = {OURS: lambda workers: [str(programs / "actors_threads")]}
    if (programs / "peer_caf").exists():
        found["caf"] = lambda workers: [str(programs / "peer_caf")]
    else:
        print("bench: CAF (libcaf-dev) is not installed: skipped", file=sys.stderr)
    if shutil.which("erlc") and shutil.which("erl"):
        subprocess.run(["erlc", "-o", str(programs), str(folder / "actors.erl")], check=True)
        found["erlang"] = lambda workers: ["erl", "+S", f"{workers}:{workers}", "+P", "1000000", "-noshell", "-pa", str(programs), "-run",
                                           "actors", "main"]
    else:
        print("bench: Erlang (erlang-base) is not installed: skipped", file=sys.stderr)
    return found


def versions(found):
    known = {}
    if "caf" in found:
        known["caf"] = output_of("dpkg-query", "-W", "-f=${Version}", "libcaf-dev")
    if "erlang" in found:
        known["erlang"] = output_of("erl", "-noshell", "-eval",
                                    'io:format("OTP ~s, ERTS ~s", [erlang:system_info(otp_release), '
                                    'erlang:system_info(version)]), halt().')
    return known


def output_of(*command):
    return subprocess.run(command, check=False, text=True, capture_output=True).stdout.strip()


def takes_part(name, workload):
    if name == "erlang":
        return workload not in workloads.NO_PEER and not workload.startswith("foreign")  # no thread is foreign to it
    return name == OURS or workload not in workloads.NO_PEER


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
            runs = {name: [] for name in found if takes_part(name, workload)}
            for _ in range(repetitions):
                for name, of in runs.items():
                    if of is None:
                        continue
                    figures = workloads.one([*found[name](workers), workload, str(count), str(workers)])
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
    for workload, _, figure, title, goals in workloads.MESSAGES:
        for workers, goal in zip(workloads.WORKERS, goals):
            row = cells(result["workloads"][workload][str(workers)], names, figure)
            print(f"| {title} | {workers} | {goal} | " + " | ".join(row) + " |")
    print("\nGoal of the foreign thread: p50 and p95 within 1.2 × those of the raw condition variable beside it.\n")
    print(f"| from sent to handled, µs: p50 / p95 / p99 | workers | {columns}|")
    for workload, _, title in (*workloads.LATENCY, *workloads.SCALING):
        for workers in workloads.WORKERS:
            row = quantiles(result["workloads"][workload][str(workers)], names)
            print(f"| {title} | {workers} | " + " | ".join(row) + " |")


def compare(programs, folder, repetitions, share):
    found = installed(programs, folder)
    return {"repetitions": repetitions, "programs": list(found), "versions": versions(found),
            "workloads": times(found, repetitions, share)}
