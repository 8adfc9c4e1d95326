#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Fails when documentation points to nothing.

    tools/check_links.py [ROOT]

Looks at every Markdown file that git knows or would add: the target of a relative link exists, and so does the heading that a
`#fragment` names; a path in `code` that begins with a folder of the repository exists; a target of `make` exists; a block of
README.md that begins with an SPDX line is, letter for letter, the example it is linked to.
"""
import pathlib
import re
import subprocess
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
TOP = r"(?:src|tests|tools|docs|examples|cmake|benchmarks|\.ci)/"
PATH = re.compile(rf"(?<![\w./-]){TOP}[\w./-]*\w")
MAKE = re.compile(r"\bmake ([a-z][a-z-]*)\b")
PLANS = {"docs/spec.md", "docs/conformance.md"}  # these also name what is still to be made
EXAMPLE = re.compile(r"\[(examples/[\w/]+\.cpp)\]\(\1\), complete:\s*```cpp\n(.*?)^```$", re.M | re.S)


def markdown_files(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
                            check=True, capture_output=True, text=True).stdout
    return [root / name for name in sorted(set(listed.split("\n")) - {""}) if (root / name).exists()]


def anchors_of(text):
    """The fragments that the headings of a page can be reached by."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def broken_links(page, text):
    for target in LINK.findall(CODE.sub("", FENCE.sub("", text))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, fragment = target.partition("#")
        file = page.parent / path if path else page
        if not file.exists():
            yield f"there is no {target}"
        elif fragment and fragment not in anchors_of(file.read_text(encoding="utf-8")):
            yield f"{path or page.name} has no heading #{fragment}"


def missing_paths(root, text):
    for code in CODE.findall(FENCE.sub("", text)):
        if any(sign in code for sign in "*<…"):
            continue  # a pattern
        for path in PATH.findall(code):
            if not (root / path).exists():
                yield f"there is no {path}"


def missing_targets(text, targets):
    indented = "\n".join(re.findall(r"^    .*$", text, re.M))
    for code in [*CODE.findall(text), indented]:
        for target in MAKE.findall(code):
            if target not in targets:
                yield f"the Makefile has no target {target}"


def differing_examples(root, text):
    for path, shown in EXAMPLE.findall(text):
        if (root / path).read_text(encoding="utf-8") != shown:
            yield f"{path} is not what is shown"


def problems(root):
    targets = set(re.findall(r"^([a-z-]+):", (root / "Makefile").read_text(encoding="utf-8"), re.M))
    for page in markdown_files(root):
        text = page.read_text(encoding="utf-8")
        name = page.relative_to(root).as_posix()
        found = [*broken_links(page, text), *missing_targets(text, targets)]
        if name not in PLANS:
            found += missing_paths(root, text)
        if name == "README.md":
            found += differing_examples(root, text)
            if not EXAMPLE.search(text):
                found.append("shows no complete example")
        yield from (f"{name}: {what}" for what in found)


if __name__ == "__main__":
    errors = list(problems(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
    print("\n".join(errors) if errors else "links: all lead somewhere")
    sys.exit(bool(errors))
