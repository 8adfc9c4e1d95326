#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Fails when a C++ block of README.md or of the guide is not, line for line, part of an example that is compiled.

    check_snippets.py ROOT EXAMPLES_FOLDER

Indentation does not count.
"""
import pathlib
import re
import sys

FENCE = re.compile(r"^```cpp\n(.*?)^```$", re.M | re.S)


def plain(text):
    return "\n".join(line.strip() for line in text.strip().split("\n"))


root, examples = map(pathlib.Path, sys.argv[1:3])
compiled = [plain(file.read_text(encoding="utf-8"))
            for file in sorted([*examples.glob("*.?pp"), *(root / "examples/cortex_m").rglob("*.?pp")])]
errors, count = [], 0
for page in [root / "README.md", *sorted((root / "docs" / "guide").glob("*.md"))]:
    for snippet in FENCE.findall(page.read_text(encoding="utf-8")):
        count += 1
        if not any(plain(snippet) in text for text in compiled):
            errors.append(f"{page.name}: in no example:\n{snippet}")
print("\n".join(errors) if errors else f"snippets: {count}, each part of an example")
sys.exit(bool(errors) or count == 0)
