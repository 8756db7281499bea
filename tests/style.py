#!/usr/bin/python3
"""Checks the form of the tree's sources. style.py CHECK [TREE], CHECK one of:

format    clang-format would change nothing. Only checked with clang-format 14, the version that defines the
          tree's style: other versions format some things differently
shell     every shell script is free of shellcheck's warnings
python    every Python file compiles with warnings as errors; no call gives a program less than 100 seconds, because the
          machine may be busy: patience() in simulator/process.py. (The virtual machine has limits of its own)
clocks    no C++ test asserts that little wall-clock time has passed: a busy machine fails it. Processor time is fine
merged    no file contains markers of an unfinished merge
listed    chassis/meson.build lists every chassis description, so that it is installed, tested and drawn
"""
import os
import re
import shutil
import subprocess
import sys
import warnings

SKIPPED = ("build", ".git", ".cache", "__pycache__")


def files(tree):
    for folder, folders, names in os.walk(tree):
        folders[:] = sorted(f for f in folders if not f.startswith(SKIPPED))
        yield from (os.path.join(folder, name) for name in sorted(names))


def first_line(path):
    with open(path, "rb") as file:
        return file.readline(200)


def check_format(tree):
    tool = shutil.which("clang-format-14") or shutil.which("clang-format")
    version = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
    if " 14." not in version:
        print(f"not compared: this host has {version.strip()}")
        return 0
    sources = [p for p in files(tree) if p.endswith((".cpp", ".h"))]
    return subprocess.run([tool, "--dry-run", "-Werror", *sources], check=False).returncode


def check_shell(tree):
    scripts = [p for p in files(tree) if os.path.isfile(p) and not os.path.islink(p)
               and (p.endswith(".sh") or first_line(p).startswith((b"#!/bin/sh", b"#!/bin/bash", b"#!/usr/bin/env bash")))]
    # SC2115 warns about every "rm -rf $variable/..."; here these variables are set a few lines above, under set -u.
    return subprocess.run(["shellcheck", "--external-sources", "--severity=warning", "--exclude=SC2115", *scripts], check=False).returncode


def check_python(tree):
    warnings.simplefilter("error")
    bad = 0
    in_machine = os.path.join(tree, "tests", "vm")
    for path in files(tree):
        if path.endswith(".py") or b"python" in first_line(path) and first_line(path).startswith(b"#!"):
            try:
                with open(path, "rb") as source:
                    text = source.read()
                compile(text, path, "exec")
                if not path.startswith(in_machine) and (short := re.search(rb"\btimeout=[0-9]{1,2}\b(?!:)", text)):
                    raise ValueError(f"{short[0].decode()} is too short on a busy machine: use patience()")
            except (SyntaxError, ValueError, Warning) as error:
                print(f"{path}: {error}")
                bad = 1
    return bad


def check_clocks(tree):
    bad = 0
    for path in files(tree):
        if path.endswith("_test.cpp"):
            with open(path, encoding="utf-8") as source:
                for number, line in enumerate(source, 1):
                    if re.search(r"(EXPECT|ASSERT)_L[TE]\(.*clock::now\(\)", line):
                        print(f"{path}:{number}: compare processor time instead: {line.strip()}")
                        bad = 1
    return bad


def check_merged(tree):
    bad = 0
    for path in files(tree):
        if os.path.islink(path):
            continue
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                if line.startswith((b"<" * 7 + b" ", b">" * 7 + b" ")):
                    print(f"{path}:{number}: a marker of an unfinished merge")
                    bad = 1
    return bad


def check_listed(tree):
    folder = os.path.join(tree, "chassis")
    with open(os.path.join(folder, "meson.build"), encoding="utf-8") as file:
        listed = file.read()
    missing = [name for name in sorted(os.listdir(folder)) if name.endswith(".toml") and f"'{name}'" not in listed]
    for name in missing:
        print(f"chassis/{name} is not in chassis/meson.build")
    return len(missing)


def main(arguments):
    checks = {"format": check_format, "shell": check_shell, "python": check_python, "clocks": check_clocks,
              "merged": check_merged, "listed": check_listed}
    if not arguments or arguments[0] not in checks:
        sys.exit(__doc__)
    default = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return checks[arguments[0]](arguments[1] if len(arguments) > 1 else default)


if __name__ == "__main__":
    if "--help" in sys.argv:
        sys.exit(print(__doc__.strip()))
    sys.exit(main(sys.argv[1:]))
