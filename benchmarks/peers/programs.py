# SPDX-License-Identifier: BSL-1.0
"""The programs of the peers: how they are built from their registries, and how they are called. Each is at its fastest
settings: release builds, as many workers as ours, no limit of memory that a run could reach."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

OURS = "tactor"
FOLDER = pathlib.Path(__file__).resolve().parent


def output_of(*command):
    return subprocess.run(command, check=False, text=True, capture_output=True).stdout.strip()


def built(name, tools, steps, folder):
    """Whether a peer could be built; prints why not."""
    missing = [tool for tool in tools if not shutil.which(tool)]
    if missing:
        print(f"bench: {name}: {', '.join(missing)} not installed: skipped", file=sys.stderr)
        return False
    for step in steps:
        done = subprocess.run(step, cwd=folder, text=True, capture_output=True)
        if done.returncode != 0:
            print(f"bench: {name}: `{' '.join(map(str, step))}` failed: skipped\n{done.stderr[-1000:]}", file=sys.stderr)
            return False
    return True


class Peer:
    """A program: `command(workers)` without the workload's arguments, its version, and the workloads it cannot run."""

    def __init__(self, command, version="", without=()):
        self.command = command
        self.version = version
        self.without = without

    def takes_part(self, workload):
        return not any(re.fullmatch(pattern, workload) for pattern in self.without)

    def call(self, workload, count, workers):
        return [*self.command(workers), workload, str(count), str(workers)]


class PeerWithParameters(Peer):
    """`rounds`, `work`, `foreign_many` and `fair` take their parameters as arguments: `PROGRAM WORKLOAD COUNT WORKERS PARAMETER JOBS`."""

    def call(self, workload, count, workers):
        if found := re.fullmatch(r"rounds_(\d+)_(\d+)", workload):
            return super().call("rounds", count, workers) + [str(int(found[2]) * 1000), found[1]]
        if found := re.fullmatch(r"work_(\d+)", workload):
            return super().call("work", count, workers) + [found[1], "1000"]
        if workload == "foreign_many":
            return super().call(workload, count, workers) + ["8"]
        if found := re.fullmatch(r"scaling_(\d+)", workload):
            return super().call("fair", count, workers) + [found[1]]
        return super().call(workload, count, workers)


# A foreign thread beside a raw condition variable is measured in our programs and CAF's.
NO_FOREIGN = (r"foreign(_spinning|_rare)?",)


def erlang(build):
    if not built("Erlang (erlang-base)", ("erlc", "erl"), [["erlc", "-o", str(build), "actors.erl"]], FOLDER):
        return None
    version = output_of("erl", "-noshell", "-eval", 'io:format("OTP ~s, ERTS ~s", [erlang:system_info(otp_release), '
                                                    'erlang:system_info(version)]), halt().')
    return PeerWithParameters(lambda workers: ["erl", "+S", f"{workers}:{workers}", "+P", "2000000", "-noshell", "-pa", str(build),
                                               "-run", "actors", "main"], version, NO_FOREIGN)


def go_program(build):
    program = build / "peer_go"
    return program if built("protoactor-go (go)", ("go",), [["go", "build", "-o", str(program), "."]], FOLDER / "go") else None


def go(build):
    program = go_program(build)
    if program is None:
        return None
    version = re.search(r"protoactor-go (\S+)", (FOLDER / "go/go.mod").read_text(encoding="utf-8"))[1]
    return PeerWithParameters(lambda workers: [str(program)], f"{version}, {output_of('go', 'version')}", NO_FOREIGN)


def rust_programs(build):
    """The folder with the programs of actix, ractor and tokio."""
    target = build / "rust"
    steps = [["cargo", "build", "--release", "--target-dir", str(target)]]
    return target / "release" if built("actix, ractor, tokio (cargo)", ("cargo",), steps, FOLDER / "rust") else None


def rust(build):
    """actix and ractor."""
    programs = rust_programs(build)
    if programs is None:
        return {}
    lock = (FOLDER / "rust/Cargo.lock").read_text(encoding="utf-8")

    def peer(name, without=()):
        version = re.search(rf'name = "{name}"\nversion = "(.*)"', lock)[1]
        return PeerWithParameters(lambda workers: [str(programs / f"peer_{name}")], version, NO_FOREIGN + without)
    return {"actix": peer("actix", (r"foreign_many",)), "ractor": peer("ractor")}


def java_command(build):
    """How the program of Pekko and Netty is called, without its arguments."""
    classes, libraries = build / "pekko/classes", build / "pekko/lib"
    classes.mkdir(parents=True, exist_ok=True)
    steps = [["mvn", "-q", "-f", "pom.xml", "dependency:copy-dependencies", f"-DoutputDirectory={libraries}"],
             ["javac", "-cp", f"{libraries}/*", "-d", str(classes), "Peer.java"]]
    if not built("Pekko, Netty (mvn, javac)", ("mvn", "javac", "java"), steps, FOLDER / "pekko"):
        return None
    return ["java", "-Xmx8g", "-cp", f"{libraries}/*{os.pathsep}{classes}", "Peer"]


def pekko(build):
    command = java_command(build)
    if command is None:
        return None
    version = re.search(r"pekko-actor_2.13</artifactId>\s*<version>(.*?)<", (FOLDER / "pekko/pom.xml").read_text(encoding="utf-8"))[1]
    return PeerWithParameters(lambda workers: command, version, NO_FOREIGN)


def timers(build):
    """The timers of tokio, Go and Netty: name -> workload (`steady`, `fire`) -> command without its count; prints which are missing."""
    build.mkdir(parents=True, exist_ok=True)
    found = {}
    if (programs := rust_programs(build)) is not None:
        for name, workload in (("DelayQueue", "dq"), ("tokio sleep", "sleep")):
            found[name] = {of: [str(programs / "timers_tokio"), f"{workload}_{of}"] for of in ("steady", "fire")}
    for name, command in (("Go", go_program(build)), ("Netty", java_command(build))):
        if command is not None:
            command = command if isinstance(command, list) else [str(command)]
            found[name] = {of: [*command, f"timers_{of}"] for of in ("steady", "fire")}
    return found


def installed(programs):
    """name -> peer; prints which are missing and why."""
    build = programs / "peers"
    build.mkdir(parents=True, exist_ok=True)
    found = {OURS: Peer(lambda workers: [str(programs / "actors_threads")])}
    if (programs / "peer_caf").exists():
        found["caf 0.17"] = Peer(lambda workers: [str(programs / "peer_caf")],
                                 output_of("dpkg-query", "-W", "-f=${Version}", "libcaf-dev"), (r"rounds.*", r"work.*", r"foreign_many"))
    else:
        print("bench: CAF (libcaf-dev) is not installed: skipped", file=sys.stderr)
    for name, program in (("caf 1.1", "peer_caf1"), ("sobjectizer", "peer_so5")):
        if (programs / program).exists():
            found[name] = PeerWithParameters(lambda workers, p=program: [str(programs / p)], "given by path", NO_FOREIGN)
        else:
            print(f"bench: {name}: no path was given (benchmarks/README.md): skipped", file=sys.stderr)
    found |= {"erlang": erlang(build), "protoactor-go": go(build), **rust(build), "pekko": pekko(build)}
    return {name: peer for name, peer in found.items() if peer is not None}
