"""Commands that change something: verdicts, acknowledgement, LEDs, settings; permissions; errors if fmd does not answer."""
import json
import os
import pathlib
import subprocess
import unittest

import stage

UUID = "d482f935-5c8f-4b9a-9f25-d0aaafec1e6c"
WHO = "root" if os.geteuid() == 0 else f"uid {os.geteuid()}"
BAY = "hc://chassis=5000c500fa0e5e50/bay=6"


class Changes(stage.Case):
    def test_verdicts_name_a_part_or_a_case(self):
        text = self.ok("fmadm", "repaired", "SLOT 06")
        self.assertIn(f"SLOT 06: repaired in case {UUID}\n", text)
        self.ok("fmadm", "replaced", UUID)
        self.ok("fmadm", "replaced", "--force", "SLOT 06")
        self.fails(2, "fmadm", "repaired", "--force", "SLOT 06")
        self.ok("fmadm", "acquit", "a", "b")
        self.assertEqual(self.daemon.changes(), [
            f"judge repaired [] [SLOT 06] by {WHO}", f"judge replaced [{UUID}] [] by {WHO}",
            f"judge replaced [] [SLOT 06] forced by {WHO}",
            f"judge acquitted [] [a] by {WHO}", f"judge acquitted [] [b] by {WHO}"])
        self.assertEqual(self.json("fmadm", "repaired", UUID), [{"what": UUID, "verdict": "repaired", "uuid": UUID}])

    def fixture_of(self, kind, **names):
        return next(one for one in json.loads(stage.FIXTURE.read_text())[kind] if names.items() <= one.items())

    def test_arguments_that_name_the_same_part(self):
        case = self.fixture_of("cases", uuid=UUID)
        error = f"no part in case {UUID} is faulty any more"
        self.daemon.order(case={**case, "suspects": [{**s, "status": "acquitted"} for s in case["suspects"]]})
        vdev = "zfs://pool=11/vdev=66"
        names = {vdev: "SLOT 06 (serial Z1Y0DD06)", UUID: "SLOT 06", "SLOT 06": "SLOT 06"}
        for words in ([vdev, UUID], [UUID, vdev], [UUID, "SLOT 06"], [UUID, UUID]):
            with self.subTest(words):
                self.daemon.order(judge_error=error)
                self.assertEqual(self.ok("fmadm", "acquit", *words), "".join(f"{names[one]}: acquitted in case {UUID}\n" for one in words))
        for words in (["acquit", UUID, "SLOT 03"], ["repaired", UUID, "SLOT 06"]):
            with self.subTest(words):
                self.daemon.order(judge_error=error)
                self.assertEqual(self.fails(1, "fmadm", *words), f"fmadm: {error}\n")

    def test_a_disk_that_zfs_has_faulted_stays_so_after_a_verdict(self):
        self.assertNotIn("zpool clear", self.ok("fmadm", "acquit", "SLOT 06"))
        vdev = self.fixture_of("resources", fmri="zfs://pool=11/vdev=66")
        properties = {**vdev["properties"], "state": "FAULTED", "state_by": "zfs", "pool": "tank", "name": "sdf"}
        self.daemon.order(resource={**vdev, "properties": properties})
        for verdict in ("acquit", "repaired"):
            self.assertEqual(self.ok("fmadm", verdict, "SLOT 06").splitlines()[-1],
                             "SLOT 06: ZFS has faulted it itself: 'zpool clear tank sdf' puts it back")
        self.assertNotIn("zpool clear", self.ok("fmadm", "replaced", "SLOT 06"))

    def test_what_a_person_retired_stays_so_after_a_verdict(self):
        self.daemon.order(actions=[{"kind": "retire", "part": "zfs://pool=11/vdev=66", "state": "in-force", "owner": {"person": "root"},
                                    "undo": 'fmadm restore "SLOT 06"'}])
        self.assertEqual(self.ok("fmadm", "acquit", "SLOT 06").splitlines()[-1],
                         "SLOT 06: a person took it out of service: 'fmadm restore \"SLOT 06\"' puts it back")

    def test_an_unknown_part_is_an_error(self):
        self.assertEqual(self.fails(1, "fmadm", "repaired", "nowhere"),
                         "fmadm: no part is called nowhere\n")
        self.fails(2, "fmadm", "repaired")

    def test_acknowledge(self):
        self.assertEqual(self.ok("fmadm", "ack", UUID, "new disk is ordered"), f"case {UUID}: acknowledged\n")
        self.ok("fmadm", "ack", UUID, "new", "disk", "is", "on", "its", "way")
        self.ok("fmadm", "ack", UUID)
        self.assertEqual(self.daemon.changes(), [f"acknowledge [{UUID}] [new disk is ordered] by {WHO}",
                                                 f"acknowledge [{UUID}] [new disk is on its way] by {WHO}",
                                                 f"acknowledge [{UUID}] [] by {WHO}"])
        self.assertIn("no case", self.fails(1, "fmadm", "ack", "11111111-0000-4000-8000-000000000000"))

    def test_locate_in_either_order(self):
        self.assertEqual(self.ok("fmadm", "locate", "on", "SLOT 06"),
                         "SLOT 06: locate LED on\nIt goes off after 4h, when another disk is in the bay, or when its case ends.\n")
        self.assertEqual(self.ok("fmadm", "locate", "SLOT 06", "off"), "SLOT 06: locate LED off\n")
        self.assertEqual(self.daemon.changes(), [f"locate [SLOT 06] on by {WHO}", f"locate [SLOT 06] off by {WHO}"])
        doc = self.json("fmadm", "locate", "on", "SLOT 06")
        self.assertEqual((doc["bay"], doc["on"], doc["confirmed"]), (BAY, True, True))
        self.assertEqual(self.ok("fmadm", "locate", "on", BAY).splitlines()[0], "SLOT 06: locate LED on")
        self.fails(2, "fmadm", "locate", "SLOT 06")
        self.fails(2, "fmadm", "locate", "SLOT 06", "blink")

    def test_an_led_that_cannot_be_driven_is_an_error(self):
        error = self.fails(1, "fmadm", "locate", "on", "SLOT 08")
        self.assertIn("cannot be driven: the shelf does not take the write", error)

    def test_an_led_that_has_not_obeyed_yet_is_not_called_on(self):
        self.daemon.order(leds_obey=False)
        self.assertEqual(self.ok("fmadm", "locate", "on", "SLOT 06", "--wait", "0"),
                         "SLOT 06: locate LED on asked for, not confirmed yet\n")

    def test_dry_run(self):
        self.assertEqual(self.ok("fmadm", "dry-run"), "dry run is off: fmd acts\nfmd.toml still has dry_run = true\n")
        self.ok("fmadm", "dry-run", "on")
        self.assertEqual(self.daemon.changes(), [f"dry-run on by {WHO}"])
        self.fails(2, "fmadm", "dry-run", "maybe")
        self.assertEqual(self.ok("fmadm", "dry-run"), "dry run is on: fmd announces actions and carries none out\n")

    def test_reload_prints_every_error(self):
        error = self.fails(1, "fmadm", "reload")
        self.assertEqual(error, '/etc/fmd/rules.d/x.toml:3: unknown key "cuont"; did you mean "count"?\n'
                                "fmadm: 1 error; rules and configuration are unchanged\n")

    def test_config(self):
        text = self.ok("fmadm", "config")
        self.assertTrue(text.startswith("warning: zfs: zfs-zed is running: it may take spares too\n\n"), text)
        self.assertIn("enclosure  0.1.0    not-observed  no enclosure on this host\n", text)
        self.assertIn("dry_run                   off\n", text)
        self.assertNotIn("\nstore.", text)
        self.assertNotIn("product_sn", text, "empty")
        self.assertNotIn("/usr/share", text, "the package's files are no settings")
        text = self.ok("fmadm", "config", "--store")
        self.assertIn("store.journal_bytes       256 MiB\n", text)
        self.assertNotIn("PLUGIN", text)
        for line in ("store.compression         auto\n", "store.packed_in_bytes     2 GiB\n", "store.packed_ratio        10.0:1\n",
                     "store.packed_cpu          3.21s\n", "store.sealed_ratio        -\n"):
            self.assertIn(line, text)
        doc = self.json("fmadm", "config")
        self.assertEqual((doc["version"], doc["plugins"][0]["name"]), ("0.1.0", "zfs"))


class PolkitAllows(stage.Case):
    daemon_words = ("--polkit-for-all", "--polkit", "allow")

    def test_anybody_polkit_allows(self):
        self.ok("fmadm", "dry-run", "on")
        self.assertEqual(self.daemon.changes(), [f"dry-run on by {WHO}"])


class PolkitRefuses(stage.Case):
    daemon_words = ("--polkit-for-all", "--polkit", "refuse")

    def test_reading_yes_changing_no(self):
        self.assertIn(UUID, self.ok("fmadm", "faulty"))
        for words in (["repaired", UUID], ["replaced", UUID], ["acquit", UUID], ["ack", UUID], ["locate", "on", "SLOT 06"],
                      ["dry-run", "on"], ["reload"]):
            with self.subTest(words):
                self.assertIn("polkit does not allow", self.fails(1, "fmadm", *words))
        self.assertEqual(self.daemon.changes(), [])


class AnotherUser(stage.Case):
    """As user nobody if this test may become that user; otherwise the daemon applies its rule for other users to all."""
    daemon_words = ("--polkit", "refuse") if os.geteuid() == 0 else ("--polkit-for-all", "--polkit", "refuse")
    prefix = ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups") if os.geteuid() == 0 else ()

    def run_as(self, *words):
        return stage.run("fmadm", *words, bus=self.bus, prefix=self.prefix)

    def test_nobody_reads_and_changes_nothing(self):
        self.assertIn(UUID, self.run_as("faulty").stdout)
        refused = self.run_as("repaired", UUID)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("Access denied: polkit does not allow you org.fmd.faultmanager1.judge; do this as root", refused.stderr)
        self.assertEqual(self.daemon.changes(), [])


class AnotherHost(stage.Case):
    """--host runs ssh; here a fake one that bridges to the private bus on this host."""

    def test_remote(self):
        ssh = pathlib.Path(self.bus.folder, "ssh")
        ssh.write_text(f"""#!/bin/sh
echo "$@" > {self.bus.folder}/ssh-words
exec systemd-stdio-bridge --bus-path={self.bus.address}
""")
        ssh.chmod(0o755)
        done = stage.run("fmadm", "-H", "root@store1", "faulty", "-s", PATH=f"{self.bus.folder}:{os.environ['PATH']}")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(UUID, done.stdout)
        self.assertIn(" root@store1 ", pathlib.Path(self.bus.folder, "ssh-words").read_text())

    def test_a_host_is_not_an_option_of_ssh(self):
        self.assertEqual(stage.run("fmadm", "--host=-oProxyCommand=x", "faulty").returncode, 1)


class NobodyAnswers(unittest.TestCase):
    def test_no_daemon(self):
        bus = stage.Bus()
        self.addCleanup(bus.stop)
        for words in (["fmadm", "faulty"], ["fmadm", "locate", "on", "x"], ["fmdump", "-e"], ["fmdump", "-f"], ["fmstat"], ["fmtopo"]):
            with self.subTest(words):
                done = stage.run(*words, bus=bus)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertEqual(done.stderr,
                                 f"{words[0]}: fmd is not running (no org.fmd.FaultManager1 on the bus "
                                 f"{bus.address}); start it, now and at each boot, with: systemctl enable --now fmd.target\n")

    def test_no_bus(self):
        done = stage.run("fmadm", "--bus", "unix:path=/nonexistent/bus", "faulty")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Cannot reach the bus unix:path=/nonexistent/bus: No such file or directory", done.stderr)

    def test_usage(self):
        self.assertEqual(stage.run("fmadm").returncode, 3, "alone it is status, and nobody answers")
        self.assertEqual(stage.run("fmadm", "fautly").returncode, 2)
        self.assertEqual(stage.run("fmadm", "--host", "h", "--bus", "session", "faulty").returncode, 1)

    def test_help_and_version(self):
        for name in ("fmadm", "fmdump", "fmstat", "fmtopo"):
            with self.subTest(name):
                done = stage.run(name, "--help")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("Exit status:", done.stdout)
                self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80, done.stdout)
                self.assertEqual(stage.run(name, "--version").stdout.split()[:2], [name, "(fmd)"])
        for sub in ("faulty", "repaired", "replaced", "acquit", "ack", "locate", "actions", "retire", "restore", "replace", "resilver", "history", "readings", "config", "dry-run", "reload",
                    "rules", "replay"):
            with self.subTest(sub):
                done = stage.run("fmadm", sub, "--help")
                self.assertEqual(done.returncode, 0)
                self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80, done.stdout)
                self.assertIn(f"\nExamples:\n  fmadm {sub}", done.stdout)

    def test_what_people_try_first(self):
        self.assertEqual(stage.run("fmadm", "help").stdout, stage.run("fmadm", "--help").stdout)
        self.assertEqual(stage.run("fmadm", "help", "smart", "test").stdout, stage.run("fmadm", "smart", "test", "--help").stdout)
        self.assertEqual(stage.run("fmadm", "version").stdout, stage.run("fmadm", "--version").stdout)
        self.assertEqual(stage.run("fmadm", "--color", "never", "repair", "--help").stdout, stage.run("fmadm", "repaired", "--help").stdout)

    def test_a_full_disk_is_an_error(self):
        bus = stage.Bus()
        self.addCleanup(bus.stop)
        daemon = stage.Daemon(bus)
        self.addCleanup(daemon.stop)
        with open("/dev/full", "w") as full:
            done = subprocess.run([stage.program("fmadm"), "faulty"], stdout=full, stderr=subprocess.PIPE, text=True,
                                  env=stage.environment(bus))
        self.assertEqual(done.returncode, 1)
        self.assertIn("No space left", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
