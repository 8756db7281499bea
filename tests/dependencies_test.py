#!/usr/bin/python3
"""Compares the dependency table in CONTRIBUTING.md with the Meson files and with what ./dev setup installs."""
import os
import re
import subprocess
import unittest

TREE = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
# Part of the toolchain: Meson finds these without a package.
OWN = {"threads"}


def text_of(path):
    with open(os.path.join(TREE, path), encoding="utf-8") as file:
        return file.read()


def table():
    """name -> (Debian, Fedora, Arch packages)"""
    rows = re.findall(r"^\| ([\w./+-]+)(?: \(\w+\))? \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", text_of("CONTRIBUTING.md"), re.M)
    return {name: tuple(cell.split() for cell in cells) for name, *cells in rows}


def asked():
    names = set()
    for folder, folders, files in os.walk(TREE):
        folders[:] = [f for f in folders if not f.startswith(("build", ".git", "packages"))]
        if "meson.build" in files:
            text = text_of(os.path.join(folder, "meson.build"))
            names.update(re.findall(r"\bdependency\('([^']+)'", text))
            names.update(re.findall(r"has_header\('([^']+)'", text))
            names.update(re.findall(r"link_args: \['-l(netsnmpagent)'", text))
    return names - OWN


class Dependencies(unittest.TestCase):
    def test_each_dependency_of_the_meson_files_has_a_row(self):
        self.assertGreater(len(asked()), 15)
        self.assertEqual(asked() - set(table()), set())

    def test_each_row_is_asked_for(self):
        self.assertEqual(set(table()) - asked(), set())

    def test_every_distribution_has_a_package(self):
        for name, cells in table().items():
            for cell in cells:
                self.assertTrue(cell, name)

    def test_debian_packages_are_what_setup_installs(self):
        listed = subprocess.run([os.path.join(TREE, "tests/debian/setup"), "--list"], capture_output=True, text=True, check=True).stdout
        installed = set(listed.split())
        for name, (debian, *_) in table().items():
            self.assertLessEqual(set(debian), installed, name)


if __name__ == "__main__":
    unittest.main()
