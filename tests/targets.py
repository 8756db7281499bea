#!/usr/bin/python3
"""Prints the Ninja targets that some tests or programs need, one per line. Without it Ninja would build the whole tree.

targets.py BUILD WHAT...    WHAT is "programs" (everything that `meson install` installs), "server" (these without fmtray),
                            a test suite, a test, an installed program, or a target.
                            Tests other than unit and style tests may start any program.
"""
import json
import os
import subprocess
import sys


def introspect(build, what):
    return json.loads(subprocess.run(["meson", "introspect", what, build], check=True, capture_output=True).stdout)


def suites(test):
    return {suite.split(":")[-1] for suite in test["suite"]}


def main(build, *words):
    wanted = set(words)
    chosen = [test for test in introspect(build, "--tests") if wanted & {test["name"], *suites(test)}]
    needed = {target for test in chosen for target in test["depends"]}
    known = {"programs", "server"}.union(*({test["name"], *suites(test)} for test in chosen))
    if not all(suites(test) & {"unit", "style"} for test in chosen):
        wanted.add("programs")
    whole = "programs" in wanted
    for target in introspect(build, "--targets"):
        names = [os.path.relpath(name, build) for name in target["filename"]]
        own = {*names, target["name"]} if target["installed"] else set(names)
        known.update(own)
        if target["id"] in needed or (target["installed"] and (whole or "server" in wanted and target["name"] != "fmtray")) or wanted & own:
            print(*names, sep="\n")
    if wanted - known:
        sys.exit(f"no suite, test or target: {', '.join(sorted(wanted - known))}")


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(print(__doc__.strip()) if "--help" in sys.argv else __doc__.strip())
    main(os.path.realpath(sys.argv[1]), *sys.argv[2:])
