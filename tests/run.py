#!/usr/bin/python3
"""Runs Meson's tests. Its last line is "N passed, N failed"; the exit status is 1 if anything failed.

run.py BUILD [OPTION...] [+ BUILD [OPTION...]]...
    Run `meson test -C BUILD --no-rebuild OPTION...` in each build folder. OPTION may be the name of a test or of a suite. A
    test that fails and is listed in tests/flaky.toml runs a second time; any other failure is final. Failures and second
    tries are named at the end.
run.py --sum STATUS:LOG...
    Sum up several runs from their logs and exit statuses, and repeat the failures and second tries.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tomllib

TESTS = os.path.dirname(os.path.abspath(__file__))
SUITES = ("style", "unit", "integration", "demo", "plain", "nightly", "sanitized")
GOOD = ("OK", "EXPECTEDFAIL")  # not SKIP: a skipped test proves nothing
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed$")
NAMED = re.compile(r"^(failed|passed at the second try): ")
# The last lines of GoogleTest and unittest: how many cases ran, and which failed.
CASES = re.compile(r"^(?:\[=+\] (\d+) tests? from .* ran\.|Ran (\d+) tests? in )", re.M)
FAILED_CASE = re.compile(r"^(?:\[  FAILED  \] ([\w/]+\.[\w/]+)(?:, where .*)?(?: \(\d+ ms\))?|(?:FAIL|ERROR): (\w+) .*)$", re.M)


def flaky(kind, path=os.path.join(TESTS, "flaky.toml")):
    """name -> cause of the listed tests (kind "test") or virtual machine scenarios ("scenario")."""
    with open(path, "rb") as file:
        entries = tomllib.load(file).get(kind, [])
    for entry in entries:
        if set(entry) != {"name", "cause", "mend"} or not all(entry.values()):
            sys.exit(f"{path}: an entry has a name, its cause, and what would mend it; found: {entry}")
    return {entry["name"]: entry["cause"] for entry in entries}


class Program:
    """A test program's result, from a line of Meson's testlog.json."""

    def __init__(self, line):
        log = json.loads(line)
        self.name = log["name"].rpartition(" / ")[2]
        self.result = log["result"]
        output = log.get("stdout", "") + "\n" + log.get("stderr", "")
        self.good = self.result in GOOD
        cases = [int(match[1] or match[2]) for match in CASES.finditer(output)]
        self.bad_cases = [] if self.good else sorted({match[1] or match[2] for match in FAILED_CASE.finditer(output)})
        self.failed = 0 if self.good else max(1, len(self.bad_cases))
        # A killed program does not report how many cases it ran.
        self.passed = max(cases[-1] if cases else int(self.good), int(self.good)) - len(self.bad_cases)
        self.passed = max(self.passed, 0)

    def told(self):
        return " ".join([self.name, *(self.bad_cases or [self.result])])


class Sum:
    def __init__(self):
        self.passed = self.failed = 0
        self.names = []

    def add(self, program):
        self.passed += program.passed
        self.failed += program.failed
        if not program.good:
            self.names.append(f"failed: {program.told()}")

    def add_failure(self, what):
        self.failed += 1
        self.names.append(f"failed: {what}")

    def close(self):
        print("", *self.names, f"{self.passed} passed, {self.failed} failed", sep="\n", flush=True)
        return 1 if self.failed or not self.passed else 0


# Meson runs each test in a session of its own, and the kernel first divides processor time among sessions: without this, a test of a
# run with `nice 19` counts as much as all the rest of a normal run.
KEEP_NICE = "sh -c 'nice >/proc/self/autogroup; exec \"$@\"' sh"


def meson_test(build, logbase, options):
    """(exit status, programs)"""
    pattern = os.path.join(glob.escape(build), "meson-logs", logbase + "*.json")  # Meson adds the setup's name
    for log in glob.glob(pattern):
        os.unlink(log)
    wrapper = ["--wrapper", KEEP_NICE] if os.nice(0) > 0 and os.access("/proc/self/autogroup", os.W_OK) else []
    status = subprocess.run(["meson", "test", "-C", build, "--no-rebuild", "--print-errorlogs", "--logbase", logbase, *wrapper, *options],
                            check=False).returncode
    programs = []
    for log in glob.glob(pattern):
        with open(log, encoding="utf-8") as lines:
            programs += [Program(line) for line in lines]
    return status, programs


def tests_of(build, suite):
    with open(os.path.join(build, "meson-info/intro-tests.json"), encoding="utf-8") as file:
        return [test["name"] for test in json.load(file) if any(one.rpartition(":")[2] == suite for one in test["suite"])]


def as_meson_options(build, options):
    """A suite's name means all its tests. A test that is named runs, even if it is one of the night."""
    if len({word in SUITES for word in options}) == 2 and not any(word.startswith("-") for word in options):
        # Suites and tests: Meson would run only those of the tests that are in a suite.
        options = [name for word in options for name in (tests_of(build, word) if word in SUITES else [word])]
    out = []
    for word in options:
        out += ["--suite", word] if word in SUITES and out[-1:] != ["--suite"] else [word]
    chosen = "--suite" in out or "--setup" in out
    return out if chosen or not out else ["--setup", "everything", *out]


def run(total, build, options, listed):
    # Two per processor: tests mostly wait.
    jobs = ["--num-processes", str(2 * len(os.sched_getaffinity(0)))]
    status, programs = meson_test(build, "testlog", jobs + as_meson_options(build, options))
    if not programs or (status and all(program.good for program in programs)):
        total.add_failure(f"meson test in {build} ended with status {status} and {len(programs)} results")
    again = [program for program in programs if not program.good and program.name in listed]
    for program in programs:
        if program not in again:
            total.add(program)
    if not again:
        return
    print(f"\nListed in tests/flaky.toml, run a second time: {', '.join(program.name for program in again)}", flush=True)
    _, second = meson_test(build, "second-try", ["--setup", "everything", "--num-processes", "1"] + [program.name for program in again])
    results = {program.name: program for program in second}
    for program in again:
        result = results.get(program.name, program)
        total.add(result)
        if result.good:
            total.names.append(f"passed at the second try: {program.told()} ({listed[program.name]})")


def add_log(total, argument):
    status, path = argument.split(":", 1)
    found, names = None, []
    with open(path, encoding="utf-8", errors="replace") as log:
        for line in map(str.rstrip, log):
            closing = CLOSING.match(line)
            if closing:
                found, names = (int(closing[1]), int(closing[2]), names), []
            elif line:
                names = names + [line] if NAMED.match(line) else []
    if found:
        total.passed += found[0]
        total.failed += found[1]
        total.names += found[2]
    if not found or (status != "0" and not found[1]):
        total.add_failure(f"a run ended with status {status} {'but named no failure' if found else 'without a closing line'}")


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    if arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0
    total = Sum()
    if arguments[0] == "--sum":
        for argument in arguments[1:]:
            add_log(total, argument)
        return total.close()
    listed = flaky("test")
    while arguments:
        end = arguments.index("+") if "+" in arguments else len(arguments)
        (build, *options), arguments = arguments[:end], arguments[end + 1:]
        run(total, build, options, listed)
    return total.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
