#!/usr/bin/python3
"""Checks that docs/msg has a current page for each message of the rules.

message_pages.py FMADM [--write]     --write regenerates the pages; use it after changing rules.
"""
import filecmp
import os
import shutil
import subprocess
import sys
import tempfile

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TREE, "simulator"))
import shipped  # noqa: E402  (the path has to be set before)


def main(fmadm, *flags):
    committed = os.path.join(TREE, "docs", "msg")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([fmadm, "explain", *shipped.options(), "--pages", folder], check=True)
        if flags == ("--write",):
            shutil.rmtree(committed)
            shutil.copytree(folder, committed)
        written, there = set(os.listdir(folder)), set(os.listdir(committed))
        wrong = [f"docs/msg/{name} is missing" for name in sorted(written - there)]
        wrong += [f"docs/msg/{name} belongs to no message" for name in sorted(there - written)]
        wrong += [f"docs/msg/{name} is not current" for name in sorted(written & there)
                  if not filecmp.cmp(os.path.join(folder, name), os.path.join(committed, name), shallow=False)]
    if wrong:
        wrong.append(f"After a change of the rules: python3 tests/message_pages.py {os.path.abspath(fmadm)} --write")
    print("\n".join(wrong) or f"{len(written)} pages are current")
    return 1 if wrong or len(written) < 2 else 0


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(print(__doc__.strip()) if "--help" in sys.argv else __doc__.strip())
    sys.exit(main(*sys.argv[1:]))
