#!/usr/bin/python3
"""fmd-rules(5) explains every key that the rule loader reads, and none that it does not.

rules_test.py fmd-rules.5 SOURCE...     the loader's sources
"""
import re
import sys

# Read under a name that is no literal there; and the head of an [[override]].
BESIDE = {"title", "description", "response", "impact", "action", "rule", "enabled"}
HEADINGS = {"override"}
READS = (
    r"\b(?:reader|fru|also|retire|repair)\.(?:text|required_text|texts|integer|number|duration|boolean|word|table|any|has)\(\s*\"([a-z_]+)\"",
    r"\{\"([a-z_]+)\", (?:\{RuleKind|k[A-Z])",
    r"\b(?:conditions|classes|relative)\((?:reader, |repair, )?\"([a-z_]+)\"",
)


def main(page, *sources):
    text = "".join(open(path, encoding="utf-8").read() for path in sources)
    read = {key for pattern in READS for key in re.findall(pattern, text)} - HEADINGS
    manual = open(page, encoding="utf-8").read()
    told = set(re.findall(r"^\.Va ([a-z_]+)", manual, re.M))
    for line in re.findall(r"^\.It (?:Va|Sy) (.*)$", manual, re.M):
        told |= set(re.split(r" No = | No ", line)[0].replace(",", " ").split())
    shown = set(re.findall(r"\b([a-z_]+) = ", "\n".join(re.findall(r"^\.Li (.*)$", manual, re.M))))
    wrong = [f"{page} does not explain {key}" for key in sorted(read - told - shown)]
    wrong += [f"{page} explains {key}, which no rule and no fault has" for key in sorted(told - read - BESIDE)]
    print("\n".join(wrong) or f"{len(read)} keys")
    return 1 if wrong or len(read) < 50 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
