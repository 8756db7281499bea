#!/usr/bin/python3
"""`fmadm config check`: the real fmd and every plugin check their files, without connecting to anything."""
import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TREE, "simulator"))
import shipped  # noqa: E402  (its folder has to be known before)

BUILD = os.environ["FMD_BUILD"]
with open(os.path.join(TREE, "plugins", "list"), encoding="ascii") as names:
    PLUGINS = names.read().split()


class ConfigCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.programs, self.files = os.path.join(folder.name, "programs"), os.path.join(folder.name, "files")
        os.mkdir(self.programs)
        os.mkdir(self.files)
        os.symlink(os.path.join(BUILD, "fmd", "fmd"), os.path.join(self.programs, "fmd"))
        for name in PLUGINS:
            os.symlink(os.path.join(BUILD, "plugins", name, "fmd-" + name), os.path.join(self.programs, "fmd-" + name))
        self.write("fmd.toml", f"[daemon]\nrules = {json.dumps(shipped.rule_folders())}\nevents = {json.dumps(shipped.event_folders())}\n")
        # The plugins' own files, as shipped.
        for path in glob.glob(os.path.join(TREE, "plugins", "*", "*.toml")):
            name = os.path.basename(path).removesuffix(".toml")
            if name in PLUGINS and os.path.basename(os.path.dirname(path)) == name:
                with open(path, encoding="utf-8") as file:
                    self.write(name + ".toml", file.read())

    def write(self, name, text):
        with open(os.path.join(self.files, name), "w", encoding="utf-8") as file:
            file.write(text)

    def check(self, *more):
        return subprocess.run([os.path.join(BUILD, "ui", "cli", "fmadm"), *more, "config", "check", "--config", self.files, "--programs",
                               self.programs], capture_output=True, text=True, timeout=240, check=False, stdin=subprocess.DEVNULL)

    def test_what_is_shipped_is_right(self):
        done = self.check()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 1 + len(PLUGINS), done.stdout)
        for line in done.stdout.splitlines():
            self.assertRegex(line, r"^[a-z]+\.toml +no error$")

    def test_a_slip_in_any_file_is_told_with_its_line(self):
        for name in PLUGINS:
            self.write(name + ".toml", "# a comment\nno_such_key = 1\n")
        self.write("fmd.toml", "[daemon]\nno_such_key = 1\n")
        done = self.check("--json")
        self.assertEqual(done.returncode, 1)
        told = {one["file"]: one for one in json.loads(done.stdout)}
        self.assertEqual(sorted(told), sorted(["fmd.toml", *(name + ".toml" for name in PLUGINS)]))
        for name, one in told.items():
            with self.subTest(name):
                self.assertFalse(one["ok"])
                self.assertTrue(any(f"{name}:2: " in line and "no_such_key" in line for line in one["errors"]), one["errors"])
        self.assertIn(f"{len(told)} of {len(told)} not right", done.stderr)

    def test_a_warning_is_no_error(self):
        with open(os.path.join(self.files, "fmd.toml"), "a", encoding="utf-8") as file:
            file.write('[[notify]]\nevents = ["diagnosed", "resolved"]\nchannels = ["mail"]\n')
        done = self.check()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"^fmd\.toml +no error\n    warning: mail omits 'updated': it brings the message that a disk can be")
        told = {one["file"]: one for one in json.loads(self.check("--json").stdout)}
        self.assertEqual((told["fmd.toml"]["errors"], len(told["fmd.toml"]["warnings"])), ([], 1))

    def test_a_plugin_that_is_not_installed_is_not_checked(self):
        for name in PLUGINS[1:]:
            os.unlink(os.path.join(self.programs, "fmd-" + name))
        done = self.check()
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()], ["fmd.toml", PLUGINS[0] + ".toml"])


if __name__ == "__main__":
    unittest.main()
