#!/usr/bin/python3
"""Makes a static apt repository of the packages that ./dev packages has built, and signs it. apt-ftparchive writes the indexes, gpg signs,
dpkg-deb builds the package with the keys. ./dev packages --help has the options.
"""
import argparse
import datetime
import filecmp
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TREE = pathlib.Path(__file__).resolve().parents[2]
SUITES = {"12": "bookworm", "13": "trixie"}
COMPONENTS = ("main", "debug")
KEYRING = "fmd-archive-keyring"
KEYRING_PATH = f"usr/share/keyrings/{KEYRING}.pgp"
MAINTAINER = "fmd maintainers <maintainers@fmd.invalid>"
# Clients that have read an earlier Release file still find the indexes it names: three times Packages and Packages.xz.
KEPT_INDEXES = 6
PREFERENCES = """\
# The repository of fmd may provide fmd's packages, and no other: it can never replace a package of Debian.
Package: fmd fmd-* cockpit-fmd
Pin: release o=fmd
Pin-Priority: 500

Package: *
Pin: release o=fmd
Pin-Priority: -1
"""
SOURCES = """\
Types: deb
URIs: {url}
Suites: {suite}
Components: main
Architectures: amd64
Signed-By: /{keyring}
"""
COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Source: https://www.debian.org/doc/debian-policy/

Files: *
Copyright: fmd maintainers
License: public-domain
 Public keys are facts. They may be copied without restriction.
"""
CONTROL = """\
Package: {name}
Version: {version}
Architecture: all
Section: misc
Priority: optional
Maintainer: {maintainer}
Enhances: fmd
Description: keys that sign the package repository of fmd
 apt verifies the repository with these keys. An upgrade of this package brings
 a new key before the repository is signed with it.
"""


class Refused(Exception):
    """What is wrong, and what to do about it."""


def run(*words, **more):
    """Runs a program and returns its output as bytes."""
    done = subprocess.run([str(word) for word in words], capture_output=True, check=False, **more)
    if done.returncode:
        raise Refused(f"{words[0]} failed: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def write(path, content):
    """Replaces a file at once: the folder may be in use by a web server."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    new.write_bytes(content if isinstance(content, bytes) else content.encode())
    os.replace(new, path)


def now():
    return datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH") or datetime.datetime.now().timestamp()), datetime.timezone.utc)


# --- keys ----------------------------------------------------------------------

def key_of(name, secret):
    """The fingerprint of the one key that NAME means."""
    kind = "secret" if secret else "public"
    done = subprocess.run(["gpg", "--batch", "--with-colons", f"--list-{kind}-keys", name], capture_output=True, text=True, check=False)
    keys = []
    for line in done.stdout.splitlines():
        fields = line.split(":")
        if fields[0] in ("sec", "pub"):
            keys.append({"expires": fields[6], "validity": fields[1]})
        elif fields[0] == "fpr" and keys and "fingerprint" not in keys[-1]:
            keys[-1]["fingerprint"] = fields[9]
    if not keys:
        raise Refused(f"gpg has no {kind} key '{name}'. `gpg --list-{kind}-keys` lists them; "
                      + ("make one with: gpg --quick-generate-key 'NAME <ADDRESS>' ed25519 sign 3y" if secret else "import it with: gpg --import FILE"))
    if len(keys) > 1:
        raise Refused(f"'{name}' means {len(keys)} keys; give the fingerprint of one: {', '.join(key['fingerprint'] for key in keys)}")
    key = keys[0]
    expires = int(key["expires"] or 0)
    if secret and (key["validity"] == "r" or expires and expires <= datetime.datetime.now().timestamp()):
        raise Refused(f"the key {key['fingerprint']} has expired or is revoked, and apt would refuse the repository. "
                      f"If it has expired, extend it with: gpg --quick-set-expire {key['fingerprint']} 3y")
    if secret:  # asks for a passphrase now, before anything is published
        run("gpg", "--quiet", "--local-user", key["fingerprint"], "--output", "-", "--detach-sign", input=b"")
    return key["fingerprint"], datetime.datetime.fromtimestamp(expires, datetime.timezone.utc) if expires else None


def exported(fingerprints):
    """Public keys as apt reads them, the same bytes for the same keys."""
    return b"".join(run("gpg", "--batch", "--export-options", "export-minimal", "--export", one) for one in sorted(fingerprints))


# --- packages ------------------------------------------------------------------

def fields(deb):
    text = run("dpkg-deb", "--showformat", "${Package}\t${Version}\t${Architecture}", "--show", deb).decode()
    return dict(zip(("name", "version", "architecture"), text.split("\t")))


def built(folder, release, any_version):
    """The packages in the folder of that release, which must be whole."""
    debs = sorted(folder.glob("*.deb"))
    build = f"./dev packages --debian {release}"
    if not debs:
        raise Refused(f"there are no packages in {folder}; build them with: {build}\nTo publish one release only: --debian 12 or --debian 13")
    found = {deb: fields(deb) for deb in debs}
    versions = sorted({one["version"] for one in found.values()})
    if len(versions) != 1:
        raise Refused(f"the packages in {folder} have different versions ({', '.join(versions)}); build them again with: {build}")
    if not versions[0].endswith(f"+deb{release}"):
        raise Refused(f"version {versions[0]} of {folder} does not end in +deb{release}; build them again, without --quick: {build}")
    wanted = f"{tree_version()}+deb{release}"
    if versions[0] != wanted and not any_version:
        raise Refused(f"{folder} has version {versions[0]}, and this tree is {wanted}; build them again with: {build}\n"
                      "To publish them all the same: --any-version")
    foreign = sorted({one["architecture"] for one in found.values()} - {"amd64", "all"})
    if foreign:
        raise Refused(f"the packages in {folder} are for {', '.join(foreign)}; the repository is for amd64")
    if not any(one["name"] == "fmd" for one in found.values()):
        raise Refused(f"the package fmd is missing in {folder}; build all with: {build}")
    return debs


def tree_version():
    return re.search(r"version: '([^']+)'", (TREE / "meson.build").read_text(encoding="utf-8"))[1]


def add(deb, folder):
    """Copies a package into the pool. A published file never changes: clients have its hash, and caches its content."""
    to = folder / deb.name
    if not to.exists():
        write(to, deb.read_bytes())
    elif not filecmp.cmp(deb, to, shallow=False):
        raise Refused(f"{deb.name} is already published with other content: {to}\n"
                      "Raise the version and build again (docs/dev/packaging.md, Release). Only if nobody can have it yet, delete that file.")


def keyring_package(pool, keyring):
    """The version of the newest keyring package, which is made unless it has these keys already. The version is a date, so that it also
    rises if the repository is made again from nothing."""
    version, number = now().strftime("%Y.%m.%d"), 1
    taken = {fields(deb)["version"]: deb for deb in pool.glob("*.deb")}
    newest = None
    for one in taken:
        if newest is None or subprocess.run(["dpkg", "--compare-versions", one, "gt", newest], check=False).returncode == 0:
            newest = one
    with tempfile.TemporaryDirectory() as work:
        root = pathlib.Path(work, "root")
        if newest:
            run("dpkg-deb", "--extract", taken[newest], root)
            if (root / KEYRING_PATH).read_bytes() == keyring:
                return newest
            shutil.rmtree(root)
        base = version
        while newest and subprocess.run(["dpkg", "--compare-versions", version, "le", newest], check=False).returncode == 0:
            number += 1
            version = f"{base}.{number}"
            if number > 99:
                raise Refused(f"the published keyring package {newest} is newer than today, {base}; check this machine's clock")
        changes = f"{KEYRING} ({version}) unstable; urgency=medium\n\n  * Current keys.\n\n -- {MAINTAINER}  {date()}\n"
        document = f"usr/share/doc/{KEYRING}"
        contents = {KEYRING_PATH: keyring, f"{document}/copyright": COPYRIGHT.encode(), f"{document}/changelog.gz": run("gzip", "-9n", input=changes.encode())}
        sums = "".join(f"{hashlib.md5(content).hexdigest()}  {path}\n" for path, content in contents.items())
        control = {"control": CONTROL.format(name=KEYRING, version=version, maintainer=MAINTAINER), "md5sums": sums}
        for path, content in {**contents, **{f"DEBIAN/{name}": text for name, text in control.items()}}.items():
            write(root / path, content)
        deb = pathlib.Path(work, f"{KEYRING}_{version}_all.deb")
        run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, deb, env={**os.environ, "SOURCE_DATE_EPOCH": str(int(now().timestamp()))})
        add(deb, pool)
    return version


# --- indexes -------------------------------------------------------------------

def date():
    return now().strftime("%a, %d %b %Y %H:%M:%S +0000")


def index(top, suite):
    """Writes the suite's indexes and its Release file, and returns the latter as bytes."""
    dists = top / "dists" / suite
    for component in COMPONENTS:
        pools = [f"pool/{suite}/{component}"] + (["pool/keyring"] if component == "main" else [])
        packages = b"".join(run("apt-ftparchive", "--arch", "amd64", "packages", pool, cwd=top) for pool in pools if (top / pool).exists())
        write(dists / component / "binary-amd64" / "Packages", packages)
        write(dists / component / "binary-amd64" / "Packages.xz", run("xz", "-9", "--stdout", input=packages))
    release = {"Origin": "fmd", "Label": "fmd", "Suite": suite, "Codename": suite, "Date": date(), "Acquire-By-Hash": "yes",
               "Architectures": "amd64", "Components": " ".join(COMPONENTS), "Description": "fmd, the fault management daemon"}
    options = {f"Release::{name}": value for name, value in release.items()}
    # Without the default patterns, which also match the Release file itself.
    options |= {"Release::Default-Patterns": "false", "Release::Patterns::": "Packages*", "DoByHash": "true", "MD5": "false", "SHA1": "false", "SHA512": "false"}
    words = [word for name, value in options.items() for word in ("-o", f"APT::FTPArchive::{name}={value}")]
    return run("apt-ftparchive", *words, "release", f"dists/{suite}", cwd=top)


def prune(dists, release):
    """Deletes old indexes. apt-ftparchive's By-Hash-Keep leaves out the first component."""
    for component in COMPONENTS:
        files = sorted((dists / component).glob("binary-amd64/by-hash/SHA256/*"), key=lambda path: path.stat().st_mtime_ns)
        for path in files[:-KEPT_INDEXES]:
            if path.name.encode() not in release:
                path.unlink()


def sign(folder, release, signers, keyring):
    """Signs the Release file in both forms, and checks them as a client does. What clients read first is written last."""
    users = [word for one in signers for word in ("--local-user", one)]
    with tempfile.TemporaryDirectory() as work:
        plain, inline, detached = (pathlib.Path(work, name) for name in ("Release", "InRelease", "Release.gpg"))
        plain.write_bytes(release)
        for output, how in ((inline, ["--clearsign"]), (detached, ["--armor", "--detach-sign"])):
            # Not --batch: gpg may have to ask for a passphrase.
            run("gpg", "--quiet", *users, "--output", output, *how, plain)
        public = pathlib.Path(work, "keyring.gpg")
        public.write_bytes(keyring)
        run("gpgv", "--keyring", public, inline)
        run("gpgv", "--keyring", public, detached, plain)
        for path in (plain, detached, inline):
            write(folder / path.name, path.read_bytes())


def publish(options):
    top = pathlib.Path(options.repository).resolve()
    if top.exists() and any(top.iterdir()) and not (top / "dists").is_dir():
        raise Refused(f"{top} is not empty and is no repository; give an empty folder, or a repository to add to")
    # Everything is checked before the first file is written.
    signers = [key_of(name, secret=True) for name in options.sign]
    trusted = signers + [key_of(name, secret=False) for name in options.trust]
    added = {release: built(pathlib.Path(options.packages) / f"debian-{release}", release, options.any_version)
             for release in ([options.debian] if options.debian else SUITES)}
    keyring = exported({fingerprint for fingerprint, _ in trusted})
    for release, debs in added.items():
        for deb in debs:
            add(deb, top / "pool" / SUITES[release] / ("debug" if "-dbgsym_" in deb.name else "main"))
    version = keyring_package(top / "pool/keyring", keyring)
    write(top / f"{KEYRING}.pgp", keyring)
    write(top / "fmd.pref", PREFERENCES)
    # All suites, because the keys may have changed.
    for suite in SUITES.values():
        if not (top / "pool" / suite).is_dir():
            continue
        if options.url:
            write(top / f"{suite}.sources", SOURCES.format(url=options.url, suite=suite, keyring=KEYRING_PATH))
        release = index(top, suite)
        sign(top / "dists" / suite, release, [fingerprint for fingerprint, _ in signers], keyring)
        prune(top / "dists" / suite, release)
        count = len(list((top / "pool" / suite).rglob("*.deb")))
        print(f"{suite}: {count} package{'s' * (count != 1)}")
    for fingerprint, expires in trusted:
        role = "signs" if (fingerprint, expires) in signers else "is trusted"
        print(f"key {fingerprint} {role}{expires.strftime('; expires on %Y-%m-%d') if expires else ''}")
        if expires and expires - now() < datetime.timedelta(days=180):
            print(f"packages: the key {fingerprint} expires soon; rotate it (docs/dev/packaging.md, Keys)", file=sys.stderr)
    if not list(top.glob("*.sources")):
        print("without .sources files for administrators: --url ADDRESS writes them")
    print(f"{KEYRING} {version}\n{top}/ is ready to be served")


def main(words):
    parser = argparse.ArgumentParser(prog="packages", usage="./dev packages --repository DIR --sign KEY [OPTION...]; --help lists the options", add_help=False, allow_abbrev=False)
    parser.add_argument("--repository", required=True)
    parser.add_argument("--sign", action="append", default=[])
    parser.add_argument("--trust", action="append", default=[])
    parser.add_argument("--debian", choices=list(SUITES))
    parser.add_argument("--url")
    parser.add_argument("--any-version", action="store_true")
    parser.add_argument("--packages", default=TREE / "packages")
    if "--help" in words:
        print(__doc__.strip())
        return 0
    options = parser.parse_args(words)
    os.umask(0o022)
    try:
        for tool, package in (("apt-ftparchive", "apt-utils"), ("gpg", "gnupg"), ("gpgv", "gpgv"), ("dpkg-deb", "dpkg"), ("xz", "xz-utils")):
            if not shutil.which(tool):
                raise Refused(f"{tool} is missing; install it with: apt-get install {package}")
        if not options.sign:
            raise Refused("--repository needs --sign KEY: apt refuses an unsigned repository. `gpg --list-secret-keys` lists your keys")
        if options.url and not re.match(r"https?://\S+$", options.url):
            raise Refused(f"--url takes the address where the repository will be served, as in https://packages.example.org/fmd, not '{options.url}'")
        publish(options)
    except Refused as error:
        print(f"packages: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
