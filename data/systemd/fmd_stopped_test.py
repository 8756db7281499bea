#!/usr/bin/python3
"""What fmd-stopped writes to the journal and to root. usage: fmd_stopped_test.py FMD-STOPPED"""
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.abspath(sys.argv.pop(1))
ERRORS = "first line\n/var/lib/fmd/fmd.db: a newer fmd wrote this database\x1b[31m\n"


class Stopped(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for tool in ("tr", "uname", "tail", "cat"):
            self.tool(tool, f'exec {self.path_of(tool)} "$@"')
        with open(os.path.join(self.folder, "errors"), "w", encoding="utf-8") as file:
            file.write(ERRORS)
        self.tool("journalctl", f'echo "$@" > {self.folder}/asked; cat {self.folder}/errors')

    @staticmethod
    def path_of(tool):
        return next(path for path in (f"/usr/bin/{tool}", f"/bin/{tool}") if os.path.exists(path))

    def tool(self, name, script):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod(path, 0o755)

    def run_it(self, **environment):
        ran = subprocess.run(["/bin/sh", SCRIPT, "fmd.service"], env={"PATH": self.folder} | environment, capture_output=True, text=True,
                             timeout=300, check=False)
        self.assertEqual(ran.stderr, "")
        return ran.returncode, ran.stdout.splitlines()

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def test_root_gets_the_cause_by_mail(self):
        self.tool("sendmail", f'echo "$@" > {self.folder}/to; cat > {self.folder}/mail')
        code, lines = self.run_it(MONITOR_INVOCATION_ID="abc", MONITOR_EXIT_STATUS="78")
        self.assertEqual(code, 0)
        self.assertTrue(lines[0].startswith("<2>fmd.service has stopped (exit status 78) and is not restarted"), lines)
        self.assertIn("a newer fmd wrote this database", lines[0])
        self.assertIn("_SYSTEMD_INVOCATION_ID=abc", self.read("asked"))
        self.assertEqual(self.read("to"), "-i -- root\n")
        head, _, body = self.read("mail").partition("\n\n")
        self.assertIn("Subject: [", head)
        self.assertIn("fmd.service has stopped", head)
        for sentence in ("first line\n", "a newer fmd wrote this database", "systemctl start fmd.service"):
            self.assertIn(sentence, body)
        self.assertNotIn("\x1b", body)

    def test_without_sendmail_the_journal_says_so(self):
        code, lines = self.run_it()
        self.assertEqual(code, 0)
        self.assertIn("--unit=fmd.service", self.read("asked"))
        self.assertEqual(lines[-1], "<4>no mail was sent: this machine has no sendmail(8)")

    def test_a_sendmail_that_fails(self):
        self.tool("sendmail", "cat > /dev/null; exit 75")
        code, lines = self.run_it()
        self.assertEqual((code, lines[-1]), (1, "<3>no mail was sent: sendmail(8) failed"))


if __name__ == "__main__":
    unittest.main()
