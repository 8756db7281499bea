#!/usr/bin/python3
"""Compares the table of thresholds in docs/rules.md with the shipped rules: the columns "finds it at" and "severity" of each rule. Each
shipped rule also needs a comment of at most four lines right above it: what it finds, the source of its number, what it does not find.

thresholds.py [--write] [TREE]     --write corrects these two columns
"""
import glob
import itertools
import os
import re
import sys
import tomllib

ROW = re.compile(r"^\| (`[^|]*`) \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$", re.M)


def figure(rule):
    """A rule's threshold in words."""
    within = f" in {rule['within']}" if "within" in rule else ""
    kind = rule["kind"]
    if kind in ("serd", "common"):
        words = f"{rule['count']}{within}" if "count" in rule else f"as the pool says{within}"
    elif kind == "growth":
        words = f"{rule['by']} more{within}" if "by" in rule else f"first value above {rule['first_above']}"
        if "by" in rule and "first_above" in rule:
            words += f", or a first value above {rule['first_above']}"
    elif kind == "threshold":
        side = "above" if "above" in rule or "above_property" in rule else "below"
        words = f"the part's own limit ({side})" if f"{side}_property" in rule else f"{side} {rule[side]}"
    else:
        words = "first event" if kind == "immediate" else "the state"
    return words + (f", held {rule['hold']}" if "hold" in rule else "")


def rule_files(tree):
    return glob.glob(os.path.join(tree, "diagnosis-rules/*.toml")) + glob.glob(os.path.join(tree, "plugins/*/rules/*.toml"))


def uncommented(path):
    """Rules of a file without a comment of one to four lines right above them. Headings of sections ("# --- ") do not count."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for number, line in enumerate(lines):
        if line == "[[rule]]":
            above = list(itertools.takewhile(lambda one: one.startswith("# ") and not one.startswith("# ---"), reversed(lines[:number])))
            if not 1 <= len(above) <= 4:
                yield f"{path}:{number + 1}: a comment of one to four lines above the rule, not {len(above)}"


def shipped(tree):
    """{rule: (figure, severity)}."""
    found = {}
    for path in rule_files(tree):
        with open(path, "rb") as file:
            page = tomllib.load(file)
        faults = {fault["class"]: fault for fault in page.get("fault", [])}
        found |= {rule["name"]: (figure(rule), faults.get(rule["fault"], {}).get("severity", "")) for rule in page.get("rule", [])}
    return found


def table(text):
    return text.partition("\n## Thresholds\n")[2].partition("\n## ")[0]


def corrected(text, rules):
    """The page with its two columns corrected, and the differences found."""
    wrong = []

    def row(match):
        names = re.findall(r"`([\w-]+)`", match[1])
        if unknown := [name for name in names if name not in rules]:
            wrong.append(f"no rule is called {', '.join(unknown)}")
            return match[0]
        figures = {rules[name] for name in names}
        if len(figures) > 1:
            wrong.append(f"{match[1]} differ: {sorted(figures)}")
            return match[0]
        at, severity = figures.pop()
        if (at, severity) != (match[2], match[3]):
            wrong.append(f"{match[1]}: '{match[2]}', '{match[3]}' in the table, '{at}', '{severity}' in the rules")
        return f"| {match[1]} | {at} | {severity} | {match[4]} |"

    section = table(text)
    return text.replace(section, ROW.sub(row, section)), wrong, len(ROW.findall(section))


def main(arguments):
    write = "--write" in arguments
    trees = [one for one in arguments if one != "--write"]
    tree = trees[0] if trees else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = os.path.join(tree, "docs/rules.md")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    better, wrong, rows = corrected(text, shipped(tree))
    if write:
        with open(path, "w", encoding="utf-8") as file:
            file.write(better)
        return 0
    if wrong:
        wrong.append("To correct the table: python3 tests/thresholds.py --write")
    wrong += (one for path in rule_files(tree) for one in uncommented(path))
    print("\n".join(wrong) or f"{rows} rows agree with the rules")
    return 1 if wrong or rows < 40 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
