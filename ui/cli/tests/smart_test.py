"""fmadm smart: SMART data of disks, queries, and self-tests."""
import os
import subprocess
import unittest

import stage

WHO = "root" if os.geteuid() == 0 else f"uid {os.geteuid()}"
DISK = "dev://wwn=5000c500a000000"
CASE = "d482f935-5c8f-4b9a-9f25-d0aaafec1e6c"  # about SLOT 06, in fixture.json


class Smart(stage.Case):
    def setUp(self):
        super().setUp()
        self.says(3, **{"smart.state": "observed", "smart.status": "passed", "smart.self_test": "passed",
                        "temperature_celsius": 31, "wear_percent": 4, "smart.media_errors": 0, "power_on_hours": 31025})
        self.says(6, **{"smart.state": "observed", "smart.status": "failed", "smart.self_test": "failed",
                        "temperature_celsius": 44})
        self.says(7, **{"smart.state": "standby", "smart.status": "passed", "smart.skips": 3})

    def says(self, number, present=True, **properties):
        self.daemon.order(resource={
            "fmri": f"{DISK}{number}", "type": "disk", "present": present,
            "properties": {"serial": f"Z1Y0DD0{number}", "path": f"/dev/sd{'abcdefg'[number - 1]}", **properties}})

    def test_show(self):
        text = self.ok("fmadm", "smart", "show")
        self.assertEqual(text.splitlines(), [
            "DISK     SERIAL    TEMP  WEAR  HOURS  TEST    DEFECTS  HEALTH",
            "SLOT 03  Z1Y0DD03  31 C  4 %   31025  passed  none     passed",
            "SLOT 06  Z1Y0DD06  44 C  -     -      failed  -        failed",
            "SLOT 07  Z1Y0DD07  -     -     -      -       -        standby (passed before)",
            f"SLOT 06: ZFS-8000-GH (fmadm faulty -u {CASE})"])
        self.assertPlain(text)

    def test_show_defects_and_never_passed_of_a_disk_with_an_open_case(self):
        self.says(3, **{"smart.state": "observed", "smart.status": "passed", "smart.pending": 878,
                        "smart.uncorrectable": 0, "smart.reallocated": 1040})
        self.says(6, **{"smart.state": "observed", "smart.status": "passed", "smart.grown_defects": 3})
        self.says(7, **{"smart.state": "observed", "smart.status": "passed", "smart.uncorrected_read": 5,
                        "smart.uncorrected_write": 535})
        text = self.ok("fmadm", "smart", "show")
        self.assertEqual(text.splitlines()[1:], [
            "SLOT 03  Z1Y0DD03  -     -     -      -     878 pending +    passed",
            "SLOT 06  Z1Y0DD06  -     -     -      -     3 replaced       open case",
            "SLOT 07  Z1Y0DD07  -     -     -      -     540 uncorrected  passed",
            "SLOT 03: 878 pending, 1040 replaced",
            f"SLOT 06: ZFS-8000-GH (fmadm faulty -u {CASE})"])
        self.assertPlain(text)
        self.assertEqual([doc["cases"] for doc in self.json("fmadm", "smart", "show")], [[], [CASE], []])
        self.says(6, **{"smart.state": "standby", "smart.status": "passed"})
        self.assertIn("standby (open case)\n", self.ok("fmadm", "smart", "show"))

    def test_show_tells_why_a_disk_is_not_observed(self):
        self.says(3, **{"smart.state": "not-observed", "smart.reason": "no \x1b[2Jluck\nat all"})
        self.says(6)
        self.says(7, present=False)
        text = self.ok("fmadm", "smart", "show")
        self.assertEqual(text.splitlines()[1:], [
            "SLOT 03  Z1Y0DD03  -     -     -      -     -        not observed",
            "SLOT 06  Z1Y0DD06  -     -     -      -     -        open case",
            "SLOT 03: no \\x1b[2Jluck at all",
            f"SLOT 06: ZFS-8000-GH (fmadm faulty -u {CASE})"])
        self.assertPlain(text)

    def test_show_of_a_part(self):
        for part in ("SLOT 06", "Z1Y0DD06", "/dev/sdf", "sdf", DISK + "6", "zfs://pool=11/vdev=66"):
            lines = self.ok("fmadm", "smart", "show", part).splitlines()
            self.assertEqual([line.split("  ")[0] for line in lines], ["DISK", "SLOT 06", f"SLOT 06: ZFS-8000-GH (fmadm faulty -u {CASE})"], part)
        self.assertEqual(len(self.ok("fmadm", "smart", "show", "SLOT 03", "SLOT 06").splitlines()), 4)
        docs = self.json("fmadm", "smart", "show", "SLOT 06")
        self.assertEqual([doc["fmri"] for doc in docs], [DISK + "6"])
        self.assertEqual(docs[0]["properties"]["smart.status"], "failed")
        for part in ("nowhere", "SLOT 08"):
            self.assertEqual(self.fails(1, "fmadm", "smart", "show", part),
                             f'fmadm: no disk is known as "{part}", or in it; see: fmadm smart show\n')

    def test_refresh_shows_what_was_said(self):
        text = self.ok("fmadm", "smart", "refresh", "SLOT 03")
        self.assertEqual(text.splitlines()[1], "SLOT 03  Z1Y0DD03  31 C  4 %   31025  passed  none     passed")
        self.assertEqual([doc["fmri"] for doc in self.json("fmadm", "smart", "refresh", "sdc", "sdf")], [DISK + "3", DISK + "6"])
        self.assertEqual(self.daemon.changes(), [f"refresh [{part}] by {WHO}" for part in ("SLOT 03", "sdc", "sdf")])
        asked = self.ok("fmadm", "smart", "refresh")
        for bay in ("SLOT 03", "SLOT 06", "SLOT 07"):
            self.assertIn(f"\n{bay}  ", asked, "without a part all disks are queried")

    def test_refresh_of_a_sleeper(self):
        self.daemon.order(disk_note="it is in standby, and was left so")
        done = stage.run("fmadm", "smart", "refresh", "SLOT 07", bus=self.bus)
        self.assertEqual((done.returncode, done.stderr), (0, "SLOT 07: it is in standby, and was left so\n"))
        self.assertIn("standby (passed before)", done.stdout)
        for words in (("Z1Y0DD07",), (DISK + "7",), ("sdg",)):
            done = stage.run("fmadm", "smart", "refresh", *words, bus=self.bus)
            self.assertEqual(done.stderr, "SLOT 07: it is in standby, and was left so\n", f"{words}: by its bay")
        for line in stage.run("fmadm", "smart", "refresh", bus=self.bus).stderr.splitlines():
            self.assertTrue(line.startswith(("SLOT ", "disk ")), line)

    def test_refresh_goes_on_after_a_failure(self):
        done = stage.run("fmadm", "smart", "refresh", "nowhere", "SLOT 03", bus=self.bus)
        self.assertEqual((done.returncode, done.stderr), (1, "fmadm: nowhere: no part has that name\n"))
        self.assertIn("SLOT 03  Z1Y0DD03", done.stdout)

    def test_self_tests_in_either_order(self):
        self.assertEqual(self.ok("fmadm", "smart", "test", "short", "SLOT 03"),
                         'SLOT 03: short self-test begun; its result: fmadm smart show "SLOT 03"\n')
        self.ok("fmadm", "smart", "test", "long", "SLOT 03", "--force")
        self.ok("fmadm", "smart", "test", "short", "SLOT", "03")  # not quoted
        self.assertIn("SLOT 03", self.ok("fmadm", "smart", "show", "SLOT", "03"))
        self.assertEqual(self.ok("fmadm", "smart", "test", "abort", "SLOT 03"), "SLOT 03: self-test ended\n")
        self.assertEqual(self.daemon.changes(), [
            f"self-test [SLOT 03] short by {WHO}", f"self-test [SLOT 03] long forced by {WHO}",
            f"self-test [SLOT 03] short by {WHO}", f"self-test [SLOT 03] abort by {WHO}"])
        self.assertEqual(self.json("fmadm", "smart", "test", "short", "SLOT 03"), {"disk": DISK + "3", "test": "short", "note": ""})

    def test_self_tests_that_do_not_begin(self):
        self.fails(2, "fmadm", "smart", "test", "SLOT 03")
        self.fails(2, "fmadm", "smart", "test", "thorough", "SLOT 03")
        self.assertEqual(self.daemon.changes(), [])
        self.daemon.order(disk_note="!a self-test is under way already")
        self.assertEqual(self.fails(1, "fmadm", "smart", "test", "long", "SLOT 03"),
                         "fmadm: SLOT 03: a self-test is under way already\n")
        self.assertEqual(self.fails(1, "fmadm", "smart", "test", "long", "nowhere"), "fmadm: nowhere: no part has that name\n")

    def test_help_and_completion_know_each_command(self):
        text = self.ok("fmadm", "smart", "--help")
        for word in ("show", "refresh", "test"):
            self.assertIn(f"\n  {word} ", text)
        script = f"""source {stage.ROOT}/data/completions/fmd.bash
            COMP_WORDS=("$@" "") COMP_CWORD=$#; _fmd fmadm; echo "${{COMPREPLY[*]}}" """

        def offered(*words):
            return subprocess.run(["bash", "-c", script, "bash", "fmadm", *words], capture_output=True, text=True, check=True,
                                  env={"PATH": f"{os.path.dirname(stage.program('fmtopo'))}:{os.environ['PATH']}",
                                       "FMD_BUS_ADDRESS": self.bus.address}).stdout.split("\n")[0]
        self.assertIn("smart", offered().split())
        self.assertEqual(offered("smart"), "show refresh test --help")
        self.assertEqual(offered("smart", "test").split()[:3], ["short", "long", "abort"])
        for words in (("smart", "show"), ("smart", "refresh"), ("smart", "test", "short")):
            self.assertEqual(offered(*words), r"SLOT\ 03 SLOT\ 06 SLOT\ 07 SLOT\ 08 Shelf", words)


class NotAllowed(stage.Case):
    daemon_words = ("--polkit-for-all", "--polkit", "refuse")

    def test_asking_is_not_for_everybody_and_looking_is(self):
        for words in (("refresh", "SLOT 03"), ("test", "long", "SLOT 03")):
            self.assertIn("Access denied: polkit does not allow you org.fmd.faultmanager1.test; do this as root",
                          self.fails(1, "fmadm", "smart", *words))
        self.assertEqual(self.daemon.changes(), [])
        self.ok("fmadm", "smart", "show")


if __name__ == "__main__":
    unittest.main()
