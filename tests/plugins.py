#!/usr/bin/python3
"""Whether each plugin's folder is whole (docs/dev/plugins.md): it is listed, its files are there, Meson installs its rules and event classes,
and its users and its grant are its own.

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
    for name in sorted({*listed, "sample"} & (folders | {"sample"})):
        yield from (f"plugins/{name}/{problem}" for problem in of_plugin(plugins / name, name))


def of_plugin(folder, name):
    own = f"fmd-{name}"
    meson = (folder / "meson.build").read_text(encoding="utf-8")
    for path in sorted([*folder.glob("events/*.toml"), *folder.glob("rules/*.toml")]):
        if f"'{path.relative_to(folder)}'" not in meson:
            yield f"meson.build does not install {path.relative_to(folder)}"
    for line in text_of(folder / "sysusers.conf").splitlines():
        if not re.fullmatch(rf'u {own} - "[^"]+" /var/lib/fmd(-{name})?|g {own} -|m {own} fmd-plugins', line):
            yield f"sysusers.conf: not its own user or group: {line}"
    grant = tomllib.loads(text_of(folder / "grant.toml"))
    if (grant.get("user", own), grant.get("group", own)) != (own, own) or not grant.keys() & {"user", "group"}:
        yield f"grant.toml: its user or group is not {own}"


def text_of(path):
    return path.read_text(encoding="utf-8") if path.exists() else ""


def main(tree):
    found = list(offences(tree))
    print("\n".join(found) or "all are whole")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[1]))
