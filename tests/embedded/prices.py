#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Prints what each feature costs a board in bytes, and fails where it is more than prices.limits permits.

    prices.py SIZE LIMITS IMAGE...

An image is named image_price_<feature>; the first, image_price_nothing, is what the others are compared with, but for lto_<feature>: that
is a whole image with link-time optimisation. A line of LIMITS:
feature, text, data and bss. The limits are measured values and three hundredths; they only go down. (Those of single
features went up four times, when timers, suspension, strategies and the log, later system messages, limits of mailboxes and replays, and
then the start of the scheduler and divisions, and then the ends of actors, counters, the memory of timers and of the log, left the image that they are compared with; and
once more, when parts of cells did: that made its text 272 bytes longer, and its memory 280 bytes smaller. At last, when refusals, dead letters, arguments
and callables did: its text is some 1 900 bytes shorter, and whole images with one feature are shorter, too, by 700 to 2 000 bytes. The image of the dump has no timer: its memory seems
to grow as that of a timer shrinks; so does that of the log and of periodic timers, by what alignment leaves of it. And when the memory of actors that wait for capacity,
of side queues and of the graph of waiting actors did: its memory is 200 bytes smaller, and whole images with one feature take 124 to 240 bytes less. A system takes a
multiple of 32 bytes, so that a change of 4 may show as 32, or as nothing: priorities, periodic timers and the dump. And when the settings, subscriptions, random numbers, the hub of metrics and the counts of the
loop did: its text is 616 bytes shorter and its memory 332 bytes smaller, and whole images with one feature take 304 to 364 bytes less. And once for the text of timers,
when their records became 8 bytes smaller and the slots of a wheel half as wide: 300 bytes more. And once for asks, by 12 bytes, when a failure was given
the asker to answer.)
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
    permitted = {words[0]: tuple(map(int, words[1:])) for words in
                 (line.split() for line in pathlib.Path(limits).read_text(encoding="utf-8").splitlines() if line and line[0] != "#")}
    errors = []
    print("| feature | text | memory |\n|---|---|---|")
    for feature, (text, memory) in found.items():
        whole = feature == "nothing" or feature.startswith("lto_")
        price = (text, memory) if whole else (text - base[0], memory - base[1])
        print(f"| {feature} | {price[0]} | {price[1]} |")
        if feature not in permitted or any(is_now > may_be for is_now, may_be in zip(price, permitted[feature])):
            errors.append(f"{feature}: {price}, permitted {permitted.get(feature)}")
    print("\n".join(errors))
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
