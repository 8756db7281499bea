#!/usr/bin/python3
"""Fuzzing runs add up: the counts grow, and each run has new inputs. The README names every target.

counts_test.py FMD-FUZZ"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
FUZZ = ""


class Counts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fmd-fuzz-")
        self.addCleanup(folder.cleanup)
        self.folder, self.counts = folder.name, os.path.join(folder.name, "inputs.txt")

    def fuzz(self, *arguments):
        return subprocess.run([FUZZ, "--dir", self.folder, *arguments], capture_output=True, text=True, check=False)

    def run_counted(self, runs):
        ran = self.fuzz("--runs", str(runs), "--counts", self.counts, "vpd", "smtp")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        with open(self.counts, encoding="ascii") as file:
            return ran.stdout, file.read()

    def test_runs_add_up_and_have_other_seeds(self):
        self.assertEqual(self.run_counted(5)[1], "smtp 5\nvpd 5\n")
        printed, counts = self.run_counted(7)
        self.assertEqual(counts, "smtp 12\nvpd 12\n")
        self.assertEqual(set(re.findall(r"seed (\d+)", printed)), {"6"})

    def test_a_damaged_file_of_counts_is_not_overwritten(self):
        with open(self.counts, "w", encoding="ascii") as file:
            file.write("vpd many\n")
        ran = self.fuzz("--runs", "1", "--counts", self.counts, "vpd")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("cannot be read", ran.stderr)

    def test_the_readme_names_every_target(self):
        with open(os.path.join(HERE, "README.md"), encoding="utf-8") as file:
            named = {name for row in re.findall(r"^\| ([a-z][\w, -]*) \|", file.read(), re.M) for name in row.split(", ")}
        targets = self.fuzz("--list").stdout.split()
        self.assertGreater(len(targets), 40)
        self.assertEqual([name for name in targets if name not in named and not name.startswith("settings-")], [])


if __name__ == "__main__":
    FUZZ = os.path.abspath(sys.argv.pop(1))
    unittest.main()
