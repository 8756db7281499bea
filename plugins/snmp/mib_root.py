#!/usr/bin/python3
"""mib_root.py FMD-MIB.txt OUTPUT: writes a header with fmdMIB's object identifier, which only the module defines. It is below
netSnmpPlaypen, or below enterprises once fmd has its own number."""
import re
import sys

ENTERPRISES = (1, 3, 6, 1, 4, 1)
PARENTS = {"enterprises": ENTERPRISES, "netSnmpPlaypen": (*ENTERPRISES, 8072, 9999, 9999)}


def root(text):
    found = re.search(r"^fmdMIB MODULE-IDENTITY\b.*?^\s*::= \{ (\w+)((?: \d+)+) \}", text, re.M | re.S)
    if not found or found[1] not in PARENTS:
        sys.exit(f"FMD-MIB: fmdMIB must be below one of {', '.join(PARENTS)}, by numbers")
    return (*PARENTS[found[1]], *map(int, found[2].split()))


def main(source, output):
    with open(source, encoding="ascii") as file:
        numbers = root(file.read())
    with open(output, "w", encoding="ascii") as file:
        file.write("// Made by mib_root.py from schemas/FMD-MIB.txt.\n#pragma once\n"
                   f"#define FMD_MIB_ROOT {', '.join(map(str, numbers))}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
