#!/usr/bin/python3
"""Adds up test results and prints them as one line, "N passed, N failed"; exit status 1 when anything failed.

count.py FOLDER...             what `meson test` wrote into these meson-logs, each test case of a program counted; what was
                               run once more (again.json) counts as it ended then
count.py --failed FOLDER       the names of the programs that failed there, a line each
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


def read(folder, base):
    """(suites, program -> result) of one run."""
    suites = list(ElementTree.parse(os.path.join(folder, f"{base}.junit.xml")).getroot())
    with open(os.path.join(folder, f"{base}.json"), encoding="utf-8") as lines:
        return suites, {program["name"]: program["result"] for program in map(json.loads, lines)}


def bad_of(results):
    return {name: result for name, result in results.items() if result not in FINE}


def of_run(suites, results, but=()):
    """(passed, [(program, what failed)]), without the programs `but`."""
    # junit.xml lacks the cases of a program that came to no end, and takes other programs that did not for passed.
    bad = {name: result for name, result in bad_of(results).items() if name not in but}
    passed, failed, explained = 0, [], set()
    for suite in suites:
        for case in suite.iter("testcase"):
            name = case.get("name", "")
            program = name if name in results else suite.get("name", "").partition(".")[2].rpartition(".")[0]
            if program in but:
                continue
            if name in bad or case.find("failure") is not None or case.find("error") is not None:
                failed.append((program, name if program != name else bad.get(name, "")))
                explained.add(program)
            else:
                passed += 1
    return passed, failed + [(name, result) for name, result in bad.items() if name not in explained]


def of_meson(folder):
    """(passed, failed) of one run, and of what was run once more; results that were not written are a failure."""
    again = ([], {})
    try:
        first = read(folder, "testlog")
        if os.path.exists(os.path.join(folder, "again.json")):
            again = read(folder, "again")
    except (OSError, ValueError, KeyError, ElementTree.ParseError) as error:
        print(f"count: {folder}: {error}")
        return 0, 1
    for program, what in of_run(*first)[1]:
        print(f"{'FAILED, and run once more:' if program in again[1] else 'FAILED'} {program} {what}".rstrip())
    for program, what in of_run(*again)[1]:
        print(f"FAILED again: {program} {what}".rstrip())
    counted = [of_run(*first, but=again[1]), of_run(*again)]
    return sum(passed for passed, _ in counted), sum(len(failed) for _, failed in counted)


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
    if arguments[0] == "--failed":
        for name in bad_of(read(arguments[1], "testlog")[1]):
            print(name.partition(" / ")[2])
        return 0
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
