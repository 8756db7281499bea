#!/usr/bin/python3
"""docs/msg has a current page for each message of the rules.

message_pages.py FMADM TREE     After a change of the rules: FMADM explain --rules diagnosis-rules --events schemas/events --pages docs/msg
"""
import filecmp
import os
import subprocess
import sys
import tempfile


def main(fmadm, tree):
    fmadm, committed = os.path.abspath(fmadm), os.path.join(tree, "docs", "msg")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([fmadm, "explain", "--rules", "diagnosis-rules", "--events", "schemas/events", "--pages", folder], cwd=tree, check=True)
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
