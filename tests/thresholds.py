#!/usr/bin/python3
"""Compares the tables of thresholds with the shipped rules: in docs/rules.md the columns "finds it at" and "severity" of each rule, in
docs/smart.md the verdicts. Each shipped rule also needs a comment of at most four lines right above it: what it finds, the source of its
number, what it does not find.

thresholds.py [--write] [TREE]     --write corrects the two columns of docs/rules.md
"""
import glob
import itertools
import os
import re
import sys
import tomllib

ROW = re.compile(r"^\| (`[^|]*`) \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$", re.M)
# Rows of the verdicts in docs/smart.md: how each begins, its rules that are Major, and those that are Minor.
VERDICTS = {
    "pending (197)": ("smart-pending smart-uncorrectable",
                      "smart-pending-slow smart-uncorrectable-slow smart-pending-before smart-uncorrectable-before"),
    "reported uncorrectable": ("smart-reported", "smart-reported-slow smart-reported-before smart-reported-before-ssd"),
    "SAS: uncorrected reads": ("sas-uncorrected-read sas-uncorrected-verify",
                               "sas-uncorrected-read-slow sas-uncorrected-verify-slow sas-uncorrected-read-before sas-uncorrected-verify-before"),
    "SAS: uncorrected writes": ("sas-uncorrected-write", "sas-uncorrected-write-slow sas-uncorrected-write-before"),
    "NVMe: media errors": ("nvme-media-errors nvme-error-log", "nvme-media-slow nvme-media-before"),
    "unreadable places": ("disk-medium-places", "disk-medium"),
    "reallocated sectors": ("smart-reallocated", "smart-reallocated-slow smart-reallocated-before smart-reallocated-before-other"),
    "reallocated blocks": ("smart-reallocated-ssd sas-grown-defects",
                           "smart-reallocated-ssd-slow sas-grown-defects-slow smart-reallocated-before-other sas-grown-defects-before"),
    "end-to-end": ("smart-end-to-end", ""),
    "spare blocks": ("nvme-spare-used-up", "nvme-spare-near"),
    "endurance": ("smart-worn-out", "smart-wear"),
    "helium": ("smart-helium-low", "smart-helium"),
}
# All rules of these faults have to be in the table.
COUNTED = ("fault.io.disk.media-defects", "fault.io.disk.defects")
UNITS = {"min": "minutes", "h": "hours", "d": "days"}


def figure(rule):
    """A rule's threshold in words."""
    within = f" in {rule['within']}" if "within" in rule else ""
    kind = rule["kind"]
    if kind == "cause":
        words = "the odds of one cause"
    elif kind == "serd":
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
    paths = glob.glob(os.path.join(tree, "diagnosis-rules/*.toml")) + glob.glob(os.path.join(tree, "plugins/*/rules/*.toml"))
    return [path for path in paths if not os.path.islink(path)]


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
    """({name: rule}, {class: fault}) of all files."""
    rules, faults = {}, {}
    for path in rule_files(tree):
        with open(path, "rb") as file:
            page = tomllib.load(file)
        rules |= {rule["name"]: rule for rule in page.get("rule", [])}
        faults |= {fault["class"]: fault for fault in page.get("fault", [])}
    return rules, faults


def figures(rules, faults):
    """{rule: (figure, severity)}."""
    return {name: (figure(rule), faults.get(rule["fault"], {}).get("severity", "")) for name, rule in rules.items()}


def section(text, heading):
    return text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def verdict(rule):
    """A rule's threshold as docs/smart.md words it, a phrase for each way in which it fires. Waits of seconds are left out."""
    def spelled(duration):
        number, unit = re.fullmatch(r"(\d+)(\w+)", duration).groups()
        return f"{number} {UNITS[unit]}"
    kind, found = rule["kind"], []
    if kind == "immediate":
        found = ["the first"]
    elif kind == "serd":
        found = [f"{rule['count']} within {spelled(rule['within'])}"]
    elif kind == "growth" and (rule.get("by"), rule.get("first_above")) == (1, 0):
        found = ["any"]
    elif kind == "growth":
        found = [f"{rule['by']} more within {spelled(rule['within'])}"] if "by" in rule else []
        found += [f"{rule['first_above'] + 1} at first sight"] if "first_above" in rule else []
    elif "below_property" in rule:
        found = [f"up to {rule['below'] - 1} points above its threshold" if rule["below"] else "below its threshold"]
    elif kind == "threshold":
        found = [f"{rule['above'] + 1} %" if "above" in rule else f"{rule['below'] - 1} % or less"]
    hold = rule.get("hold", "")
    return {one + (f", for {spelled(hold)}" if hold and not re.fullmatch(r"\d+s", hold) else "") for one in found}


def verdicts(text, rules, faults):
    """What is wrong with the table of verdicts in docs/smart.md. Remarks in parentheses do not count."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section(text, "Verdicts").splitlines() if line.startswith("| ")][1:]
    listed = set()
    for row in rows:
        if not (names := next((names for start, names in VERDICTS.items() if row[0].startswith(start)), None)):
            yield f"docs/smart.md: no rules are known for '{row[0]}': add the row to VERDICTS"
            continue
        for cell, column, severity in zip(row[1:], names, ("Major", "Minor")):
            listed |= set(column.split())
            if unknown := [name for name in column.split() if name not in rules]:
                yield f"docs/smart.md: no rule is called {', '.join(unknown)}"
                continue
            shown = {phrase for phrase in re.sub(r" \([^)]*\)", "", cell).split("; ") if phrase}
            true = set().union(*(verdict(rules[name]) for name in column.split()))
            if shown != true:
                yield f"docs/smart.md: '{row[0]}', {severity}: '{'; '.join(sorted(shown))}' in the table, '{'; '.join(sorted(true))}' in the rules"
            for fault in {rules[name]["fault"] for name in column.split()}:
                if (faults[fault]["severity"], faults[fault].get("led", False)) != (severity, severity == "Major"):
                    yield f"docs/smart.md: '{row[0]}': {fault} is not {severity}, or differs in the fault LED"
    if missing := VERDICTS.keys() - {start for start in VERDICTS for row in rows if row[0].startswith(start)}:
        yield f"docs/smart.md lacks the rows {', '.join(sorted(missing))}"
    if missing := sorted(name for name, rule in rules.items() if rule["fault"] in COUNTED and name not in listed):
        yield f"docs/smart.md: the table of verdicts lacks {', '.join(missing)}: add them to VERDICTS"


def corrected(text, known):
    """The page with its two columns corrected, and the differences found."""
    wrong = []

    def row(match):
        names = re.findall(r"`([\w-]+)`", match[1])
        if unknown := [name for name in names if name not in known]:
            wrong.append(f"no rule is called {', '.join(unknown)}")
            return match[0]
        found = {known[name] for name in names}
        if len(found) > 1:
            wrong.append(f"{match[1]} differ: {sorted(found)}")
            return match[0]
        at, severity = found.pop()
        if (at, severity) != (match[2], match[3]):
            wrong.append(f"{match[1]}: '{match[2]}', '{match[3]}' in the table, '{at}', '{severity}' in the rules")
        return f"| {match[1]} | {at} | {severity} | {match[4]} |"

    before = section(text, "Thresholds")
    return text.replace(before, ROW.sub(row, before)), wrong, len(ROW.findall(before))


def main(arguments):
    write = "--write" in arguments
    trees = [one for one in arguments if one != "--write"]
    tree = trees[0] if trees else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = os.path.join(tree, "docs/rules.md")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    rules, faults = shipped(tree)
    better, wrong, rows = corrected(text, figures(rules, faults))
    if write:
        with open(path, "w", encoding="utf-8") as file:
            file.write(better)
        return 0
    if wrong:
        wrong.append("To correct the table: python3 tests/thresholds.py --write")
    with open(os.path.join(tree, "docs/smart.md"), encoding="utf-8") as file:
        wrong += verdicts(file.read(), rules, faults)
    wrong += (one for path in rule_files(tree) for one in uncommented(path))
    print("\n".join(wrong) or f"{rows} rows agree with the rules")
    return 1 if wrong or rows < 40 else 0


if __name__ == "__main__":
    if "--help" in sys.argv:
        sys.exit(print(__doc__.strip()))
    sys.exit(main(sys.argv[1:]))
