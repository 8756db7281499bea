#!/usr/bin/python3
"""A function of a plugin that builds a command which overwrites a disk must also name that disk, which is then checked immediately before
the command (plugins/hardware/overwrite_guard.h). This includes commands that add a spare or a former member.

overwrites.py [TREE]    prints each offence; exit status 1 when there is one
"""
import glob
import os
import re
import sys

COMMAND = re.compile(r'"(--add|--re-add|--create|--zero-superblock|mkfs[.\w]*|mke2fs|wipefs|blkdiscard|sgdisk|sfdisk|parted|labelclear|pvcreate|vgextend|dd)"'
                     r'|"zpool",\s*"(replace|attach|add|create)"|"btrfs",\s*"(replace|device)"')
GUARDED = "hardware::Overwrite{"
FUNCTION_END = "\n}\n"


def offences(path, text):
    for function in text.split(FUNCTION_END):
        found = COMMAND.search(function)
        if found and GUARDED not in function:
            yield f"{path}: {found[0]} overwrites a disk, and the function that says so does not say which ({GUARDED}...}})"


def main(tree):
    bad = []
    guarded = {}
    for path in sorted(glob.glob(os.path.join(tree, "plugins", "*", "*.cpp"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        name = os.path.relpath(path, tree)
        bad += offences(name, text)
        if GUARDED in text:
            guarded[name] = text.count(GUARDED)
    if len(guarded) < 2:
        bad.append("fmd-zfs and fmd-volumes overwrite disks, and this test does not find both: it looks for the wrong words")
    print("\n".join(bad) or f"checked before the command: {guarded}")
    return 1 if bad else 0


if __name__ == "__main__":
    if "--help" in sys.argv:
        sys.exit(print(__doc__.strip()))
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
