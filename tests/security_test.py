#!/usr/bin/python3
"""Tests of security.py: this tree passes, and each statement of docs/security.md that is no longer true is found."""
import pathlib
import shutil
import tempfile
import unittest

import security

TREE = pathlib.Path(__file__).resolve().parents[1]
FILES = ("docs/security.md", "docs/privileges.md", "data/systemd/fmd.service.in", "data/polkit/org.fmd.faultmanager1.policy", "fmd/bus/manager.cpp", "plugins/list",
         "data/dbus/org.fmd.FaultManager1.conf", "data/tmpfiles/fmd.conf", "plugins/ipmi/70-fmd-ipmi.rules", "plugins/ipmi/fmd-ipmi-lan.conf", "plugins/sdk/host.h",
         "plugins/redfish/budget.h", "plugins/redfish/crawl.h", "plugins/redfish/documents.h", "plugins/redfish/event_stream.h", "plugins/redfish/parts.h",
         "plugins/hardware/fmri_memory.h", "plugins/ipmi/sdr.h", "plugins/sdk/internal/line_bounds.h", "fmd/protocol/lines.h")


class Security(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        for path in (*map(TREE.joinpath, FILES), *TREE.glob("plugins/*/*.service.in"), *TREE.glob("plugins/*/grant.toml"), *TREE.glob("plugins/*/*.cpp"),
                     *TREE.glob("plugins/*/tests/*_test.*")):
            copy = self.tree / path.relative_to(TREE)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)

    def after(self, name, old, new):
        path = self.tree / name
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new), encoding="utf-8")
        found = list(security.offences(self.tree))
        path.write_text(text, encoding="utf-8")
        return found

    def test_this_tree(self):
        self.assertEqual(list(security.offences(self.tree)), [])

    def test_units(self):
        unit = "plugins/ipmi/fmd-ipmi.service.in"
        self.assertEqual(self.after(unit, "CapabilityBoundingSet=", "CapabilityBoundingSet=CAP_DAC_OVERRIDE"),
                         ["fmd-ipmi: docs/security.md says 'fmd-ipmi', the unit 'fmd-ipmi, CAP_DAC_OVERRIDE'"])
        self.assertEqual(self.after(unit, "AF_UNIX", "AF_UNIX AF_INET"), ["fmd-ipmi: docs/security.md and the unit differ on the network"])
        self.assertEqual(self.after(unit, "User=fmd-ipmi\n", ""), ["fmd-ipmi: docs/security.md says 'fmd-ipmi', the unit 'root'"])
        self.assertEqual(self.after("docs/security.md", "| fmd-zfs |", "| fmd-old |"),
                         ["fmd-zfs is in plugins/list: add its row to the table of processes in docs/security.md",
                          "fmd-old is in the table of processes in docs/security.md, and not in plugins/list"])

    def test_grants(self):
        """Each extra line in a grant or a unit lets a compromised plugin do more."""
        self.assertEqual(self.after("plugins/redfish/grant.toml", '"redfish://"]\ndescribes', '"redfish://", "zfs://"]\ndescribes'),
                         ["redfish: commands: only in one of docs/privileges.md's table and tree: zfs://"])
        self.assertEqual(self.after("plugins/smart/grant.toml", '["dev://"]', '["dev://", "hc://"]'),
                         ["smart: describes: only in one of docs/privileges.md's table and tree: hc://"])
        self.assertEqual(self.after("plugins/mail/grant.toml", "notifier = true", 'observes = ["ereport.*"]'),
                         ["mail: commands: only in one of docs/privileges.md's table and tree: outbox:mail", "mail: reports: only in one of docs/privileges.md's table and tree: ereport.*"])
        self.assertEqual(self.after("plugins/disk/fmd-disk.service.in", "DeviceAllow=/dev/kmsg r\n", "DeviceAllow=/dev/kmsg r\nDeviceAllow=char-mem rw\n"),
                         ["disk: devices and paths: only in one of docs/privileges.md's table and tree: char-mem rw"])
        self.assertEqual(self.after("plugins/cpu/fmd-cpu.service.in", "PrivateNetwork=yes\n", ""),
                         ["cpu: docs/privileges.md and the unit differ on abstract sockets"])

    def test_dbus(self):
        policy = "data/dbus/org.fmd.FaultManager1.conf"
        more = '<policy context="default">\n    <allow own="org.fmd.FaultManager1"/>'
        self.assertEqual(self.after(policy, '<policy context="default">', more),
                         ['D-Bus policy of context="default": only in one of document and policy: own="org.fmd.FaultManager1"'])
        self.assertEqual(self.after(policy, 'user="fmd"', 'group="users"'),
                         [f'D-Bus policy of {who}: only in one of document and policy: {line}' for who in ('group="users"', 'user="fmd"')
                          for line in ('own="org.fmd.FaultManager1"', 'send_interface="org.freedesktop.DBus.Peer" send_member="Ping"')])

    def test_limits(self):
        self.assertEqual(self.after("plugins/redfish/budget.h", "32 << 20", "64 << 20"),
                         ["plugins/redfish/budget.h has no 'kLookBytes = 32 << 20' for '32 MiB, 500000 JSON values'"])
        self.assertEqual(self.after("plugins/http/http_post.cpp", "CURLOPT_NOSIGNAL, 1L", 'CURLOPT_ACCEPT_ENCODING, ""'),
                         ["plugins/http/http_post.cpp asks for compression"])
        self.assertEqual(self.after("plugins/ipmi/tests/sel_test.cpp", "ALongLogIsReadOverSeveralPolls", "ALongLog"),
                         ["no test holds this row: | a BMC's event log | 60 s or 2000 events per poll; the next poll continues |"
                          " `Sel.ALongLogIsReadOverSeveralPolls` |"])

    def test_secrets(self):
        for name in ("alertmanager", "ipmi", "mail", "redfish", "snmp", "webhook"):
            with self.subTest(plugin=name):
                path = f"plugins/{name}/options.cpp"
                self.assertEqual(self.after(path, "sdk::read_secret(", "read_it("),
                                 [f"{path} takes a file with a password that others can read"])
        found = self.after("plugins/mail/transfer.cpp", "sdk::read_secret(parcel_", "std::ifstream(parcel_")
        self.assertEqual([one.partition(":")[0] for one in found], ["plugins/mail/transfer.cpp reads a file with a password by itself"])

    def test_devices(self):
        self.assertEqual(self.after("plugins/ipmi/70-fmd-ipmi.rules", "0660", "0666"), [
            'plugins/ipmi/70-fmd-ipmi.rules lacks: SUBSYSTEM=="ipmi", KERNEL=="ipmi[0-9]*", GROUP="fmd-ipmi", MODE="0660"'])

        self.assertEqual(self.after("data/tmpfiles/fmd.conf", "d /run/mdadm - - - -", ""), ["data/tmpfiles/fmd.conf lacks: d /run/mdadm - - - -"])

    def test_polkit(self):
        policy = "data/polkit/org.fmd.faultmanager1.policy"
        self.assertEqual(self.after(policy, ">auth_admin<", ">auth_admin_keep<"),
                         ["polkit: replace is auth_admin_keep, not auth_admin", "polkit: retire is auth_admin_keep, not auth_admin"])
        self.assertEqual(self.after("fmd/bus/manager.cpp", "polkit.message", "message"),
                         ["polkit: the question of retire does not name the part", "polkit: the question of replace does not name the part"])
        self.assertEqual(self.after("docs/security.md", "| `configure` |", "| `settings` |"),
                         ["polkit: only in one of docs/security.md's table and the policy: configure, settings"])


if __name__ == "__main__":
    unittest.main()
