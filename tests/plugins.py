#!/usr/bin/python3
"""Checks that each plugin's folder is complete (docs/dev/plugins.md): it is listed, its files exist, Meson installs its rules and event
classes, the folders of common rules and event classes have links to them, and sysusers.conf and grant.toml name only its own user and group.

plugins.py [TREE]
"""
import pathlib
import re
import sys
import tomllib

SHARED = {"sdk", "http", "hardware", "sample"}  # libraries of several plugins, and the template
NEEDED = ("meson.build", "README.md", "grant.toml", "sysusers.conf", "{0}.toml", "fmd-{0}.8", "fmd-{0}.service.in")


def offences(tree):
    plugins = tree / "plugins"
    listed = (plugins / "list").read_text(encoding="ascii").splitlines()
    if listed != sorted(set(listed)):
        yield "plugins/list: not in order, or with a name twice"
    folders = {path.parent.name for path in plugins.glob("*/meson.build")} - SHARED
    yield from (f"plugins/{name} is not in plugins/list" for name in sorted(folders - set(listed)))
    for name in (*listed, "sample"):
        yield from (f"plugins/{name}/{file.format(name)} is missing" for file in NEEDED if not (plugins / name / file.format(name)).exists())
    yield from linked(tree, listed)
    for name in sorted({*listed, "sample"} & (folders | {"sample"})):
        yield from (f"plugins/{name}/{problem}" for problem in of_plugin(plugins / name, name))


def linked(tree, listed):
    """fmd can be started from the source tree with the two folders of common files, as with the installed ones."""
    for common, own in (("diagnosis-rules", "rules"), ("schemas/events", "events")):
        links = {path: path.resolve() for path in (tree / common).glob("*.toml") if path.is_symlink()}
        files = {path.resolve() for name in listed for path in (tree / "plugins" / name / own).glob("*.toml")}
        for path in sorted(files - set(links.values())):
            target = path.relative_to(tree.resolve())
            up = "/".join([".."] * (common.count("/") + 1))
            yield f"{common} has no link to {target}; make it with: ln -s {up}/{target} {common}/"
        yield from (f"{path.relative_to(tree)} is a link to no file of a listed plugin" for path in sorted(links) if links[path] not in files)


def of_plugin(folder, name):
    own = f"fmd-{name}"
    meson = (folder / "meson.build").read_text(encoding="utf-8")
    for path in sorted([*folder.glob("events/*.toml"), *folder.glob("rules/*.toml")]):
        if f"'{path.relative_to(folder)}'" not in meson:
            yield f"meson.build does not install {path.relative_to(folder)}"
    for line in text_of(folder / "sysusers.conf").splitlines():
        if not re.fullmatch(rf'u {own} - "[^":]+" /var/lib/fmd(-{name})?|g {own} -|m {own} fmd-plugins', line):
            yield f"sysusers.conf: not its own user or group, or a colon in the description: {line}"
    grant = tomllib.loads(text_of(folder / "grant.toml"))
    yield from secrets(folder)
    if (grant.get("user", own), grant.get("group", own)) != (own, own) or not grant.keys() & {"user", "group"}:
        yield f"grant.toml: its user or group is not {own}"


# Configuration keys that name a file with a secret.
SECRET_KEY = re.compile(r'"(?:\w+\.)?((?:password|token|secret|community|(?:auth|privacy)_passphrase)_file)"')


def secrets(folder):
    """read_secret() refuses a file that other users can read; a plugin with such a key must call it and must not open the file itself."""
    sources = {path: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.cpp"))}
    keys = {key for text in sources.values() for key in SECRET_KEY.findall(text)}
    if keys and not any("read_secret(" in text for path, text in sources.items() if path.name == "options.cpp"):
        yield f"options.cpp does not check {', '.join(sorted(keys))} with sdk::read_secret()"
    for path, text in sources.items():
        if re.search(r"(?:ifstream|read_whole)[^;]*(?:password|token|secret|community|passphrase|auth|privacy)_file", text):
            yield f"{path.name} reads a secret without sdk::read_secret()"
    unit = text_of(folder / f"fmd-{folder.name}.service.in")
    if keys and "\nLimitCORE=0\n" not in unit:
        yield f"fmd-{folder.name}.service.in lacks LimitCORE=0, and the plugin has secrets"


def text_of(path):
    return path.read_text(encoding="utf-8") if path.exists() else ""


def main(tree):
    found = list(offences(tree))
    print("\n".join(found) or "all are whole")
    return 1 if found else 0


if __name__ == "__main__":
    if "--help" in sys.argv:
        sys.exit(print(__doc__.strip()))
    sys.exit(main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[1]))
