#!/usr/bin/python3
"""Checks that every outlet uses the advice about a case (fmd/advice), and none the texts of the rule: these date from the diagnosis, and
the part they describe may have been replaced since.

outlets.py [TREE]"""
import glob
import os
import re
import sys

# A read of a case's own text, whatever the variable: `c.action`, `e.c->response`.
OF_CASE = re.compile(r"""\b(?:c|one|notice|e\.c|fault_case|case_)(?:\.c)?(?:\.|->)(?:action|response)\b(?!\()|of_case\(\s*"(?:action|response)"""
                     r"""|"(?:description|impact)",.*"(?:action|response)"|fault_case\[\s*"(?:action|response)"\s*\]""")
OUTLETS = ("fmd/notify", "fmd/daemon", "fmd/control", "fmd/bus", "fmd/scene", "plugins", "ui")
# FMA's form has FMA's fields; fmtray shows hosts whose fmd gives no advice yet.
RAW_ON_PURPOSE = {"plugins/mail/templates.cpp": "names of placeholders", "ui/cli/case_text.cpp": "Response in FMA's form", "ui/cli/case_log.cpp": "Response in FMA's form", "ui/cli/advised_action.cpp": "an older fmd", "ui/tray/problems.cpp": "an older fmd", "ui/tray/story.cpp": "an older fmd"}


def problems(tree):
    """Each line of an outlet that reads a rule's own text."""
    for outlet in OUTLETS:
        for path in sorted(glob.glob(os.path.join(tree, outlet, "**", "*.cpp"), recursive=True)):
            name = os.path.relpath(path, tree)
            if "/tests/" in name or name in RAW_ON_PURPOSE:
                continue
            with open(path, encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    if OF_CASE.search(line):
                        yield f"{name}:{number}: {line.strip()}: this is the rule's text; people read what fmd says now (say_of, Notice::of_say, ui::Advice)"


def main():
    """Exit status 1 if there is a problem."""
    found = list(problems(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    print("\n".join(found) or "every outlet says what fmd says")
    return 1 if found else 0


if __name__ == "__main__":
    if "--help" in sys.argv:
        sys.exit(print(__doc__.strip()))
    sys.exit(main())
