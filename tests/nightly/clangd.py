#!/usr/bin/python3
"""Opens one source and one header of each folder in clangd, as an editor does. The tree compiles, so every error reported there is a
false one. Needs build/, set up by `./dev build`."""
import os
import re
import subprocess
import sys

DIAGNOSTIC = re.compile(r"^E\[[\d:.]+\] \[[\w-]+\] Line \d+: ")
TREE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))


def files():
    """The first source and the first header of each folder."""
    listed = subprocess.run(["git", "ls-files", "*.cpp", "*.h"], cwd=TREE, check=True, capture_output=True, text=True).stdout.split()
    chosen = {}
    for path in listed:
        chosen.setdefault((os.path.dirname(path), os.path.splitext(path)[1]), path)
    return sorted(chosen.values())


def main():
    bad = checked = 0
    for path in files():
        # One line is enough: diagnostics cover the whole file, and checking tweaks at each token takes minutes.
        done = subprocess.run(["clangd", f"--check={path}", "--check-lines=1", "--compile-commands-dir=build", "--log=error"], cwd=TREE,
                              capture_output=True, text=True, check=False)
        errors = [line for line in done.stderr.splitlines() if DIAGNOSTIC.match(line)]
        checked += 1
        if errors:
            bad += 1
            print(path, *errors, sep="\n  ", flush=True)
    print(f"{checked - bad} passed, {bad} failed")
    return 1 if bad or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
