#!/usr/bin/python3
"""Tests of run.py with a stand-in for meson that leaves the results each test asks for."""
import contextlib
import io
import json
import os
import re
import subprocess
import tempfile
import unittest
from unittest import mock

import run

GTEST = "[==========] 3 tests from 1 test suite ran. (12 ms total)\n[  PASSED  ] 3 tests.\n"
GTEST_RED = ("[  FAILED  ] Store.A (3 ms)\n[  FAILED  ] Store.B/0, where GetParam() = 1 (0 ms)\n"
             "[==========] 3 tests from 1 test suite ran. (12 ms total)\n[  FAILED  ] 2 tests, listed below:\n[  FAILED  ] Store.A\n")
UNITTEST_RED = "FAIL: test_full (__main__.Disk)\nAssertionError\n\nRan 4 tests in 0.2s\n\nFAILED (failures=1)\n"

MESON = """#!/usr/bin/python3
import os, shutil, sys
def option(name):
    return sys.argv[sys.argv.index(name) + 1]
build, base = option("-C"), option("--logbase")
with open(os.path.join(build, "calls"), "a") as calls:
    print(*sys.argv[1:], file=calls)
if os.path.exists(os.path.join(build, base)):
    os.makedirs(os.path.join(build, "meson-logs"), exist_ok=True)
    shutil.copy(os.path.join(build, base), os.path.join(build, "meson-logs", base + ("-" + option("--setup") if "--setup" in sys.argv else "") + ".json"))
with open(os.path.join(build, base + ".status")) as status:
    sys.exit(int(status.read()))
"""


def result(name, what="OK", stdout="", stderr=""):
    line = {"name": f"fmd:unit+long / {name}", "result": what, "stdout": stdout}
    return json.dumps(line | ({"stderr": stderr} if stderr else {}))


class Run(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        meson = os.path.join(self.folder, "meson")
        self.write(meson, MESON)
        os.chmod(meson, 0o755)
        self.enterContext(mock.patch.dict(os.environ, PATH=f"{self.folder}:/usr/bin:/bin"))
        self.listed = {}
        self.enterContext(mock.patch.object(run, "flaky", lambda kind: self.listed if kind == "test" else {}))

    @staticmethod
    def write(path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def build(self, first, second=None, status=None, name="build"):
        """Creates a build folder whose tests end with these lists of result()."""
        folder = os.path.join(self.folder, name)
        os.mkdir(folder)
        for base, results in (("testlog", first), ("second-try", second)):
            if results is not None:
                self.write(os.path.join(folder, base), "".join(line + "\n" for line in results))
            bad = sum(json.loads(line)["result"] != "OK" for line in results or [])
            self.write(os.path.join(folder, base + ".status"), str(bad if status is None else status))
        return folder

    def run_main(self, *arguments):
        """Returns (exit status, the lines at the end)."""
        with contextlib.redirect_stdout(io.StringIO()) as output:
            status = run.main(list(arguments))
        return status, [line for line in output.getvalue().splitlines() if run.CLOSING.match(line) or run.NAMED.match(line)]

    def calls(self, folder):
        with open(os.path.join(folder, "calls"), encoding="utf-8") as calls:
            return calls.read().splitlines()

    def test_a_suite_and_a_test_by_name(self):
        folder = self.build([result("good")])
        for given, asked in ((["style"], "--suite style"), (["unit", "integration"], "--suite unit --suite integration"),
                             (["--suite", "style"], "--suite style"), (["base"], "--setup everything base")):
            self.run_main(folder, *given)
            self.assertIn(asked, self.calls(folder)[-1])
            self.assertEqual("everything" in self.calls(folder)[-1], given == ["base"])

    def test_a_suite_beside_a_test_means_both(self):
        folder = self.build([result("good")])
        os.mkdir(os.path.join(folder, "meson-info"))
        known = [{"name": "format", "suite": ["fmd:style"]}, {"name": "store", "suite": ["fmd:unit"]}, {"name": "python", "suite": ["fmd:style"]}]
        self.write(os.path.join(folder, "meson-info/intro-tests.json"), json.dumps(known))
        self.run_main(folder, "style", "store")
        self.assertTrue(self.calls(folder)[-1].endswith("--setup everything format python store"), self.calls(folder)[-1])

    def test_every_suite_is_known(self):
        named = subprocess.run(["grep", "-rhoE", r"suite: (\[[^]]*\]|'[a-z]+')", "--include=meson.build", "."], cwd=os.path.dirname(run.TESTS),
                               check=True, capture_output=True, text=True).stdout
        self.assertEqual(set(re.findall(r"'(\w+)'", named)), set(run.SUITES))

    def test_each_test_of_a_run_with_low_priority_has_it_too(self):
        folder = self.build([result("good")])
        for nice, wrapped in ((0, False), (19, True)):
            with mock.patch.object(os, "nice", lambda _, nice=nice: nice), mock.patch.object(os, "access", lambda *_: True):
                self.run_main(folder)
            self.assertEqual("--wrapper sh -c" in self.calls(folder)[-1], wrapped, f"nice {nice}")

    def test_success(self):
        folder = self.build([result("store", stdout=GTEST), result("python", stderr="\nRan 4 tests in 1.0s\n\nOK\n"), result("man")])
        self.assertEqual(self.run_main(folder, "--suite", "unit"), (0, ["8 passed, 0 failed"]))
        self.assertEqual(len(self.calls(folder)), 1)
        self.assertIn("--no-rebuild", self.calls(folder)[0])
        self.assertTrue(self.calls(folder)[0].endswith("--suite unit"))

    def test_failed_cases_are_named(self):
        folder = self.build([result("store", "FAIL", GTEST_RED), result("disk", "FAIL", UNITTEST_RED)])
        self.assertEqual(self.run_main(folder), (1, ["failed: store Store.A Store.B/0", "failed: disk test_full", "4 passed, 3 failed"]))

    def test_a_test_that_is_not_listed_has_no_second_try(self):
        self.listed["disk"] = "a cause"
        folder = self.build([result("store", "FAIL"), result("disk")], second=[result("store")])
        self.assertEqual(self.run_main(folder), (1, ["failed: store FAIL", "1 passed, 1 failed"]))
        self.assertEqual(len(self.calls(folder)), 1)

    def test_a_second_try_is_named(self):
        self.listed["disk"] = "a cause"
        folder = self.build([result("store", stdout=GTEST), result("disk", "TIMEOUT")], second=[result("disk")])
        self.assertEqual(self.run_main(folder), (0, ["passed at the second try: disk TIMEOUT (a cause)", "4 passed, 0 failed"]))
        self.assertTrue(self.calls(folder)[1].endswith("--setup everything --num-processes 1 disk"))

    def test_a_second_try_that_fails(self):
        self.listed["disk"] = "a cause"
        folder = self.build([result("disk", "FAIL")], second=[result("disk", "TIMEOUT")])
        self.assertEqual(self.run_main(folder), (1, ["failed: disk TIMEOUT", "0 passed, 1 failed"]))

    def test_a_second_try_without_result(self):
        self.listed["disk"] = "a cause"
        folder = self.build([result("disk", "FAIL"), result("man")])
        self.assertEqual(self.run_main(folder), (1, ["failed: disk FAIL", "1 passed, 1 failed"]))

    def test_programs_that_did_not_end(self):
        for index, end in enumerate(("TIMEOUT", "ERROR", "INTERRUPT", "SKIP", "UNEXPECTEDPASS")):
            folder = self.build([result("store", end), result("man")], name=f"build{index}")
            self.assertEqual(self.run_main(folder), (1, [f"failed: store {end}", "1 passed, 1 failed"]))

    def test_results_of_an_earlier_run_do_not_count(self):
        folder = self.build(None, status=1)
        os.mkdir(os.path.join(folder, "meson-logs"))
        self.write(os.path.join(folder, "meson-logs", "testlog.json"), result("man") + "\n")
        self.assertEqual(self.run_main(folder)[1][-1], "0 passed, 1 failed")

    def test_meson_that_fails_without_a_failed_test(self):
        folder = self.build([result("man")], status=2)
        self.assertEqual(self.run_main(folder)[1][-1], "1 passed, 1 failed")

    def test_several_builds(self):
        plain = self.build([result("man"), result("words", "FAIL")])
        asan = self.build([result("store", stdout=GTEST)], name="asan")
        self.assertEqual(self.run_main(plain, "--suite", "style", "+", asan, "--suite", "unit"),
                         (1, ["failed: words FAIL", "4 passed, 1 failed"]))
        self.assertTrue(self.calls(plain)[0].endswith("--suite style"))

    def log(self, name, text):
        self.write(os.path.join(self.folder, name), text)
        return os.path.join(self.folder, name)

    def test_sum_of_logs(self):
        first = self.log("first", "failed: an earlier line\nmore\npassed at the second try: disk (a cause)\n4 passed, 0 failed\n")
        second = self.log("second", "failed: story no message\n7 passed, 1 failed\n")
        self.assertEqual(self.run_main("--sum", f"0:{first}", f"1:{second}"),
                         (1, ["passed at the second try: disk (a cause)", "failed: story no message", "11 passed, 1 failed"]))

    def test_sum_of_logs_without_a_result(self):
        silent, cut = self.log("silent", "building\n"), self.log("cut", "3 passed, 0 failed\n")
        self.assertEqual(self.run_main("--sum", f"0:{silent}")[1][-1], "0 passed, 1 failed")
        self.assertEqual(self.run_main("--sum", f"1:{cut}")[1][-1], "3 passed, 1 failed")
        self.assertEqual(self.run_main("--sum", f"0:{cut}"), (0, ["3 passed, 0 failed"]))


class List(unittest.TestCase):
    def entries(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write(text)
            file.flush()
            return run.flaky("test", file.name)

    def test_the_shipped_list_can_be_read(self):
        for kind in ("test", "scenario"):
            self.assertIsInstance(run.flaky(kind), dict)

    def test_an_entry_has_a_cause_and_a_way_out(self):
        self.assertEqual(self.entries('[[test]]\nname = "disk"\ncause = "why"\nmend = "how"\n'), {"disk": "why"})
        for text in ('[[test]]\nname = "disk"\ncause = "why"\n', '[[test]]\nname = "disk"\ncause = ""\nmend = "how"\n'):
            with self.assertRaises(SystemExit):
                self.entries(text)


if __name__ == "__main__":
    unittest.main()
