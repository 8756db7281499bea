#!/usr/bin/python3
"""./dev setup, with stand-ins for apt and dpkg that record their arguments: what it installs for each purpose, what it prints beforehand,
and what happens on a failure.

setup_test.py DEV
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

DEV = sys.argv.pop(1)
STUBS = {
    # Prints "installed" for the packages in $INSTALLED, or for all.
    "dpkg-query": '''case " $INSTALLED " in *" ${!#} "*|*" all "*) ;; *) exit 1 ;; esac
case $* in *Version*) printf 1:2.3-4 ;; *) printf installed ;; esac''',
    "apt-get": '''echo "apt-get $*" >>"$ASKED"; [ -z "$FAILS" ] || { echo "E: no such package"; exit 100; }
locks=$(cat "$LOCKS" 2>/dev/null); [ "${locks:-0}" -le 0 ] || { echo $((locks - 1)) >"$LOCKS"
echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 4711 (apt-get)"; exit 100; }''',
    "sleep": 'echo "sleep $*" >>"$ASKED"',
    "apt-cache": 'echo "$2 | 1:2.3-4 | an archive"',
    "sudo": 'echo "sudo $*" >>"$ASKED"; [ "$1" = -v ] || exec "$@"',
    "id": 'echo "${USER_ID-0}"',
    "systemctl": 'echo "systemctl $*" >>"$ASKED"',
}


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in STUBS.items():
            (self.folder / name).write_text(f"#!/bin/bash\n{text}\n", encoding="utf-8")
            (self.folder / name).chmod(0o755)

    def setup(self, *words, **more):
        """Returns (exit status, output, apt's arguments)."""
        asked = self.folder / "asked"
        asked.write_text("", encoding="utf-8")
        environment = {"PATH": f"{self.folder}:/usr/bin:/bin", "TMPDIR": str(self.folder), "ASKED": str(asked), "INSTALLED": "", "FAILS": "",
                       "LOCKS": str(self.folder / "locks"), **more}
        done = subprocess.run([DEV, "setup", *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                              text=True, timeout=120, check=False)
        return done.returncode, done.stdout, asked.read_text(encoding="utf-8")

    @staticmethod
    def installs(asked):
        return next((line.split() for line in asked.splitlines() if line.startswith("apt-get install")), [])

    def test_nothing_is_missing(self):
        self.assertEqual(self.setup(INSTALLED="all"), (0, "Everything needed is installed.\n", ""))

    def test_says_what_and_what_for_before_it_installs(self):
        status, said, asked = self.setup("build", "demo")
        self.assertEqual(status, 0, said)
        self.assertIn("To be installed by apt\n  compiler, build system, compiler cache:\n    g++ meson", said)
        self.assertLess(said.index("a mail receiver"), said.index("Installing"))
        installs = self.installs(asked)
        for package in ("g++", "libsqlite3-dev", "python3-aiosmtpd", "--no-install-recommends"):
            self.assertIn(package, installs)
        for package in ("qemu-system-x86", "libgtest-dev", "qt6-base-dev", "lintian", "debootstrap"):
            self.assertNotIn(package, installs, "not for the demo")

    def test_only_what_is_missing(self):
        _, said, asked = self.setup("build", INSTALLED="g++ meson ninja-build")
        self.assertNotIn("meson", self.installs(asked))
        self.assertIn("ccache", self.installs(asked))
        self.assertIn("    pkgconf ccache git\n", said)

    def test_what_is_built_for_systemd_is_of_its_version(self):
        _, _, asked = self.setup("build", INSTALLED="libsystemd0")
        self.assertIn("libsystemd-dev=1:2.3-4", self.installs(asked))
        self.assertIn("libudev-dev", self.installs(asked), "nothing is known of libudev1")

    def test_without_words_all_but_chroot_packages_and_peers(self):
        installs = self.installs(self.setup()[2])
        self.assertIn("libgtest-dev", installs)
        self.assertIn("qemu-system-x86", installs)
        self.assertNotIn("lintian", installs)
        self.assertNotIn("sec", installs)

    def test_peers_only_for_who_says_so(self):
        self.assertEqual([word for word in self.installs(self.setup("peers")[2])[2:] if not word.startswith("-")], ["sec", "default-jdk-headless", "maven"])

    def test_the_list_installs_nothing(self):
        status, said, asked = self.setup("--list")
        self.assertEqual((status, asked), (0, ""))
        self.assertIn("packages | Debian packages, and what judges them: debhelper", said)

    def test_as_another_user_by_sudo_asked_first(self):
        status, said, asked = self.setup("chroot", USER_ID="1000")
        self.assertEqual(status, 0, said)
        self.assertEqual([line.split()[:2] for line in asked.splitlines()],
                         [["sudo", "-v"], ["sudo", "env"], ["apt-get", "update"], ["sudo", "env"], ["apt-get", "install"]])

    def test_apt_fails(self):
        status, said, _ = self.setup("build", FAILS="yes")
        self.assertEqual(status, 1)
        self.assertIn("E: no such package", said)
        self.assertIn("setup: Reading apt's lists: failed", said)
        self.assertNotIn("Everything needed", said)

    def test_waits_while_another_apt_holds_the_lock(self):
        (self.folder / "locks").write_text("2", encoding="utf-8")
        status, said, asked = self.setup("build")
        self.assertEqual(status, 0, said)
        self.assertEqual([line.split()[0] for line in asked.splitlines()][:5], ["apt-get", "sleep", "apt-get", "sleep", "apt-get"])
        self.assertTrue(self.installs(asked))

    def test_gives_up_on_a_lock_that_is_never_released(self):
        (self.folder / "locks").write_text("9999", encoding="utf-8")
        status, said, asked = self.setup("build")
        self.assertEqual(status, 1)
        self.assertIn("Could not get lock", said)
        self.assertEqual(asked.count("sleep"), 120)

    def test_a_slip(self):
        status, said, asked = self.setup("biuld")
        self.assertEqual((status, asked), (1, ""))
        self.assertIn("not 'biuld'", said)


if __name__ == "__main__":
    unittest.main()
