#!/usr/bin/python3
"""A plugin's source that has a command which overwrites a disk asks plugins/hardware/overwrite_guard.h before it.

overwrites.py [TREE]    prints each offence; exit status 1 when there is one
"""
import glob
import os
import re
import sys

COMMAND = re.compile(r'"(--add|--create|--zero-superblock|mkfs[.\w]*|mke2fs|wipefs|blkdiscard|sgdisk|sfdisk|parted|labelclear|pvcreate|vgextend|dd)"'
                     r'|"zpool",\s*"(replace|attach|add|create)"|"btrfs",\s*"(replace|device)"')
GUARDED = "overwrites = hardware::Overwrite{"


def offences(path, text):
    found = COMMAND.search(text)
    if found and GUARDED not in text:
        yield f"{path}: {found[0]} overwrites a disk, and no step of this file says which ({GUARDED}...}})"


def main(tree):
    paths = [p for p in glob.glob(os.path.join(tree, "plugins", "*", "*.cpp"))]
    bad = []
    guarded = 0
    for path in sorted(paths):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        bad += offences(os.path.relpath(path, tree), text)
        guarded += GUARDED in text
    if not guarded:
        bad.append("no plugin overwrites a disk any more: this test looks for the wrong words")
    print("\n".join(bad) or f"{guarded} files overwrite disks, and check them first")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
