"""fmdump, fmstat, fmtopo, and shell completion."""
import json
import os
import pathlib
import re
import resource as rusage
import subprocess
import tempfile
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

    def test_the_newest_of_many(self):
        def seqs(*options):
            return [json.loads(line)["seq"] for line in self.ok("fmdump", "-e", "--json", *options).splitlines()]
        for number in range(4, 2600):
            self.daemon.order(log={"class": f"ereport.fs.zfs.{'data' if number % 1000 == 7 else 'io'}", "resource": "zfs://pool=11",
                                   "time": 1795228930000000000 + number, "source": "zfs", "payload": {}})
        self.assertEqual(seqs("-n", "3"), [2597, 2598, 2599])
        self.assertEqual(seqs("-n", "1100"), list(range(1500, 2600)))
        self.assertEqual(seqs("-n", "2", "-c", "ereport.fs.zfs.data"), [1007, 2007])
        self.assertEqual(seqs("-n", "9", "-c", "ereport.fs.zfs.data"), [7, 1007, 2007])
        self.assertEqual(seqs("-n", "1", "-c", "ereport.fs.zfs.checksum"), [2])
        self.assertEqual(seqs("-n", "9", "-c", "ereport.none"), [])
        self.assertEqual(self.ok("fmdump", "-e", "-n", "9", "-c", "ereport.none"), "TIME                 CLASS\n")

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

STORE      BYTES  PACKED     RATIO   CPU
committed  2 GiB  204.8 MiB  10.0:1  3.21s
sealed     0 B    0 B        -       0.00s
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
        self.fails(2, "fmdump", "-r", "zfs://pool=11")  # an option of the error log only
        self.ok("fmdump", "-e", "-r", "zfs://pool=11/vdev=33")  # known, without events
        self.assertIn("is zfs://pool=11/vdev=66 meant?", self.fails(1, "fmdump", "-e", "-r", "zfs://pool=11/vdev=6"))
        self.assertIn("-r needs an FMRI; SLOT 06 is dev://wwn=5000c500a0000006 or hc://", self.fails(1, "fmdump", "-e", "-r", "SLOT 06"))


class Topology(stage.Case):
    def test_tree(self):
        text = self.ok("fmtopo")
        self.assertPlain(text)
        self.assertIn("Shelf  hc://chassis=5000c500fa0e5e50\n"
                      "  SLOT 03  hc://chassis=5000c500fa0e5e50/bay=3\n"
                      "    /dev/sdc  dev://wwn=5000c500a0000003  ST8000NM0055  Z1Y0DD03\n", text)
        self.assertIn("tank  zfs://pool=11  DEGRADED\n  raidz2-0  zfs://pool=11/vdev=22\n", text)
        self.assertIn("    /dev/sdf  FAULTY  dev://wwn=5000c500a0000006  ST8000NM0055  Z1Y0DD06  case d482f935\n",
                      text.replace("\n        ", "  "))
        self.assertEqual(text.count("FAULTY"), 3, "the disk where it sits and where it is used, and its vdev")
        self.assertEqual(text.count("dev://wwn=5000c500a0000006"), 2)  # in its bay, and below its vdev

    def test_part_scheme_properties_json(self):
        self.assertEqual(self.ok("fmtopo", "SLOT 03"),
                         "SLOT 03  hc://chassis=5000c500fa0e5e50/bay=3\n"
                         "  /dev/sdc  dev://wwn=5000c500a0000003  ST8000NM0055  Z1Y0DD03\n")
        self.assertEqual(self.ok("fmtopo", "SLOT", "03"), self.ok("fmtopo", "SLOT 03"), "without quotes")
        self.assertNotIn("dev://", self.ok("fmtopo", "-s", "zfs"))
        self.assertEqual(self.ok("fmtopo", "-s", "dev").count("dev://wwn=5000c500a0000006"), 1, "once, although a bay and a vdev hold it")
        self.assertIn("      serial             = Z1Y0DD03\n", self.ok("fmtopo", "-V", "SLOT 03"))
        self.assertEqual([r["fmri"] for r in self.json("fmtopo", "Z1Y0DD06")], ["dev://wwn=5000c500a0000006"])
        self.assertEqual({r["fmri"][:6] for r in self.json("fmtopo", "-s", "zfs")}, {"zfs://"})
        self.assertIn("nothing is known as", self.fails(1, "fmtopo", "SLOT 99"))
        self.assertEqual(self.ok("fmtopo", "-s", "mem"), "Nothing of the scheme mem is known.\n")
        self.assertEqual(stage.run("fmtopo", "-s", "foo", bus=self.bus).returncode, 2)


class ARecordingMasked(stage.Case):
    def test_hides_serials_and_leaves_numbers(self):
        fmri = "dev://wwn=5000c500a0000009"
        self.daemon.order(resource={"fmri": fmri, "type": "disk", "present": True, "properties": {
            "serial": "170000", "wwn": "5000c500a0000009", "by_id": "scsi-35000c500a0000009", "path": "/dev/x170000y", "size_bytes": 170000123,
            "hours": 170000, "note": "170000 is its number"}})
        text = self.ok("fmadm", "record", "--mask")
        self.assertNotIn("5000c500a0000009", text)
        [disk] = [r for r in json.loads(text.splitlines()[1])["params"]["resources"] if "hours" in r["properties"]]
        self.assertEqual((disk["properties"]["size_bytes"], disk["properties"]["hours"]), (170000123, 170000))
        self.assertEqual(disk["properties"]["path"], "/dev/x170000y", "within a word it is another one")
        self.assertEqual(disk["properties"]["note"], disk["properties"]["serial"] + " is its number")
        self.assertEqual(disk["fmri"], "dev://wwn=" + disk["properties"]["wwn"])


class WhatAPartHangsOn(stage.Case):
    def test_by_relation(self):
        text = self.ok("fmtopo", "--why", "Z1Y0DD03")
        self.assertPlain(text)
        self.assertTrue(text.startswith("/dev/sdc  dev://wwn=5000c500a0000003"), text)
        self.assertIn("  Sits in:\n    SLOT 03  hc://chassis=5000c500fa0e5e50/bay=3\n      Shelf  hc://chassis=5000c500fa0e5e50\n", text)
        self.assertIn("  Reached through: unknown\n", text)
        self.assertIn("  Its data belongs to:\n", text)
        self.assertIn("tank  zfs://pool=11", text)

    def test_a_bay_means_its_disk(self):
        self.assertEqual(self.ok("fmtopo", "--why", "SLOT 03"), self.ok("fmtopo", "--why", "Z1Y0DD03"))
        self.assertIn("SLOT 08", self.ok("fmtopo", "--why", "SLOT 08"), "an empty one is asked about itself")

    def test_json(self):
        [doc] = self.json("fmtopo", "--why", "Z1Y0DD03")
        self.assertIn({"relation": "contains", "fmri": "hc://chassis=5000c500fa0e5e50", "type": "enclosure", "distance": 2,
                       "present": True}, doc["ancestors"])

    def test_a_disk_that_is_gone_sat_somewhere(self):
        gone = "dev://wwn=5000c500a0000001"
        self.daemon.order(resource={"fmri": gone, "type": "disk", "present": False, "properties": {"serial": "Z1Y0AA01"}})
        text = self.ok("fmtopo", "--why", "Z1Y0AA01")
        self.assertIn("  Sat in, when it was last seen:\n    SLOT 06  hc://chassis=5000c500fa0e5e50/bay=6", text)
        self.assertIn("\n      Shelf  hc://chassis=5000c500fa0e5e50\n", text)
        [doc] = self.json("fmtopo", "--why", gone)
        self.assertEqual(doc["last_bay"], "hc://chassis=5000c500fa0e5e50/bay=6")
        self.daemon.order(resource={"fmri": gone, "type": "disk", "present": True, "properties": {"serial": "Z1Y0AA01"}})
        self.assertIn("  Sits in: unknown\n", self.ok("fmtopo", "--why", gone), "it is there: nobody has said where")

    def test_a_part_is_needed_and_known(self):
        self.assertEqual(stage.run("fmtopo", "--why", bus=self.bus).returncode, 2)
        self.assertIn("nothing is known as", self.fails(1, "fmtopo", "--why", "SLOT 99"))

    def test_graph(self):
        whole = self.ok("fmtopo", "--graph")
        self.assertTrue(whole.startswith("digraph fmd {\n") and whole.endswith("}\n"), whole)
        edge = '"hc://chassis=5000c500fa0e5e50/bay=3" -> "dev://wwn=5000c500a0000003" [color=black, tooltip=contains];'
        self.assertIn(edge, whole)
        one = self.ok("fmtopo", "--graph", "Z1Y0DD03")
        self.assertIn(edge, one)
        self.assertIn('"zfs://pool=11"', one)
        self.assertNotIn("Z1Y0DD06", one)
        self.assertNotIn("dev://wwn=5000c500a0000006", one)


class PoolOrder(stage.Case):
    def test_members_stand_as_zpool_lists_them(self):
        vdevs = [f"zfs://pool=11/vdev={guid}" for guid in ("66", "33", "77")]
        for position, fmri in enumerate(vdevs):
            self.daemon.order(resource=resource(fmri, "zfs-vdev", {"name": f"d{position}", "position": position}))
        group = resource("zfs://pool=11/vdev=22", "zfs-vdev", {"name": "raidz2-0", "position": 0})
        group["edges"] = [{"relation": "redundancy", "to": fmri} for fmri in sorted(vdevs)]
        self.daemon.order(resource=group)
        text = self.ok("fmtopo", "-s", "zfs")
        places = [text.index(fmri) for fmri in vdevs]
        self.assertEqual(places, sorted(places), text)


def resource(fmri, kind, properties=None, contains=(), path=()):
    edges = [{"relation": "contains", "to": to} for to in contains] + [{"relation": "path", "to": to} for to in path]
    return {"fmri": fmri, "type": kind, "properties": properties or {}, "edges": edges}


def big_host(shelves, bays):
    """A system with its parts, and shelves full of disks behind one HBA."""
    system = "hc://system=4c4c4544-0035-4d10-8053-b7c04f573432"
    parts = ["cpu://socket=0", "mem://dimm=DIMM_A1", "dev://pci=0000:3b:00.0", "dev://pci=0000:3a:00.0",
             f"{system}/sensor=nct6775-temp1", "dev://mac=02:fc:00:00:00:01"]
    out = [resource(system, "system", {"name": "store1", "vendor": "Dell Inc.", "model": "PowerEdge R740xd",
                                       "serial": "9XK3J42"}, parts),
           resource(parts[0], "cpu", {"model": "AMD EPYC", "cores": 2, "threads": 2}, ["cpu://socket=0/core=0"]),
           resource("cpu://socket=0/core=0", "core", {}, ["cpu://socket=0/core=0/thread=0"]),
           resource("cpu://socket=0/core=0/thread=0", "thread", {"name": "cpu0"}),
           resource(parts[1], "dimm", {"label": "DIMM_A1", "size_bytes": 1 << 34}),
           resource(parts[3], "pci", {"class": "060400", "class_name": "PCI bridge"}, path=[parts[2]]),
           resource(parts[4], "sensor", {"label": "nct6775 CPUTIN", "value": 41.5, "unit": "celsius", "status": "ok"}),
           resource(parts[5], "nic", {"name": "eth0", "speed_mbps": 10000})]
    host_phy = "dev://sas=500605b00a1b2c30/phy=0"
    expanders = [f"dev://sas=50030480{n:08x}" for n in range(shelves)]
    out += [resource(parts[2], "hba", {"class_name": "SAS controller", "board": "SAS9400-8e", "name": "host1"}, path=[host_phy]),
            resource(host_phy, "phy", {"name": "phy-0:0"}, path=expanders)]
    for n, expander in enumerate(expanders):
        chassis = f"hc://chassis=50030480{n:08x}"
        bays_here = [f"{chassis}/bay={b}" for b in range(bays)]
        disks = [f"dev://wwn=5000c500{n:04x}{b:04x}" for b in range(bays)]
        phys = [f"{expander}/phy={b}" for b in range(bays)]
        out += [resource(chassis, "enclosure", {"id": f"50030480{n:08x}", "label": "JBOD"}, bays_here),
                resource(expander, "expander", {"model": "SAS3x40"}, path=phys)]
        for bay, disk, phy in zip(bays_here, disks, phys):
            number = int(bay.rpartition("=")[2])
            out += [resource(bay, "bay", {"label": f"SLOT {number:02}", "slot": number, "led.fault": "off",
                                          "led.locate": "off", "status": "OK", "occupied": True}, [disk]),
                    resource(disk, "disk", {"serial": disk[-8:].upper(), "model": "ST8000NM0055", "wwn": disk[10:],
                                            "path": f"/dev/sd{disk[-8:]}", "size_bytes": 8001563222016,
                                            "firmware": "SN04", "transport": "sas", "rotational": True,
                                            "by_id": f"/dev/disk/by-id/wwn-0x{disk[10:]}"}),
                    resource(phy, "phy", {"name": f"phy-0:{number}", "link_rate": "12.0 Gbit"}, path=[disk])]
    return {"resources": out}


class BigTopology(stage.Case):
    """20 shelves of 50 disks."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.fixture = pathlib.Path(cls.folder.name, "big.json")
        cls.fixture.write_text(json.dumps(big_host(20, 50)))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_tree(self):
        text = self.ok("fmtopo")
        self.assertPlain(text)
        lines = text.splitlines()
        self.assertEqual(lines[0], "store1  hc://system=4c4c4544-0035-4d10-8053-b7c04f573432")
        self.assertEqual(lines[1], "    Dell Inc.  PowerEdge R740xd  9XK3J42")
        self.assertEqual([re.search(r"\S+://\S+", line).group() for line in lines[2:] if line.startswith("  ") and line[2] != " "][:6],
                         ["cpu://socket=0", "mem://dimm=DIMM_A1", "dev://pci=0000:3b:00.0",
                          "dev://mac=02:fc:00:00:00:01",
                          "hc://system=4c4c4544-0035-4d10-8053-b7c04f573432/sensor=nct6775-temp1",
                          "hc://chassis=5003048000000000/bay=0"])
        self.assertIn("  DIMM_A1  mem://dimm=DIMM_A1  16 GiB\n", text)
        self.assertRegex(" ".join(text.split()), r"nct6775 CPUTIN hc://\S+ 41\.5 celsius")
        self.assertIn("  host1  dev://pci=0000:3b:00.0  SAS controller  SAS9400-8e\n", text)
        self.assertIn("    dev://sas=5003048000000013  SAS3x40\n", text)
        bays = [line.split("bay=")[1].split()[0] for line in lines if "chassis=5003048000000000/bay=" in line]
        self.assertEqual(bays, [str(n) for n in range(50)], "bay 10 comes after bay 9")
        self.assertEqual(sum("dev://wwn=" in line for line in lines), 1000, "each disk once")
        for detail in ("/phy=", "/core=", "PCI bridge"):
            self.assertNotIn(detail, text)
        everything = self.ok("fmtopo", "--all")
        for detail in ("/phy=49", "/core=0/thread=0", "PCI bridge"):
            self.assertIn(detail, everything)

    def test_schemes_and_parts(self):
        self.assertIn("cpu://socket=0", self.ok("fmtopo", "-s", "cpu").splitlines()[0])
        self.assertIn("    cpu0  cpu://socket=0/core=0/thread=0\n", self.ok("fmtopo", "-s", "cpu"))
        self.assertEqual(self.ok("fmtopo", "-s", "mem"), "DIMM_A1  mem://dimm=DIMM_A1  16 GiB\n")
        self.assertEqual(self.ok("fmtopo", "bay-3").count("SLOT 03"), 20)
        self.assertEqual(self.ok("fmtopo", "5003048000000013/bay-3").splitlines()[0],
                         "SLOT 03  hc://chassis=5003048000000013/bay=3")
        self.assertIn("dev://wwn=5000c50000000001", self.ok("fmtopo", "dev://sas=5003048000000000/phy=1"))
        (bay,) = self.json("fmtopo", "5003048000000013/SLOT 03")
        self.assertEqual(bay["fmri"], "hc://chassis=5003048000000013/bay=3")

    def test_is_quick(self):
        before = resource_usage()
        self.ok("fmtopo")
        used = resource_usage() - before
        print(f"fmtopo on 1,000 disks: {used:.3f} s of CPU", flush=True)
        limit = 5.0 if "ASAN_OPTIONS" in os.environ else 2.0  # for the unoptimised build; 0.5 s for the shipped one
        self.assertLess(used, limit)


def resource_usage():
    usage = rusage.getrusage(rusage.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Completion(stage.Case):
    def complete(self, *words):
        """bash's completions after these words, the last one incomplete."""
        script = f"""
          source {stage.ROOT}/data/completions/fmd.bash
          PATH={":".join({stage.program(n).rsplit("/", 1)[0] for n in ("fmadm", "fmtopo")})}:$PATH
          COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _fmd "$1"
          printf '%s\\n' "${{COMPREPLY[@]}}"
        """
        done = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, text=True,
                              env=stage.environment(self.bus), timeout=stage.patience())
        self.assertEqual(done.stderr, "")
        return done.stdout.splitlines()

    def test_bash(self):
        self.assertEqual(sorted(self.complete("fmadm", "repl")), ["replace", "replaced", "replay"])
        self.assertEqual(self.complete("fmadm", "locate", "on", "SLOT\\ 0"),
                         ["SLOT\\ 03", "SLOT\\ 06", "SLOT\\ 07"], "SLOT 08 has no light that can be driven")
        self.assertEqual(self.complete("fmadm", "locate", "on", '"SLOT 06'), ["SLOT 06"])
        self.assertEqual(self.complete("fmadm", "--bus", "x", "faulty", "-u", "d"), [UUID])
        self.assertIn(UUID, self.complete("fmadm", "repaired", ""))
        self.assertEqual(self.complete("fmdump", "-u", "9"), [RESOLVED])
        self.assertEqual(self.complete("fmtopo", "-s", "z"), ["zfs"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
