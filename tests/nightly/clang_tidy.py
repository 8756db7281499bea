#!/usr/bin/python3
"""Runs clang-tidy with .clang-tidy on each source of build-nightly/clang (made by the job "clang"), one per processor in parallel.
Findings are errors.

clang_tidy.py [PATH...]     only sources below these paths
"""
import concurrent.futures
import json
import os
import subprocess
import sys

TREE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = os.path.join(TREE, "build-nightly/clang")


def check(source):
    done = subprocess.run(["clang-tidy", "--quiet", "-p", BUILD, source], cwd=TREE, capture_output=True, text=True, check=False)
    return source, done.returncode, done.stdout


def main(paths):
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as file:
        sources = sorted({os.path.relpath(os.path.join(c["directory"], c["file"]), TREE) for c in json.load(file)})
    sources = [s for s in sources if not s.startswith(("..", "build")) and (not paths or s.startswith(tuple(paths)))]
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for source, status, output in pool.map(check, sources):
            if status:
                bad += 1
                print(f"{source}:\n{output}", flush=True)
    print(f"{len(sources) - bad} passed, {bad} failed")
    return 1 if bad or not sources else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
