#!/usr/bin/python3
"""Checks docs/security.md and docs/privileges.md against the tree: processes against the units, limits against the sources, owners of
devices, polkit actions against the policy and the bus, grants against grant.toml and units, the D-Bus policy against its file.

security.py [TREE]
"""
import pathlib
import re
import sys
import tomllib

ALWAYS_ASKED = ("retire", "replace")


def settings(unit):
    """Name -> values of a unit's lines, without included files."""
    found = {}
    for line in unit.splitlines():
        if match := re.match(r"(\w+)=(.*)", line):
            found.setdefault(match[1], []).append(match[2])
    return found


def units(tree, document):
    rows = {name: (user, may) for name, user, may in re.findall(r"^\| (fmd[\w-]*) \| ([^|]+) \| ([^|]+) \|$", document, re.M)}
    files = {"fmd": tree / "data/systemd/fmd.service.in"}
    for name in (tree / "plugins/list").read_text(encoding="ascii").split():
        files[f"fmd-{name}"] = tree / f"plugins/{name}/fmd-{name}.service.in"
    yield from (f"{name} is in plugins/list: add its row to the table of processes in docs/security.md" for name in sorted(files.keys() - rows.keys()))
    yield from (f"{name} is in the table of processes in docs/security.md, and not in plugins/list" for name in sorted(rows.keys() - files.keys()))
    for name in sorted(rows.keys() & files.keys()):
        user, may = rows[name]
        unit = settings(files[name].read_text(encoding="utf-8"))
        capabilities = " and ".join(unit.get("CapabilityBoundingSet", ["every capability"])[-1].split())
        is_user = unit.get("User", ["root"])[-1]
        says = user.replace(", no capability", "")
        expected = f"{is_user}, {capabilities}" if capabilities else is_user
        if says != expected:
            yield f"{name}: docs/security.md says '{user}', the unit '{expected}'"
        has_network = any("AF_INET" in value for value in unit.get("RestrictAddressFamilies", ["AF_INET"]))
        if has_network != bool(re.search(r"(?<!no )\bnetwork\b", may)):
            yield f"{name}: docs/security.md and the unit differ on the network"
        if has_network and is_user == "root":
            yield f"{name}: root with a network"
        if ("SMBIOS" in may) != (name == "fmd-system" or "fmd-smbios" in unit.get("SupplementaryGroups", [])):
            yield f"{name}: docs/security.md and the unit differ on the SMBIOS table"


def grants(tree, document):
    """What a compromised plugin may do, cell by cell: nothing is granted that the document does not list."""
    table = document.partition("| plugin | devices and writable paths |")[2].partition("\n\n")[0]
    rows = {name: [set(re.findall(r"`([^`]+)`", cell)) for cell in cells.split("|")]
            for name, cells in re.findall(r"^\| (\w+) \| (.*) \|$", table, re.M)}
    for name in (tree / "plugins/list").read_text(encoding="ascii").split():
        grant = tomllib.loads((tree / f"plugins/{name}/grant.toml").read_text(encoding="utf-8"))
        unit = settings((tree / f"plugins/{name}/fmd-{name}.service.in").read_text(encoding="utf-8"))
        outbox = [f"outbox:{name}"] if grant.get("notifier") else []
        true = {"devices and paths": [one for key in ("DeviceAllow", "ReadWritePaths", "BindPaths") for one in unit.get(key, [])],
                "describes": grant.get("describes", []), "commands": grant.get("handles", []) + outbox, "reports": grant.get("observes", [])}
        for (what, values), listed in zip(true.items(), rows.pop(name, [set()] * len(true))):
            if listed != set(values):
                yield f"{name}: {what}: only in one of docs/privileges.md's table and tree: {', '.join(sorted(listed ^ set(values)))}"
    yield from (f"{name} has no grant" for name in rows)


def abstract_sockets(tree, document):
    """Abstract sockets belong to a network namespace: which of root's plugins are in the host's."""
    private, _, shared = document.partition("Abstract Unix sockets")[2].partition("\n\n")[0].partition(" need the")[0].partition("reach none.")
    for name in (tree / "plugins/list").read_text(encoding="ascii").split():
        text = (tree / f"plugins/{name}/fmd-{name}.service.in").read_text(encoding="utf-8")
        if "@root-plugin@" not in text:
            continue
        own = settings(text).get("PrivateNetwork") == ["yes"]
        if not re.search(rf"\bfmd-{name}\b", private if own else shared):
            yield f"{name}: docs/privileges.md and the unit differ on abstract sockets"


def dbus(tree, document):
    policy = (tree / "data/dbus/org.fmd.FaultManager1.conf").read_text(encoding="utf-8")
    paragraph = document.partition("The D-Bus policy lets")[2].partition("\n\n")[0]
    listed = re.findall(r"`([^`]+)`", paragraph)
    name, peer = "org.fmd.FaultManager1", "org.freedesktop.DBus.Peer"
    own = {f'own="{name}"', f'send_interface="{peer}" send_member="Ping"'}
    expected = {'context="default"': {f'send_destination="{name}" send_interface="{one}"' for one in listed[5:]} | {f'receive_sender="{name}"'}}
    expected |= {f'user="{user}"': own for user in listed[:2]}
    found = {who: set(re.findall(r"<allow ([^>]+)/>", body)) for who, body in re.findall(r"<policy ([^>]+)>(.*?)</policy>", policy, re.S)}
    for who in sorted(expected.keys() | found.keys()):
        more = expected.get(who, set()) ^ found.get(who, set())
        yield from (f"D-Bus policy of {who}: only in one of document and policy: {one}" for one in sorted(more))


def limits(tree, document):
    """Compares the numbers in the section on limits with the sources."""
    for words, path, code in (
            ("16 MiB, and the command's deadline", "plugins/sdk/host.h", ("command = 16 << 20",)),
            ("128 MiB", "plugins/sdk/host.h", ("all = 128 << 20",)),
            ("lines of 1 MiB", "fmd/protocol/lines.h", ("kMaxLine = 1 << 20",)),
            ("16 KiB per text", "plugins/sdk/internal/line_bounds.h", ("kLongestText = 16 << 10",)),
            ("12 levels, 100000 values", "plugins/smart/document.cpp", ("kLimits{12, 100'000}",)),
            ("64 levels, 2000000 values", "plugins/zfs/zpool_json.cpp", ("kLimits{64, 2'000'000}",)),
            ("32 MiB, 500000 JSON values", "plugins/redfish/budget.h", ("kLookBytes = 32 << 20", "kLookValues = 500'000")),
            ("per document 8 MiB and 64 levels", "plugins/redfish/budget.h", ("kDocumentBytes = 8 << 20", "kNesting = 64")),
            ("2000 documents", "plugins/redfish/crawl.h", ("kMostDocuments = 2000",)),
            ("no compression", "plugins/redfish/client.cpp", ("Accept-Encoding: identity",)),
            ("4096; 1000 bytes per text", "plugins/redfish/parts.h", ("kMostParts = 4096",)),
            ("4096; 1000 bytes per text", "plugins/redfish/documents.h", ("kLongestText = 1000",)),
            ("ever had, kept on disk | 10000", "plugins/hardware/fmri_memory.h", ("kMost = 10'000",)),
            ("8000 entries", "plugins/redfish/log.cpp", ("kMostKnown = 8000",)),
            ("1 MiB per event", "plugins/redfish/event_stream.h", ("kLongest = 1 << 20",)),
            ("4 MiB a minute", "plugins/redfish/listener.cpp", ("kMostPerMinute = 4 << 20",)),
            ("4 MiB, 4096 sensors", "plugins/ipmi/sdr.h", ("kMostSensors = 4096",)),
            ("4 MiB, 4096 sensors", "plugins/ipmi/bmc.cpp", ("kLargestDump = 4 << 20",)),
            ("256 part memories", "plugins/ipmi/fru_text.cpp", ("kLastFru = 0xFF",)),
            ("60 s or 2000 events", "plugins/ipmi/ipmi_plugin.cpp", ("kLogAtOnce{60}", "kEventsAtOnce = 2000")),
            ("1 MiB each", "plugins/sdk/host.cpp", ("kMaxFile = 1 << 20",)),
            ("8 KiB; reading stops above 8000", "plugins/sdk/kernel_lines.cpp", ("kLongestLine = 8192",)),
            ("8 KiB; reading stops above 8000", "plugins/disk/disk_plugin.cpp", ("kMostUnacked = 8000",)),
            ("first 200 bytes", "plugins/http/http_post.cpp", ("kAnswerKept = 200",)),
            ("1000 refusals, 10000 acceptances", "plugins/mail/dialogue.cpp", ("kMostRefusals = 1000", "kMostAccepted = 10'000"))):
        text = (tree / path).read_text(encoding="utf-8")
        yield from (f"docs/privileges.md lacks '{words}'" for _ in range(words not in document))
        yield from (f"{path} has no '{one}' for '{words}'" for one in code if one not in text)
    table = document.partition("| input | limit | test |\n")[2].partition("\n\n")[0]
    tests = "\n".join(path.read_text(encoding="utf-8") for path in sorted(tree.glob("plugins/*/tests/*_test.*")))
    if not table:
        yield "docs/privileges.md has no table of limits and tests"
    for row in table.splitlines()[1:]:
        name = re.search(r"\| `(\w+)\.(\w+)` \|$", row)
        if not name or not re.search(rf"TEST(_F|_P)?\({name[1]}, {name[2]}\)|class {name[1]}\(.*?def {name[2]}\(", tests, re.S):
            yield f"no test holds this row: {row}"
    for path in tree.glob("plugins/*/*.cpp"):
        if re.search(r"CURLOPT_(ACCEPT|TRANSFER)_ENCODING", path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(tree)} asks for compression"


def secrets(tree, _document):
    """Files with passwords are read only by read_secret(), which refuses files that others can read; a plugin's configuration check also
    refuses them."""
    name = r"[\w.]*(?:password|passphrase|token|secret|community)\w*_file"
    for folder in sorted(path for path in tree.glob("plugins/*") if path.name != "sdk"):
        sources = {path: path.read_text(encoding="utf-8") for path in folder.glob("*.cpp")}
        for path, text in sources.items():
            for line in text.splitlines():
                if re.search(rf"(ifstream|fopen|::open|read_file)\b.*\b{name}\b", line):
                    yield f"{path.relative_to(tree)} reads a file with a password by itself: {line.strip()}"
        options = sources.get(folder / "options.cpp", "")
        if re.search(rf'"{name}"', "".join(sources.values())) and "sdk::read_secret(" not in options:
            yield f"plugins/{folder.name}/options.cpp takes a file with a password that others can read"


def devices(tree, _document):
    """The owners of the BMC's device and of the SMBIOS table, which the units rely on because they have no capabilities."""
    for path, line in (("plugins/ipmi/70-fmd-ipmi.rules", 'SUBSYSTEM=="ipmi", KERNEL=="ipmi[0-9]*", GROUP="fmd-ipmi", MODE="0660"'),
                       ("data/tmpfiles/fmd.conf", "z- /sys/firmware/dmi/tables/DMI 0440 root fmd-smbios -"),
                       ("data/tmpfiles/fmd.conf", "d /run/fmd 0755 fmd fmd -"),
                       ("data/tmpfiles/fmd.conf", "d /run/mdadm - - - -"),  # bind-mounted by fmd-volumes even before the first array
                       ("plugins/ipmi/fmd-ipmi-lan.conf", "LoadCredential=password:/etc/fmd/ipmi.password")):
        if line not in (tree / path).read_text(encoding="utf-8").splitlines():
            yield f"{path} lacks: {line}"


def polkit(tree, document):
    policy = (tree / "data/polkit/org.fmd.faultmanager1.policy").read_text(encoding="utf-8")
    defaults = {name: set(re.findall(r"<allow_\w+>(\w+)<", body))
                for name, body in re.findall(r'<action id="org\.fmd\.faultmanager1\.(\w+)">(.*?)</action>', policy, re.S)}
    table = document.partition("| action `org.fmd.faultmanager1.` |")[2].partition("\n\n")[0]
    named = set(re.findall(r"`(\w+)`", "\n".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| `"))))
    if named != defaults.keys():
        yield f"polkit: only in one of docs/security.md's table and the policy: {', '.join(sorted(named ^ defaults.keys()))}"
    for name, values in sorted(defaults.items()):
        expected = {"auth_admin"} if name in ALWAYS_ASKED else {"auth_admin_keep"}
        if values != expected:
            yield f"polkit: {name} is {', '.join(sorted(values))}, not {', '.join(expected)}"
    bus = (tree / "fmd/bus/manager.cpp").read_text(encoding="utf-8")
    for name in ALWAYS_ASKED:
        call = bus.partition(f'"org.fmd.faultmanager1.{name}"')[2].partition("\nint ")[0]
        if "polkit.message" not in call or "$(part)" not in call:
            yield f"polkit: the question of {name} does not name the part"


def offences(tree):
    document = "\n".join((tree / f"docs/{name}.md").read_text(encoding="utf-8") for name in ("security", "privileges"))
    for check in (units, grants, abstract_sockets, dbus, limits, secrets, devices, polkit):
        yield from check(tree, document)


def main(tree):
    found = list(offences(tree))
    print("\n".join(found) or "docs/security.md and docs/privileges.md are true")
    return 1 if found else 0


if __name__ == "__main__":
    if "--help" in sys.argv:
        sys.exit(print(__doc__.strip()))
    sys.exit(main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[1]))
