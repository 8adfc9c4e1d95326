#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Makes a mutant of an image in which interrupts are not masked, to show that its tests need the masks.

    unmask.py OBJDUMP IMAGE MUTANT FUNCTIONS

Replaces `cpsid i` by `nop` in all functions whose mangled name matches the regular expression FUNCTIONS. Fails if there is none.
"""
import re
import struct
import subprocess
import sys

FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
MASK = re.compile(r"^\s*([0-9a-f]+):\s.*\bcpsid\s+i\b")
NOP = b"\xc0\x46"  # mov r8, r8: also on ARMv6-M


def masks(objdump, image, functions):
    """The addresses of the instructions."""
    listing = subprocess.run([objdump, "-d", image], check=True, capture_output=True, text=True).stdout
    function = ""
    for line in listing.splitlines():
        if begins := FUNCTION.match(line):
            function = begins[1]
        elif (mask := MASK.match(line)) and re.search(functions, function):
            yield int(mask[1], 16)


def file_offset(elf, address):
    """Where the file has the byte that is loaded to this address: in one of the program's segments."""
    start, = struct.unpack_from("<I", elf, 28)
    size, count = struct.unpack_from("<HH", elf, 42)
    for n in range(count):
        kind, offset, loaded_to, _, length = struct.unpack_from("<5I", elf, start + n * size)
        if kind == 1 and loaded_to <= address < loaded_to + length:
            return offset + address - loaded_to
    raise ValueError(f"no segment has {address:#x}")


def main(objdump, image, mutant, functions):
    with open(image, "rb") as file:
        elf = bytearray(file.read())
    found = list(masks(objdump, image, functions))
    for address in found:
        at = file_offset(elf, address)
        assert elf[at:at + 2] == b"\x72\xb6"
        elf[at:at + 2] = NOP
    with open(mutant, "wb") as file:
        file.write(elf)
    print(f"{len(found)} masks removed")
    return not found


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
