#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Prints what each feature costs a board in bytes, and fails where a whole image is larger than prices.limits permits.

    prices.py SIZE LIMITS IMAGE...

An image is named image_price_<feature>; the first, image_price_nothing, is what the others are compared with, but for lto_<feature>: that
is a whole image with link-time optimisation. Other images are printed as a whole, too. A line of LIMITS is about a whole image.
"""
import pathlib
import subprocess
import sys


def sizes(size, images):
    """{feature: (text, memory)}"""
    lines = subprocess.run([size, *images], check=True, capture_output=True, text=True).stdout.splitlines()[1:]
    return {pathlib.Path(image).name.removeprefix("image_price_"): (int(line.split()[0]), int(line.split()[1]) + int(line.split()[2]))
            for image, line in zip(images, lines)}


def main(size, limits, *images):
    found = sizes(size, images)
    base = found["nothing"]
    print("| feature | text | memory |\n|---|---|---|")
    for feature, (text, memory) in found.items():
        whole = feature in ("nothing", "smallest") or feature.startswith(("lto_", "image_"))
        price = (text, memory) if whole else (text - base[0], memory - base[1])
        print(f"| {feature} | {price[0]} | {price[1]} |")
    errors = []
    for line in pathlib.Path(limits).read_text(encoding="utf-8").splitlines():
        if not line or line[0] == "#":
            continue
        image, *most = line.split()
        if any(is_now > int(may_be) for is_now, may_be in zip(found[image], most, strict=True)):
            errors.append(f"{image}: {found[image]}, permitted {most}")
    print("\n".join(errors))
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
