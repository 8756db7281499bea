#!/usr/bin/python3
"""docs/quickstart.md on the simulated host: each command of its ```console blocks is run, and prints what the page shows."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TREE = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TREE / "tests/lib"), str(TREE / "simulator")]

from process import TimeUp, wait_for  # noqa: E402  (the path has to be set before)

PAGE = TREE / "docs/quickstart.md"
# Differs from run to run, in this order.
MASKED = (
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "UUID"),
    (r"\b(?=[0-9a-f]*[0-9])[0-9a-f]{8}\b", "CASE"),
    (r"\b[A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d\b", "TIME"),
    (r"\b\d\d:\d\d(:\d\d)?\b", "TIME"),
    (r"\b\d+(\.\d+)? (%|s|MiB/s)(?= |,|$)", r"N \2"),
    (r"^\S+(?=: (\d+ problems?:|no open problem))", "HOST"),
)
# Commands that may be repeated until they print what the page shows.
LOOKS = ("fmadm status", "fmadm faulty", "fmadm resilver", "fmdump")


def masked(text):
    text = " ".join(text.split())
    for pattern, name in MASKED:
        text = re.sub(pattern, name, text)
    return text


def as_shown(shown, printed):
    """Whether that was printed; a line "..." stands for any text."""
    parts = [re.escape(masked(part)) for part in re.split(r"^\.\.\.$", shown, flags=re.M)]
    return re.fullmatch(" ?.*".join(parts), masked(printed)) is not None


def commands(page):
    """(command, what it prints) of all blocks, in order. Without sudo: the simulated server needs no rights."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", page, re.M | re.S):
        for command in re.split(r"^\$ ", block, flags=re.M)[1:]:
            line, _, shown = command.partition("\n")
            found.append((line.removeprefix("sudo "), shown))
    return found


def play(page):
    """Runs in the shell of simulator/play.py."""
    for line, shown in commands(page):
        printed = ""

        def prints_that(line=line, shown=shown):
            nonlocal printed
            done = subprocess.run(["/bin/bash", "-c", line], capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "80"})
            printed = done.stdout + done.stderr
            return as_shown(shown, printed)

        try:
            if line in LOOKS:
                wait_for(prints_that, 90, line)
            elif not prints_that():
                raise TimeUp
        except TimeUp:
            sys.exit(f"$ {line}\nprinted:\n{masked(printed)}\nand the page shows:\n{masked(shown)}")
    print(f"{len(commands(page))} commands")


class Quickstart(unittest.TestCase):
    def test_masks(self):
        self.assertTrue(as_shown("a: 1 problem: 1 Major\n...\nlast 5c1be4a2\n", "vm: 1 problem: 1 Major\nmore\nlast 117d465f\n"))
        self.assertTrue(as_shown("scrub 61 %, 3 s left", "scrub 9.5 %, 12 s\n left"))
        self.assertFalse(as_shown("Safe to pull: yes\n...\n", "Safe to pull: no\nmore\n"))
        self.assertFalse(as_shown("all\n", "all\nand more\n"))

    def test_the_page(self):
        page = PAGE.read_text(encoding="utf-8")
        self.assertGreater(len(commands(page)), 10)
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, str(TREE / "simulator/play.py"), "--build", os.environ["FMD_BUILD"], "-c",
                                   f"exec {sys.executable} {__file__} --play"], capture_output=True, text=True, timeout=550, check=False,
                                  env={**os.environ, "TMPDIR": folder, "HOME": folder})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    if sys.argv[1:] == ["--play"]:
        play(PAGE.read_text(encoding="utf-8"))
    else:
        unittest.main()
