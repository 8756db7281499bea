#!/usr/bin/python3
"""English plurals of fmtray: updates fmtray_en.ts from the sources, or (--check) lists missing plurals.

lupdate (of Qt 6.4) does not recognise "namespace fmd::tray", but texts are looked up by the qualified name of their class, so this
script adds the namespace."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LUPDATE = "/usr/lib/qt6/bin/lupdate"
NAMESPACE = "fmd::tray::"


def classes():
    """Classes with their own texts: those that moc processes."""
    found = set()
    for header in glob.glob(os.path.join(HERE, "*.h")):
        with open(header, encoding="utf-8") as file:
            found |= set(re.findall(r"class (\w+) : public [^{]*\{\s*Q_OBJECT", file.read()))
    return found


def updated(path):
    """The updated content of the file."""
    names = classes()
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, os.path.basename(path))
        with open(path, encoding="utf-8") as file, open(copy, "w", encoding="utf-8") as plain:
            plain.write(file.read().replace(f"<name>{NAMESPACE}", "<name>"))
        subprocess.run([LUPDATE, "-silent", "-locations", "none", "-no-obsolete", "-pluralonly", HERE, "-ts", copy], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(copy, encoding="utf-8") as file:
            return re.sub(r"<name>(\w+)</name>",
                          lambda m: f"<name>{NAMESPACE if m[1] in names else ''}{m[1]}</name>", file.read())


def main():
    if not shutil.which(LUPDATE):
        sys.exit(f"{LUPDATE} is not there (Debian: qt6-l10n-tools)")
    lacking = 0
    for path in sorted(glob.glob(os.path.join(HERE, "*.ts"))):
        text = updated(path)
        if "--check" not in sys.argv[1:]:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        for source in re.findall(r"<source>([^<]*)</source>(?:\s*<comment>[^<]*</comment>)?\s*<translation type=\"unfinished\"",
                                 text):
            print(f"{os.path.basename(path)}: no plural: {source}")
            lacking += 1
    return 1 if lacking and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
