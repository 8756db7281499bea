#!/usr/bin/python3
"""Adds up test results and prints them as one line, "N passed, N failed"; exit status 1 when anything failed.

count.py JUNIT.xml...          results of `meson test`, each test case of a program counted
count.py --sum STATUS:LOG...   the last such line of each log; a run that ended badly without saying
                               what failed counts as one failure
"""
import re
import sys
import xml.etree.ElementTree as ElementTree

LINE = re.compile(r"^(\d+) passed, (\d+) failed$")


def of_junit(path):
    """(passed, failed) of one of meson's junit files; one that was not written is a failure."""
    try:
        cases = list(ElementTree.parse(path).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError) as error:
        print(f"count: {path}: {error}")
        return 0, 1
    bad = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    for case in bad:
        print(f"FAILED {case.get('classname', '')} {case.get('name', '')}".replace("  ", " "))
    return len(cases) - len(bad), len(bad)


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
        results = [of_junit(path) for path in arguments]
    passed = sum(result[0] for result in results)
    failed = sum(result[1] for result in results)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
