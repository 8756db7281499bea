"""fmdump, fmstat, fmtopo, and the completions."""
import json
import subprocess
import unittest

import stage

UUID = "d482f935-5c8f-4b9a-9f25-d0aaafec1e6c"
RESOLVED = "99999999-2222-4333-8444-555555555555"


class FaultLog(stage.Case):
    def test_lines(self):
        self.assertEqual(self.ok("fmdump"), f"""\
TIME                 UUID                                 MSG-ID      EVENT
Nov 21 00:30:15      {RESOLVED} ZFS-8000-FD Diagnosed
Nov 21 01:20:00      {RESOLVED} ZFS-8000-FD Repaired
Nov 21 01:36:40      {RESOLVED} ZFS-8000-FD Resolved
Nov 21 02:42:09      {UUID} ZFS-8000-GH Diagnosed
""")

    def test_suspects(self):
        text = self.ok("fmdump", "-v", "-u", UUID)
        self.assertIn("""Diagnosed
  100%  fault.fs.zfs.vdev.checksum

        Problem in: zfs://pool=11/vdev=66
           Affects: zfs://pool=11/vdev=66
               FRU: hc://chassis=5000c500fa0e5e50/bay=6/disk=Z1Y0DD06
          Location: SLOT 06
""", text)
        self.assertNotIn(RESOLVED, text)
        self.assertIn("Description : The disk in SLOT 06", self.ok("fmdump", "-V"))

    def test_selection(self):
        self.assertEqual(self.ok("fmdump", "-c", "fault.fs.zfs.vdev.io").count("ZFS-8000-FD"), 3)
        self.assertEqual(self.ok("fmdump", "-c", "fault.fs.*").count("ZFS-8000"), 4)
        self.assertEqual(self.ok("fmdump", "-t", "2026-11-21T01:00:00Z", "-T", "2026-11-21 02:00").count("ZFS-8000"), 2)
        self.assertEqual(self.ok("fmdump", "-n", "1").splitlines()[1].split()[3], UUID)
        self.assertIn("is not a time", self.fails(2, "fmdump", "-t", "teatime"))

    def test_json_lines(self):
        lines = [json.loads(line) for line in self.ok("fmdump", "--json").splitlines()]
        self.assertEqual([line["event"] for line in lines], ["diagnosed", "repaired", "resolved", "diagnosed"])
        self.assertEqual(lines[3]["suspects"][0]["serial"], "Z1Y0DD06")

    def test_follow(self):
        follower = subprocess.Popen([stage.program("fmdump"), "-f", "-n", "1"], stdout=subprocess.PIPE, text=True,
                                    env=stage.environment(self.bus))
        self.addCleanup(follower.stdout.close)
        self.addCleanup(follower.wait)
        self.addCleanup(follower.kill)
        self.assertIn("TIME", follower.stdout.readline())
        self.assertIn(UUID, follower.stdout.readline())
        case = json.loads(stage.FIXTURE.read_text())["cases"][0]
        case["timeline"].append({"time": 1795229000000000000, "kind": "repaired", "text": "Replaced."})
        self.daemon.order(case=case, event="repaired")
        self.assertEqual(follower.stdout.readline(), f"Nov 21 02:43:20      {UUID} ZFS-8000-GH Repaired\n")


class ErrorLog(stage.Case):
    def test_lines_over_several_pages(self):
        self.assertEqual(self.ok("fmdump", "-e"), """\
TIME                 CLASS
Nov 21 02:42:00      ereport.fs.zfs.checksum
Nov 21 02:42:01      ereport.fs.zfs.checksum
Nov 21 02:42:02      sysevent.fs.zfs.config_sync
""")

    def test_members(self):
        text = self.ok("fmdump", "-e", "-V")
        self.assertIn("    resource  zfs://pool=11/vdev=66\n    source    zfs\n    ena       0x0000000000001234\n"
                      "    seq       1\n    received  2026-11-21T02:42:00.100Z\n", text)
        self.assertIn("    cksum                    = 890\n    pool                     = tank\n", text)
        self.assertIn("a\\x1b[31mb", text)

    def test_selection(self):
        self.assertEqual(self.ok("fmdump", "-e", "-c", "sysevent.*").count("fs.zfs"), 1)
        self.assertEqual(self.ok("fmdump", "-e", "-t", "2026-11-21T02:42:01Z").count("fs.zfs"), 2)
        self.assertEqual(self.ok("fmdump", "-e", "-n", "1").splitlines()[1].split()[3], "sysevent.fs.zfs.config_sync")

    def test_json_lines(self):
        lines = [json.loads(line) for line in self.ok("fmdump", "-e", "--json").splitlines()]
        self.assertEqual([line["seq"] for line in lines], [1, 2, 3])
        self.assertEqual(lines[0]["payload"]["cksum"], 890)

    def test_follow(self):
        follower = subprocess.Popen([stage.program("fmdump"), "-e", "-f"], stdout=subprocess.PIPE, text=True,
                                    env=stage.environment(self.bus))
        self.addCleanup(follower.stdout.close)
        self.addCleanup(follower.wait)
        self.addCleanup(follower.kill)
        for _ in range(4):
            follower.stdout.readline()
        self.daemon.order(log={"class": "ereport.fs.zfs.io", "resource": "zfs://pool=11", "time": 1795228930000000000,
                               "source": "zfs", "payload": {}})
        self.assertEqual(follower.stdout.readline(), "Nov 21 02:42:10      ereport.fs.zfs.io\n")


class Statistics(stage.Case):
    def test_plugins(self):
        self.assertEqual(self.ok("fmstat"), """\
PLUGIN     STATE         EVENTS  REJECT  UNACK  CMDS  FAILED  LAST SEEN
zfs        ok            12      1       0      3     1       Nov 21 02:48:49
enclosure  not-observed  -       -       -      -     -       -
""")

    def test_serd(self):
        self.assertEqual(self.ok("fmstat", "-s"), """\
RULE          COUNT  N/T       NEWEST           STATE     RESOURCE
zfs-checksum  9      10/10min  Nov 21 02:48:49  counting  zfs://pool=11/vdev=33
""")

    def test_interval_and_json(self):
        self.assertEqual(self.ok("fmstat", "1", "1"), self.ok("fmstat"))
        self.assertEqual(len(self.ok("fmstat", "--json", "1", "1").splitlines()), 1)
        self.assertEqual(self.json("fmstat", "-s")[0]["n"], 10)
        self.fails(2, "fmstat", "0")


class Topology(stage.Case):
    def test_tree(self):
        text = self.ok("fmtopo")
        self.assertPlain(text)
        self.assertIn("hc://chassis=5000c500fa0e5e50  Shelf\n"
                      "  hc://chassis=5000c500fa0e5e50/bay=3  SLOT 03\n"
                      "    dev://wwn=5000c500a0000003  ST8000NM0055  Z1Y0DD03  /dev/sdc\n", text)
        self.assertIn("zfs://pool=11  tank  DEGRADED\n  zfs://pool=11/vdev=22  raidz2-0\n", text)
        self.assertEqual(text.count("dev://wwn=5000c500a0000006  "), 2)  # in its bay, and below its vdev

    def test_part_scheme_properties_json(self):
        self.assertEqual(self.ok("fmtopo", "SLOT 03"),
                         "hc://chassis=5000c500fa0e5e50/bay=3  SLOT 03\n"
                         "  dev://wwn=5000c500a0000003  ST8000NM0055  Z1Y0DD03  /dev/sdc\n")
        self.assertNotIn("dev://", self.ok("fmtopo", "-s", "zfs"))
        self.assertIn("      serial             = Z1Y0DD03\n", self.ok("fmtopo", "-V", "SLOT 03"))
        self.assertEqual([r["fmri"] for r in self.json("fmtopo", "Z1Y0DD06")], ["dev://wwn=5000c500a0000006"])
        self.assertEqual({r["fmri"][:6] for r in self.json("fmtopo", "-s", "zfs")}, {"zfs://"})
        self.assertIn("nothing is known as", self.fails(1, "fmtopo", "SLOT 99"))


class Completion(stage.Case):
    def complete(self, *words):
        """What bash would offer after these words, the last one unfinished."""
        script = f"""
          source {stage.ROOT}/data/completions/fmd.bash
          PATH={":".join({stage.program(n).rsplit("/", 1)[0] for n in ("fmadm", "fmtopo")})}:$PATH
          COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _fmd "$1"
          printf '%s\\n' "${{COMPREPLY[@]}}"
        """
        done = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, text=True,
                              env=stage.environment(self.bus), timeout=60)
        self.assertEqual(done.stderr, "")
        return done.stdout.splitlines()

    def test_bash(self):
        self.assertEqual(self.complete("fmadm", "repl"), ["replaced", "replay"])
        self.assertEqual(self.complete("fmadm", "locate", "on", "SLOT\\ 0"),
                         ["SLOT\\ 03", "SLOT\\ 06", "SLOT\\ 07", "SLOT\\ 08"])
        self.assertEqual(self.complete("fmadm", "locate", "on", '"SLOT 06'), ["SLOT 06"])
        self.assertEqual(self.complete("fmadm", "--bus", "x", "faulty", "-u", "d"), [UUID])
        self.assertIn(UUID, self.complete("fmadm", "repaired", ""))
        self.assertEqual(self.complete("fmdump", "-u", "9"), [RESOLVED])
        self.assertEqual(self.complete("fmtopo", "-s", "z"), ["zfs"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
