#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Fails when a header does not compile by itself.

    tools/check_headers.py BUILD

Takes the headers and their options from BUILD/compile_commands.json, where CMake lists one source for each header of a file set. The
standard headers are precompiled: tools/check_includes.py says whether a header includes those that it needs. A header that another header
includes before anything else is compiled with that one, so it is not compiled again.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

STANDARD = """algorithm array atomic bit chrono concepts coroutine cstddef cstdint cstdio cstring exception expected functional limits memory
mutex new optional span string string_view thread tuple type_traits utility vector"""
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)
DROPPED = re.compile(r"-O\d|-DNDEBUG|-c")
WITH_VALUE = ("-o", "-x", "-MF", "-MT")  # dropped with the word behind it


def first_include(file):
    found = INCLUDE.search(file.read_text(encoding="utf-8"))
    return found[1] if found else None


def options_of(command):
    """The compiler and its options, without launcher, input, output and optimisation: nothing is generated."""
    words = shlex.split(command)
    words = words[next(i for i, word in enumerate(words) if re.search(r"(\+\+|clang)[^/]*$", word)):]
    kept, skip = [], False
    for word in words:
        if skip or word in ("-MD", *WITH_VALUE) or DROPPED.fullmatch(word):
            skip = word in WITH_VALUE and not skip
            continue
        kept.append(word)
    return tuple(word for word in kept if not word.endswith(".cxx"))


def headers_of(build):
    """header as it is included -> options"""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        if "verify_interface_header_sets" in entry["file"]:
            source = pathlib.Path(entry["file"]).read_text(encoding="utf-8")
            found[INCLUDE.search(source)[1]] = options_of(entry["command"])
    return found


def path_of(header, options):
    folders = [pathlib.Path(option[2:]) for option in options if option.startswith("-I")]
    return next(folder / header for folder in folders if (folder / header).is_file())


def on_top(headers):
    """The headers that no other header of the list includes before anything else."""
    below = {first_include(path_of(header, options)) for header, options in headers.items()}
    return {header: options for header, options in headers.items() if header not in below}


def precompiled(options, folder, number):
    header = folder / f"standard_{number}.hpp"
    header.write_text("".join(f"#include <{name}>\n" for name in STANDARD.split()), encoding="utf-8")
    subprocess.run([*options, "-xc++-header", str(header), "-o", f"{header}.gch"], check=True)
    return (*options, "-include", str(header))


def complaint_about(header, options):
    """What the compiler says, or nothing."""
    done = subprocess.run([*options, "-fsyntax-only", "-xc++", "-"], input=f"#include <{header}>\n", capture_output=True, text=True)
    return f"{header} does not compile by itself:\n{done.stderr}" if done.returncode else ""


def main(arguments):
    if len(arguments) != 1:
        print("usage: tools/check_headers.py BUILD", file=sys.stderr)
        return 2
    build = pathlib.Path(arguments[0]).resolve()
    headers = headers_of(build)
    if not headers:
        print(f"headers: {build}/compile_commands.json lists none: configure with TACTOR_BUILD_TESTS", file=sys.stderr)
        return 1
    wanted = on_top(headers)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        kinds = {options: pool.submit(precompiled, options, pathlib.Path(folder), number)
                 for number, options in enumerate(sorted(set(wanted.values())))}
        ready = {options: kind.result() for options, kind in kinds.items()}
        found = [text for text in pool.map(lambda each: complaint_about(each[0], ready[each[1]]), wanted.items()) if text]
    for text in found:
        print(text)
    print(f"headers: {len(found)} of {len(headers)} do not compile by themselves ({len(wanted)} were compiled, with {len(ready)} sets of options)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
