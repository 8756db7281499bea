#!/usr/bin/python3
"""./dev packages --repository, with keys of its own and packages that contain nothing: what is written, that it can be served while it
changes, and that each mistake is refused before anything is published. tests/debian/apt-repository has the real apt.
"""
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent


class Repository(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.home = pathlib.Path(folder.name, "gnupg")
        cls.home.mkdir(mode=0o700)
        cls.env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "GNUPGHOME": str(cls.home), "LC_ALL": "C.UTF-8"}
        cls.addClassCleanup(subprocess.run, ["gpgconf", "--kill", "all"], env=cls.env, check=False)
        for name, expires in (("old", "5y"), ("new", "never"), ("twin one", "never"), ("twin two", "never"), ("soon", "30d"), ("late", "1d")):
            # An expired key is one that was made years ago.
            clock = ["--faked-system-time", "20200101T000000"] if name == "late" else []
            subprocess.run(["gpg", "--batch", "--quiet", *clock, "--passphrase", "", "--quick-generate-key", f"{name} <{name.replace(' ', '.')}@fmd.invalid>",
                            "ed25519", "sign", expires], env=cls.env, check=True, capture_output=True)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.packages, self.top = self.folder / "packages", self.folder / "repository"
        for release in ("12", "13"):
            for name in ("fmd", "fmd-zfs", "fmd-zfs-dbgsym"):
                self.deb(release, name)

    def deb(self, release, name, version="1.0", suffix=None, architecture="amd64", text="", folder=None):
        root = self.folder / "root"
        shutil.rmtree(root, ignore_errors=True)
        (root / "DEBIAN").mkdir(parents=True)
        version += f"+deb{release}" if suffix is None else suffix
        (root / "DEBIAN/control").write_text(f"Package: {name}\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: nobody <n@fmd.invalid>\n"
                                             f"Description: nothing {text}\n", encoding="utf-8")
        to = (folder or self.packages) / f"debian-{release}"
        to.mkdir(parents=True, exist_ok=True)
        path = to / f"{name}_{version}_{architecture}.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, path], check=True, capture_output=True,
                       env={**self.env, "SOURCE_DATE_EPOCH": "1700000000"})
        return path

    def upgrade(self, version):
        for deb in self.packages.rglob("*.deb"):
            deb.unlink()
            self.deb(deb.parent.name[-2:], deb.name.split("_")[0], version)

    def publish(self, *words, at=1_700_000_000, top=None, umask=-1):
        """Returns (exit status, output)."""
        words = [word for word in words if word] or ["--sign", "old@"]
        done = subprocess.run([sys.executable, HERE / "repository.py", "--packages", self.packages, "--any-version", "--repository", top or self.top, *words],
                              env={**self.env, "SOURCE_DATE_EPOCH": str(at)}, stdin=subprocess.DEVNULL, capture_output=True, text=True, umask=umask, check=False)
        return done.returncode, done.stdout + done.stderr

    def published(self, *words, **more):
        status, said = self.publish(*words, **more)
        self.assertEqual(status, 0, said)
        return said

    def refused(self, *words, **more):
        """Returns what was said, on one line. Nothing may have been written."""
        before = self.files()
        status, said = self.publish(*words, **more)
        self.assertEqual(status, 1, said)
        self.assertTrue(said.startswith("packages: "), said)
        self.assertEqual(self.files(), before)
        return " ".join(said.split())

    def files(self):
        return {str(path.relative_to(self.top)): path.read_bytes() for path in self.top.rglob("*") if path.is_file()}

    def packages_of(self, suite, component="main"):
        text = (self.top / f"dists/{suite}/{component}/binary-amd64/Packages").read_text(encoding="utf-8")
        return dict(re.findall(r"^Package: (\S+)\n(?:.*\n)*?Filename: (\S+)$", text, re.M))

    def keys(self):
        said = subprocess.run(["gpg", "--batch", "--with-colons", "--show-keys", self.top / "fmd-archive-keyring.pgp"], env=self.env, capture_output=True,
                              text=True, check=True).stdout
        return sorted(re.findall(r"^uid:.*:(\w+) <", said, re.M))

    def keyring_versions(self):
        return sorted(path.name.split("_")[1] for path in (self.top / "pool/keyring").iterdir())

    # --- what is written -----------------------------------------------------

    def test_each_suite_has_its_packages_and_the_keyring(self):
        said = self.published()
        self.assertIn("bookworm: 3 packages", said)
        for suite, release in (("bookworm", "12"), ("trixie", "13")):
            self.assertEqual(self.packages_of(suite), {
                "fmd": f"pool/{suite}/main/fmd_1.0+deb{release}_amd64.deb", "fmd-zfs": f"pool/{suite}/main/fmd-zfs_1.0+deb{release}_amd64.deb",
                "fmd-archive-keyring": "pool/keyring/fmd-archive-keyring_2023.11.14_all.deb"})
            self.assertEqual(list(self.packages_of(suite, "debug")), ["fmd-zfs-dbgsym"])

    def test_the_release_file_names_all_indexes_and_is_signed_twice(self):
        self.published()
        self.published()
        dists = self.top / "dists/bookworm"
        release = (dists / "Release").read_text(encoding="utf-8")
        for line in ("Origin: fmd", "Codename: bookworm", "Acquire-By-Hash: yes", "Date: Tue, 14 Nov 2023 22:13:20 +0000", "Components: main debug"):
            self.assertIn(f"{line}\n", release)
        self.assertNotIn("MD5Sum", release)
        listed = re.findall(r"^ ([0-9a-f]{64}) +\d+ (\S+)$", release, re.M)
        self.assertEqual(sorted(name for _, name in listed), sorted(f"{component}/binary-amd64/Packages{form}" for component in ("debug", "main") for form in ("", ".xz")))
        for digest, name in listed:
            index = dists / name
            self.assertEqual(hashlib.sha256(index.read_bytes()).hexdigest(), digest)
            self.assertEqual((index.parent / "by-hash/SHA256" / digest).read_bytes(), index.read_bytes())
        gpgv = ["gpgv", "--keyring", self.top / "fmd-archive-keyring.pgp"]
        self.assertEqual(subprocess.run([*gpgv, "--output", "-", dists / "InRelease"], env=self.env, capture_output=True, text=True, check=True).stdout, release)
        subprocess.run([*gpgv, dists / "Release.gpg", dists / "Release"], env=self.env, capture_output=True, check=True)

    def test_the_address_is_in_the_sources(self):
        self.assertIn("--url ADDRESS writes them", self.published())
        self.assertNotIn("--url", self.published("--sign", "old@", "--url", "https://packages.fmd.invalid/fmd"))
        said = (self.top / "trixie.sources").read_text(encoding="utf-8")
        self.assertIn("URIs: https://packages.fmd.invalid/fmd\nSuites: trixie\n", said)
        self.assertIn("Signed-By: /usr/share/keyrings/fmd-archive-keyring.pgp\n", said)

    def test_a_web_server_of_another_user_can_read_all(self):
        self.published(umask=0o077)
        for path in self.top.rglob("*"):
            self.assertEqual(path.stat().st_mode & 0o777, 0o755 if path.is_dir() else 0o644, path)

    def test_the_same_packages_give_the_same_indexes(self):
        self.published()
        other = self.folder / "elsewhere"
        for deb in sorted(self.packages.rglob("*.deb"), reverse=True):  # another order in the folder
            deb.write_bytes(deb.read_bytes())
        self.published(top=other)
        for path in ("dists/bookworm/Release", "dists/trixie/main/binary-amd64/Packages", "pool/keyring/fmd-archive-keyring_2023.11.14_all.deb"):
            self.assertEqual((self.top / path).read_bytes(), (other / path).read_bytes(), path)

    def test_the_package_of_keys(self):
        self.published()
        deb = self.top / "pool/keyring/fmd-archive-keyring_2023.11.14_all.deb"
        root = self.folder / "keys"
        subprocess.run(["dpkg-deb", "--raw-extract", deb, root], check=True)
        self.assertEqual((root / "usr/share/keyrings/fmd-archive-keyring.pgp").read_bytes(), (self.top / "fmd-archive-keyring.pgp").read_bytes())
        subprocess.run(["md5sum", "--check", "--quiet", "DEBIAN/md5sums"], cwd=root, check=True)

    # --- the next release ----------------------------------------------------

    def test_an_older_version_and_the_indexes_clients_may_be_reading_stay(self):
        self.published()
        before = self.files()
        self.upgrade("1.1")
        self.published(at=1_700_100_000)
        text = (self.top / "dists/bookworm/main/binary-amd64/Packages").read_text(encoding="utf-8")
        self.assertIn("Version: 1.0+deb12", text)
        self.assertIn("Version: 1.1+deb12", text)
        kept = [path for path in before if path.startswith("pool/") or "/by-hash/" in path]
        self.assertEqual({path: before[path] for path in kept}, {path: content for path, content in self.files().items() if path in kept})
        self.assertEqual(self.keyring_versions(), ["2023.11.14"])

    def test_old_indexes_are_deleted(self):
        for minor in range(6):
            self.upgrade(f"1.{minor}")
            self.published("--sign", "old@", "--debian", "12", at=1_700_000_000 + minor)
        for component in ("debug", "main"):
            folder = self.top / "dists/bookworm" / component / "binary-amd64"
            kept = [path.read_bytes() for path in (folder / "by-hash/SHA256").iterdir()]
            self.assertEqual(len(kept), 6)
            self.assertIn((folder / "Packages.xz").read_bytes(), kept)

    def test_one_release_only_signs_both(self):
        self.published()
        self.upgrade("1.1")
        self.published("--sign", "new@", "--debian", "13", at=1_700_100_000)
        self.assertIn("fmd_1.0", self.packages_of("bookworm")["fmd"])
        self.assertIn("Version: 1.1", (self.top / "dists/trixie/main/binary-amd64/Packages").read_text(encoding="utf-8"))
        for suite in ("bookworm", "trixie"):
            subprocess.run(["gpgv", "--keyring", self.top / "fmd-archive-keyring.pgp", self.top / f"dists/{suite}/InRelease"], env=self.env, capture_output=True, check=True)

    def test_only_one_release_at_all(self):
        shutil.rmtree(self.packages / "debian-13")
        self.published("--sign", "old@", "--debian", "12")
        self.assertFalse((self.top / "dists/trixie").exists())

    # --- keys ----------------------------------------------------------------

    def test_rotation(self):
        self.published()
        self.assertEqual(self.keys(), ["old"])
        self.published("--sign", "old@", "--trust", "new@")
        self.assertEqual(self.keys(), ["new", "old"])
        self.published("--sign", "old@", "--sign", "new@")
        self.assertEqual(self.keyring_versions(), ["2023.11.14", "2023.11.14.2"], "the same keys need no other package")
        self.published("--sign", "new@", at=1_700_100_000)
        self.assertEqual(self.keys(), ["new"])
        self.assertEqual(self.keyring_versions(), ["2023.11.14", "2023.11.14.2", "2023.11.16"])

    def test_a_key_that_expires_soon(self):
        said = self.published("--sign", "soon@", at="")
        self.assertRegex(said, r"key [0-9A-F]{40} signs; expires on \d{4}-")
        self.assertRegex(said, r"packages: the key [0-9A-F]{40} expires soon; rotate it")
        self.assertNotIn("soon;", self.published("--sign", "new@", top=self.folder / "other"))

    def test_keys_that_cannot_sign(self):
        self.assertIn("needs --sign KEY", self.refused("--url", "https://fmd.invalid"))
        self.assertIn("no secret key 'nobody'. `gpg --list-secret-keys` lists them; make one with: gpg --quick-generate-key", self.refused("--sign", "nobody"))
        self.assertIn("no public key 'nobody'", self.refused("--sign", "old@", "--trust", "nobody"))
        self.assertRegex(self.refused("--sign", "twin"), "'twin' means 2 keys; give the fingerprint of one: [0-9A-F]{40}, [0-9A-F]{40}")
        self.assertRegex(self.refused("--sign", "late@"), "has expired .* gpg --quick-set-expire [0-9A-F]{40} 3y")

    # --- mistakes ------------------------------------------------------------

    def test_published_packages_never_change(self):
        self.published()
        self.deb("12", "fmd-zfs", text="that is another one")
        self.assertRegex(self.refused(), r"fmd-zfs_1.0\+deb12_amd64.deb is already published with other content: .* Raise the version")

    def test_packages_that_are_missing_or_do_not_fit(self):
        folder = self.packages / "debian-13"
        self.deb("13", "fmd-mail", "0.9")
        self.assertIn("different versions (0.9+deb13, 1.0+deb13); build them again with: ./dev packages --debian 13", self.refused())
        shutil.rmtree(folder)
        self.assertRegex(self.refused(), "no packages in .*debian-13; build them with: ./dev packages --debian 13 .* --debian 12")
        self.deb("13", "fmd-zfs")
        self.assertIn("the package fmd is missing", self.refused())
        self.deb("13", "fmd", architecture="arm64")
        self.assertIn("are for arm64; the repository is for amd64", self.refused())
        shutil.rmtree(folder)
        self.deb("13", "fmd", suffix="+deb12")
        self.assertIn("does not end in +deb13; build them again", self.refused())
        shutil.rmtree(folder)
        self.deb("13", "fmd", suffix="+deb13~quick")
        self.assertIn("does not end in +deb13; build them again, without --quick", self.refused())

    def test_packages_of_another_tree(self):
        done = subprocess.run([sys.executable, HERE / "repository.py", "--packages", self.packages, "--repository", self.top, "--sign", "old@"],
                              env=self.env, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"has version 1.0\+deb12, and this tree is \d+\.\d+\.\d+\+deb12; build them again")
        self.assertFalse(self.top.exists())

    def test_a_folder_that_is_something_else(self):
        self.top.mkdir()
        (self.top / "letters").touch()
        self.assertIn("is not empty and is no repository", self.refused())

    def test_an_address_that_is_none(self):
        self.assertIn("--url takes the address", self.refused("--sign", "old@", "--url", "packages.fmd.invalid"))


if __name__ == "__main__":
    unittest.main()
