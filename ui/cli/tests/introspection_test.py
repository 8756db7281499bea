"""Compares the live objects with schemas/dbus/org.fmd.FaultManager1.xml: methods, signatures, properties, signals."""
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

import stage

XML = stage.ROOT / "schemas/dbus/org.fmd.FaultManager1.xml"
BASE = "/org/fmd/FaultManager1"


def annotation(element, name, fallback):
    for child in element.findall("annotation"):
        if child.get("name") == name:
            return child.get("value")
    return fallback


def arguments(member, direction):
    """(name, type) of each argument in that direction; None: of all."""
    return [(a.get("name"), a.get("type")) for a in member.findall("arg") if direction in (None, a.get("direction"))]


def described(interface):
    """An interface as plain, comparable values."""
    out = {}
    for member in interface:
        key = member.tag, member.get("name")
        if member.tag == "method":
            out[key] = arguments(member, "in"), arguments(member, "out")
        elif member.tag == "signal":
            out[key] = arguments(member, None)
        elif member.tag == "property":
            out[key] = (member.get("type"), member.get("access"),
                        annotation(member, "org.freedesktop.DBus.Property.EmitsChangedSignal", "true"))
    return out


def interfaces(text):
    return {i.get("name"): described(i) for i in ElementTree.fromstring(text).findall("interface")}


class Introspection(stage.Case):
    def live(self, path):
        done = subprocess.run(["busctl", "--address", self.bus.address, "introspect", "--xml-interface",
                               "org.fmd.FaultManager1", path], capture_output=True, text=True, timeout=stage.patience())
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_live_objects_are_as_the_file_says(self):
        written = interfaces(XML.read_text())
        self.assertEqual(set(written), {"org.fmd.FaultManager1", "org.fmd.FaultManager1.Case", "org.fmd.FaultManager1.Resource"})
        bay = "hc_3a_2f_2fchassis_3d5000c500fa0e5e50_2fbay_3d6"
        for path, name in ((BASE, "org.fmd.FaultManager1"),
                           (f"{BASE}/case/d482f935_5c8f_4b9a_9f25_d0aaafec1e6c", "org.fmd.FaultManager1.Case"),
                           (f"{BASE}/resource/{bay}", "org.fmd.FaultManager1.Resource")):
            with self.subTest(path):
                live = interfaces(self.live(path))
                self.assertEqual(live[name], written[name])
                ours = {i for i in live if i.startswith("org.fmd.")}
                self.assertEqual(ours, {name})
        self.assertIn("org.freedesktop.DBus.ObjectManager", interfaces(self.live(BASE)))

    def test_the_tree_can_be_walked(self):
        nodes = [n.get("name") for n in ElementTree.fromstring(self.live(f"{BASE}/case")).findall("node")]
        self.assertIn("d482f935_5c8f_4b9a_9f25_d0aaafec1e6c", nodes)


if __name__ == "__main__":
    unittest.main(verbosity=2)
