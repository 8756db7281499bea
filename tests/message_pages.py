#!/usr/bin/python3
"""docs/msg has a current page for each message of the rules.

message_pages.py FMADM [--write]     With --write the pages are written anew: do so after a change of the rules.
"""
import filecmp
import os
import subprocess
import sys
import tempfile

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TREE, "simulator"))
import shipped  # noqa: E402  (the path has to be set before)


def main(fmadm, *flags):
    committed = os.path.join(TREE, "docs", "msg")
    if flags == ("--write",):
        for name in os.listdir(committed):
            os.unlink(os.path.join(committed, name))
        subprocess.run([fmadm, "explain", *shipped.options(), "--pages", committed], check=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([fmadm, "explain", *shipped.options(), "--pages", folder], check=True)
        written, there = set(os.listdir(folder)), set(os.listdir(committed))
        wrong = [f"docs/msg/{name} is missing" for name in sorted(written - there)]
        wrong += [f"docs/msg/{name} belongs to no message" for name in sorted(there - written)]
        wrong += [f"docs/msg/{name} is not current" for name in sorted(written & there)
                  if not filecmp.cmp(os.path.join(folder, name), os.path.join(committed, name), shallow=False)]
    if wrong:
        wrong.append(__doc__.strip().splitlines()[-1])
    print("\n".join(wrong) or f"{len(written)} pages are current")
    return 1 if wrong or len(written) < 2 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
