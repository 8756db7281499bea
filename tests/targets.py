#!/usr/bin/python3
"""Prints the Ninja targets that some tests or programs need, a line each. Without it Ninja would build all of the tree.

targets.py BUILD WHAT...    WHAT is "programs" (everything that `meson install` installs), a test suite, a test, or a target
"""
import json
import os
import subprocess
import sys


def introspect(build, what):
    return json.loads(subprocess.run(["meson", "introspect", what, build], check=True, capture_output=True).stdout)


def main(build, *words):
    wanted = set(words)
    chosen = [test for test in introspect(build, "--tests")
              if wanted & {test["name"], *(suite.split(":")[-1] for suite in test["suite"])}]
    needed = {target for test in chosen for target in test["depends"]}
    known = {"programs"}
    for test in chosen:
        known |= {test["name"], *(suite.split(":")[-1] for suite in test["suite"])}
    for target in introspect(build, "--targets"):
        names = [os.path.relpath(name, build) for name in target["filename"]]
        known.update(names)
        if target["id"] in needed or (target["installed"] and "programs" in wanted) or wanted & set(names):
            print(*names, sep="\n")
    if wanted - known:
        sys.exit(f"no suite, test or target: {', '.join(sorted(wanted - known))}")


if __name__ == "__main__":
    main(os.path.realpath(sys.argv[1]), *sys.argv[2:])
