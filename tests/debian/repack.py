#!/usr/bin/python3
"""repack.py FROM TO VERSION: fmd's packages as they would be of another VERSION, in the folder TO, without compiling. FROM is a folder with
packages, of which only the version changes. If it has none, the packages made are stand-ins: names, dependencies and maintainer scripts
of debian/, their configuration files as conffiles, and the users, but no programs and no units. Prints which of both they are.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TREE = pathlib.Path(__file__).resolve().parents[2]


def build(root, to, name, version, architecture):
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", root, to / f"{name}_{version}_{architecture}.deb"], check=True, stdout=subprocess.DEVNULL)


def field(text, name):
    found = re.search(rf"^{name}: (.*)$", text, re.M)
    return found[1] if found else ""


def repack(deb, to, version, work):
    subprocess.run(["dpkg-deb", "--raw-extract", deb, work], check=True)
    before = field((work / "DEBIAN/control").read_text(encoding="utf-8"), "Version")
    for path in (work / "DEBIAN").iterdir():
        if path.name in ("control", "preinst", "postinst", "prerm", "postrm"):  # "(= VERSION)", and what refuses a downgrade
            path.write_text(re.sub(rf"(?<![\w.+~]){re.escape(before)}(?![\w.+~])", version, path.read_text(encoding="utf-8")), encoding="utf-8")
    if (work / "etc/fmd/fmd.toml").exists():  # a configuration file that changes between the versions
        with open(work / "etc/fmd/fmd.toml", "a", encoding="utf-8") as file:
            file.write(f"# {version}\n")
    control = (work / "DEBIAN/control").read_text(encoding="utf-8")
    build(work, to, field(control, "Package"), version, field(control, "Architecture"))


def stand_in(paragraph, to, version, work):
    name = field(paragraph, "Package")
    plugin = TREE / "plugins" / name.removeprefix("fmd-") / "debian"
    (work / "DEBIAN").mkdir(parents=True)
    architecture = field(paragraph, "Architecture").replace("any", "amd64")
    depends = re.search(r"^Depends:((?:.*\n )*.*)", paragraph, re.M)
    wanted = [one.strip().replace("${binary:Version}", version) for one in depends[1].split(",")]
    wanted = [one for one in wanted if not one.startswith("${")]
    paragraph = paragraph.replace(depends[0] + "\n", f"Depends: {', '.join(wanted)}\n" if wanted else "")
    paragraph = re.sub(r"^Architecture: .*$", f"Architecture: {architecture}\nVersion: {version}\nMaintainer: nobody <nobody@fmd.invalid>", paragraph, flags=re.M)
    (work / "DEBIAN/control").write_text(paragraph.strip() + "\n", encoding="utf-8")
    for script in ("preinst", "postinst", "prerm", "postrm"):
        # All packages have fmd's preinst (debian/rules).
        source = next((path for path in (TREE / "debian" / f"{'fmd' if script == 'preinst' else name}.{script}", plugin / script) if path.exists()), None)
        if source:
            path = work / "DEBIAN" / script
            path.write_text(source.read_text(encoding="utf-8").replace("#DEBHELPER#", "").replace("#VERSION#", version), encoding="utf-8")
            path.chmod(0o755)
    install = next((path for path in (TREE / "debian" / f"{name}.install", plugin / "install") if path.exists()), None)
    configuration = re.findall(r"^(etc/fmd/\S+\.toml)$", install.read_text(encoding="utf-8"), re.M) if install else []
    for path in configuration:
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        (work / path).write_text(f"# {name} {version}\n", encoding="utf-8")
    if name == "fmd":  # its postinst creates the users
        plugins = (TREE / "plugins/list").read_text(encoding="utf-8").split()
        users = "\n".join((TREE / "plugins" / plugin / "sysusers.conf").read_text(encoding="utf-8").strip() for plugin in plugins)
        template = (TREE / "data/sysusers/fmd.conf.in").read_text(encoding="utf-8")
        (work / "usr/lib/sysusers.d").mkdir(parents=True)
        (work / "usr/lib/sysusers.d/fmd.conf").write_text(template.replace("@plugins@", users), encoding="utf-8")
    (work / "DEBIAN/conffiles").write_text("".join(f"/{path}\n" for path in configuration), encoding="utf-8")
    build(work, to, name, version, architecture)


def main(words):
    if len(words) != 3:
        sys.exit(__doc__.strip())
    folder, to, version = pathlib.Path(words[0]), pathlib.Path(words[1]), words[2]
    to.mkdir(parents=True, exist_ok=True)
    # Symbols are large and nothing depends on them.
    debs = sorted(deb for deb in folder.glob("*.deb") if "-dbgsym_" not in deb.name)
    paragraphs = (TREE / "debian/control").read_text(encoding="utf-8").split("\n\n")[1:]
    for one in debs or paragraphs:
        with tempfile.TemporaryDirectory() as work:
            (repack if debs else stand_in)(one, to, version, pathlib.Path(work, "root"))
    print(f"{len(debs)} packages of {folder}, as version {version}" if debs else f"{len(paragraphs)} stand-ins, as version {version}: no packages in {folder}")


if __name__ == "__main__":
    main(sys.argv[1:])
