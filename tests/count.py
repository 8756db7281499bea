#!/usr/bin/python3
"""Adds up test results and prints them as one line, "N passed, N failed"; exit status 1 when anything failed.

count.py FOLDER...             what `meson test` wrote into these meson-logs, each test case of a program counted
count.py --sum STATUS:LOG...   the last such line of each log; a run that ended badly without saying
                               what failed counts as one failure
"""
import json
import os
import re
import sys
import xml.etree.ElementTree as ElementTree

FINE = ("OK", "EXPECTEDFAIL")
LINE = re.compile(r"^(\d+) passed, (\d+) failed$")


def of_meson(folder):
    """(passed, failed) of one run; results that were not written are a failure."""
    try:
        suites = list(ElementTree.parse(os.path.join(folder, "testlog.junit.xml")).getroot())
        with open(os.path.join(folder, "testlog.json"), encoding="utf-8") as lines:
            results = {program["name"]: program["result"] for program in map(json.loads, lines)}
    except (OSError, ValueError, KeyError, ElementTree.ParseError) as error:
        print(f"count: {folder}: {error}")
        return 0, 1
    # junit.xml lacks the cases of a program that came to no end, and takes other programs that did not for passed.
    bad = {name: result for name, result in results.items() if result not in FINE}
    passed, failed, explained = 0, [], set()
    for suite in suites:
        for case in suite.iter("testcase"):
            name = case.get("name", "")
            program = name if name in results else suite.get("name", "").partition(".")[2].rpartition(".")[0]
            if name in bad or case.find("failure") is not None or case.find("error") is not None:
                failed.append(f"{program} {name}" if program != name else f"{name} {bad.get(name, '')}")
                explained.add(program)
            else:
                passed += 1
    failed += [f"{name} {result}" for name, result in bad.items() if name not in explained]
    for one in failed:
        print(f"FAILED {one}".rstrip())
    return passed, len(failed)


def of_log(argument):
    """(passed, failed) said by a log's last summary line, checked against the exit status."""
    status, path = argument.split(":", 1)
    passed = failed = 0
    found = False
    with open(path, encoding="utf-8", errors="replace") as log:
        for line in log:
            match = LINE.match(line.strip())
            if match:
                passed, failed, found = int(match[1]), int(match[2]), True
    if (status != "0" and failed == 0) or not found:
        print(f"count: a run ended with status {status} {'but named no failure' if found else 'without a summary'}")
        failed += 1
    return passed, failed


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    if arguments[0] == "--sum":
        results = [of_log(argument) for argument in arguments[1:]]
    else:
        results = [of_meson(folder) for folder in arguments]
    passed = sum(result[0] for result in results)
    failed = sum(result[1] for result in results)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
