#!/usr/bin/python3
"""Checks the texts for people against docs/STYLE.md: fault texts, manual pages, README and docs, configuration examples, completions,
schemas, MIBs, dashboards, package descriptions, ./dev's help, the programs' strings, and all comments.

texts.py [TREE]
"""
import glob
import os
import re
import sys
import textwrap
import tomllib

# (pattern to avoid, what to write instead)
FORBIDDEN = (
    (r"foretell\w*", "predicts"),
    (r"anew", "again; reseat, rewrite, restart"),
    (r"likelier", "more likely"),
    (r"seldom", "rarely"),
    (r"exchang(e|es|ed|ing)", "replace"),
    (r"mend(s|ed|ing)?", "repair, fix"),
    (r"bears? the loss", "can survive ... disk failures"),
    (r"go(es)? on (\w+ing|where)", "keeps, continues"),
    (r"(hence|thus|thereof|wherein|hither|lest)", "so, therefore"),
    (r"the wish of", "name who wants it"),
    (r"by its own (account|judgement)", "reports"),
    (r"what should (?!be)\w+", "name the thing"),
    (r"speaks? (for|against)", "points to"),
    (r"whoever", "anyone who"),
    (r"(begun|begins?) anew", "starts again"),
    (r"' says so", "run '...'"),
    (r"is no news", "is not reported"),
    (r"made? itself heard", "responded"),
    (r"(has|have|had) (it|them) in its own words", "shows the message"),
    (r"(it is|is|are|as) theirs", "leaves it to ..., ... is responsible"),
    (r"who may (undo|give it back)", "how to undo it"),
    (r"told (to nobody|of nothing)", "not sent"),
    (r"is (not )?taken by itself", "is (not) used automatically"),
    (r"as (well|soon) as ever", "immediately"),
    (r"(has|have|had) not begun yet", "has not started"),
    (r"who(ever)? has never", "a ... that has never"),
    (r"nobody knows", "unknown"),
    (r"by hand of", "manually by"),
    (r"hears? nothing", "receives nothing"),
    (r"of its own accord", "by itself"),
    (r"(is|are) of no use", "cannot be used"),
    (r"bears?", "can survive, tolerates"),
    (r"(woken|awoken)", "spun up"),
)
TEXTS = ("title", "description", "response", "impact", "action")
LONGEST_TITLE = 60
VERBS = ("Look Check Run Replace Plan Reseat Copy Put Pull Take Bring Find Shut Save Compare Delete Give Make Correct Start Restart Restore "
         "Have Do Nothing Disconnect Buy Free Clear Set Use Add Remove Update Investigate Test Connect Unmount Raise Read Wait Let Move Describe "
         "Verify Reboot Stop Boot Enable Disable Power Cool Ask Decide Try Swap Measure Watch Follow See Back Reset Switch Keep Scrub").split()


def rule_files(tree):
    folders = ("diagnosis-rules", "plugins/*/rules", "plugins/sdk/examples")
    paths = (path for folder in folders for path in glob.glob(os.path.join(tree, folder, "*.toml")))
    return sorted(path for path in paths if not os.path.islink(path))


def rule_texts(tree):
    """(where, name of the text, text) of each fault."""
    for path in rule_files(tree):
        with open(path, "rb") as file:
            faults = tomllib.load(file).get("fault", [])
        for fault in faults:
            for name in TEXTS:
                yield f"{os.path.relpath(path, tree)}: {fault['class']}: {name}", name, fault[name]


PAGES = ("man/*.[158]", "plugins/*/*.[158]", "*.md", "docs/*.md", "docs/dev/*.md", "docs/dev/decisions/*.md", "plugins/*/README.md", "simulator/README.md", "schemas/*.txt",
         "schemas/*.md", "schemas/*/README.md", "diagnosis-rules/README.md", "tests/*/README.md", "ui/*/README.md", "data/*.toml.in", "plugins/*/*.toml", "data/completions/*", "data/monitoring/*", "data/polkit/*", "data/desktop/*", "data/dbus/*",
         "data/systemd/*", "plugins/*/*.service.in", "debian/control", "debian/*.post*", "plugins/*/debian/*", "debian/*.pre*", "debian/changelog", "plugins/sdk/examples/*")


def pages(tree):
    for pattern in PAGES:
        found = sorted(glob.glob(os.path.join(tree, pattern)))
        if not found:
            yield pattern, "whoever"  # a pattern without matches checks nothing
        for path in found:
            if os.path.basename(path) == "STYLE.md" or not os.path.isfile(path):
                continue
            with open(path, encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    yield f"{os.path.relpath(path, tree)}:{number}", line
    with open(os.path.join(tree, "dev"), encoding="utf-8") as file:
        for number, line in enumerate(file.read().partition("\nEND\n")[0].splitlines(), 1):
            yield f"dev:{number}", line


def strings(tree):
    """String literals of the programs' sources."""
    literal = re.compile(r'"((?:[^"\\]|\\.)*)"')
    for folder in ("fmd/*", "ui/*", "plugins/*"):
        for path in sorted(glob.glob(os.path.join(tree, folder, "*.cpp"))):
            with open(path, encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    if not line.lstrip().startswith(("//", "#include")):
                        for found in literal.findall(line):
                            yield f"{os.path.relpath(path, tree)}:{number}", found


# A comment may use these: a thread is woken, a parameter is called anew, a key of flaky.toml mend.
IN_COMMENTS = ("(woken|awoken)", "anew", "mend(s|ed|ing)?", "is no news", "(it is|is|are|as) theirs", r"go(es)? on (\w+ing|where)")
COMMENTS = {"cpp": r"//\s(.*)", "h": r"//\s(.*)", **dict.fromkeys(("py", "sh", "toml", "build"), r"(?:^|\s)#\s(.*)")}
FOLDERS = ("fmd", "ui", "plugins", "simulator", "tests", "schemas", "chassis", "data", "debian", "diagnosis-rules", "man")


def comments(tree):
    """The comments of sources, tests, scripts and rules."""
    for folder in FOLDERS:
        for place, _, names in sorted(os.walk(os.path.join(tree, folder))):
            for path in (os.path.join(place, name) for name in sorted(names) if name != "texts.py"):
                pattern = COMMENTS.get(path.rpartition(".")[2])
                if not pattern:
                    continue
                with open(path, encoding="utf-8", errors="replace") as file:
                    for number, line in enumerate(file, 1):
                        if found := re.search(pattern, line):
                            yield f"{os.path.relpath(path, tree)}:{number}", found[1]


def forbidden(text, allowed=()):
    """The forbidden patterns in a text, with their replacements."""
    for pattern, better in FORBIDDEN:
        if pattern in allowed:
            continue
        start = "" if pattern.startswith("'") else r"\b"
        if found := re.search(start + pattern + r"\b", text, re.IGNORECASE):
            yield f"'{found.group()}': {better}"


# Times that an override may change. An action may ask for a wait of ten seconds.
LITERAL_TIME = re.compile(r"\b(after|for|within|closes) an? (second|minute|hour|day|week|month)\b")
# These act on a pool: as printed they must run, or have a word in capitals in its place. Plain 'zpool status' shows all pools.
BARE_POOL = re.compile(r"'zpool (clear|scrub|status(?= -)|online|offline|attach|detach|replace|remove|add|trim|resilver|export|upgrade)((?: -\w+)*)'")


def poolless(text):
    for found in BARE_POOL.finditer(text):
        yield f"{found.group()}: name the pool ('{found.group()[1:-1]} {{pool}}', or POOL)"


# Longest realistic values of {placeholders}. An action is the first line of a mail (fmd/notify/message.cpp).
LONG = {
    "bay": "SLOT 06 of Backplane front (serial 5000c500fa0e5e50)", "name": "SLOT 06 (serial WD-WX12D80A3F9K)", "serial": "WD-WX12D80A3F9K",
    "model": "WDC WUH721818AL5204", "part": "5000c500fa0e5e50/bay-6", "pool": "backup-of-department-2", "within": "10 minutes",
    "resource": "zfs://pool=12345678901234567890/vdev=12345678901234567890",
}


def filled(text):
    return re.sub(r"{([^}]*)}", lambda found: LONG.get(found[1], "something of two words"), text)


def shape(name, text):
    """Returns what is wrong with the form of a fault's text."""
    if name == "title":
        if len(text) > LONGEST_TITLE:
            yield f"{len(text)} characters; at most {LONGEST_TITLE}"
        if text.endswith("."):
            yield "a title has no full stop"
    elif not text.rstrip().endswith((".", "}", ")")):
        yield "no full stop at its end"
    if found := re.search(r"\b\d+ (seconds?|minutes?|hours?|days?|weeks?)\b", text) or (name != "action" and LITERAL_TIME.search(text)):
        yield f"'{found.group()}': a time that can be configured is {{hold}} or {{within}}; when a case closes is said by fmd/advice"
    if found := re.search(r"\{(value|property\.[a-z_]+)\} (?!of |hours|days|ms|paths|disks|devices|was|is|has|corrected)([a-z]+ )?[a-z]+s\b|\{count\} errors", text):
        yield f"'{found.group()}': the number can be one; write 'errors: {{count}}'"
    if name == "action":
        screen = " ".join(textwrap.wrap(filled(text), 40)[:5])
        if not re.search(r"(^|[.:;,] )(" + "|".join(VERBS) + r")\b|'(fmadm|zpool|systemctl|journalctl|mdadm|smartctl|ps|iostat|fmdump|fmtopo|zfs|dmesg|lvs|btrfs|ipmitool|ras-mc-ctl)[ ']", screen, re.IGNORECASE):
            yield f"its first five lines on a phone say nothing to do: {screen}"


LIMITS = ("above", "below", "clear_above", "clear_below", "above_at_most", "up_to")


def literal_limits(rules, faults):
    """Texts that name a rule's limit as a number: an override changes the limit and not the text."""
    for fault in faults:
        properties = {rule["property"] for rule in rules if rule["kind"] == "threshold" and rule["fault"] == fault["class"]}
        numbers = {f"{abs(rule[key]):g}" for rule in rules if rule.get("property") in properties for key in LIMITS if key in rule}
        for name in ("title", "description", "response", "impact", "action"):
            for number in re.findall(r"\b(\d+)(?= (?:%|°C|degrees)(?!\w))", fault[name]):
                if number in numbers - {"0", "100"}:
                    yield f"{fault['class']}, {name}: '{number}' is a rule's limit: write {{limit}}, {{from}} or {{clear}}"


def main(tree):
    problems = []
    for path in rule_files(tree):
        with open(path, "rb") as file:
            doc = tomllib.load(file)
        problems += [f"{os.path.relpath(path, tree)}: {why}" for why in literal_limits(doc.get("rule", ()), doc.get("fault", ()))]
    for where, name, text in rule_texts(tree):
        problems += [f"{where}: {why}" for why in (*forbidden(text), *poolless(text), *shape(name, text))]
    for where, text in (*pages(tree), *strings(tree)):
        problems += [f"{where}: {why}" for why in (*forbidden(text), *poolless(text))]
    for where, text in comments(tree):
        problems += [f"{where}: {why}" for why in forbidden(text, IN_COMMENTS)]
    print("\n".join(problems) or "plain English, as far as can be told")
    return 1 if problems else 0


if __name__ == "__main__":
    if "--help" in sys.argv:
        sys.exit(print(__doc__.strip()))
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
