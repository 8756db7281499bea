"""smartctl's output for each disk: the documents simulator/smart/*.json with the disk's own names, one file per disk in sim/smart/,
which bin/smartctl prints. KEY.json is the document, KEY.mode the way of answering, and by-name/NAME leads from a device's name to both:
the document belongs to the disk and moves with it from bay to bay."""
import functools
import json
import os

FOLDER = "sim/smart"
TEMPLATES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "smart")
KINDS = ("scsi", "sata", "nvme")
MODES = ("hang", "standby", "slow")  # slow=SECONDS
FAILING = 8  # smartctl(8), EXIT STATUS: bit 3, the disk reports that it is failing
SCSI_LOG = "scsi_error_counter_log"
NVME_LOG = "nvme_smart_health_information_log"

# Settable values, by kind: their path in the document; for SATA also the number of the attribute.
PLACES = {
    "scsi": {"reallocated": ("scsi_grown_defect_list",), "pending": ("scsi_pending_defects", "count"),
             "uncorrectable": (SCSI_LOG, "read", "total_uncorrected_errors"),
             "write_uncorrectable": (SCSI_LOG, "write", "total_uncorrected_errors"),
             "verify_uncorrectable": (SCSI_LOG, "verify", "total_uncorrected_errors"),
             "temperature": ("temperature", "current"), "temperature_limit": ("temperature", "drive_trip"),
             "hours": ("power_on_time", "hours"), "wear": ("scsi_percentage_used_endurance_indicator",)},
    "sata": {"reallocated": 5, "uncorrectable": 198, "reported_uncorrectable": 187, "pending": 197, "crc": 199,
             "temperature": ("temperature", "current"), "hours": ("power_on_time", "hours")},
    "nvme": {"critical_warning": (NVME_LOG, "critical_warning"), "media_errors": (NVME_LOG, "media_errors"),
             "wear": (NVME_LOG, "percentage_used"), "spare": (NVME_LOG, "available_spare"),
             "temperature": ("temperature", "current"), "hours": ("power_on_time", "hours")},
}


def read_json(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        raise SystemExit(f"fmsim: there is no {path}") from None


def write_json(path, document):
    """Writes the file atomically, since it may be read at the same time."""
    _replace(path, json.dumps(document, indent=1) + "\n")


def _replace(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    os.replace(path + ".new", path)


@functools.lru_cache(maxsize=None)
def _template(kind):
    with open(os.path.join(TEMPLATES, f"{kind}.json"), encoding="utf-8") as file:
        return file.read()


def _path(folder, name):
    return os.path.join(folder, FOLDER, name)


def install(folder, key, kind, serial, names, *, vendor, model, revision, size, wwn):
    """A healthy disk's document, and the names by which it is found."""
    document = json.loads(_template(kind))
    document["serial_number"] = serial
    document["user_capacity"] = {"blocks": size // 512, "bytes": size}
    if kind == "scsi":
        document.update(scsi_vendor=vendor, scsi_product=model, scsi_model_name=f"{vendor} {model}", scsi_revision=revision)
        document.pop("logical_unit_id", None)
        if wwn:
            document["logical_unit_id"] = f"0x{wwn}"
    else:
        document.update(model_name=model, firmware_version=revision)
        if kind == "sata" and wwn:
            document["wwn"] = {"naa": int(wwn[0], 16), "oui": int(wwn[1:7], 16), "id": int(wwn[7:], 16)}
    write_json(_path(folder, f"{key}.json"), document)
    _replace(_path(folder, f"{key}.mode"), "ok 0\n")
    for name in names:
        name_it(folder, key, name)


def name_it(folder, key, name):
    """Assigns the device name ("sdb") to the disk."""
    forget_name(folder, name)
    os.makedirs(_path(folder, "by-name"), exist_ok=True)
    for ending in ("json", "mode"):
        os.symlink(f"../{key}.{ending}", _path(folder, f"by-name/{name}.{ending}"))


def forget_name(folder, name):
    """Removes a device name."""
    for ending in ("json", "mode"):
        if os.path.islink(_path(folder, f"by-name/{name}.{ending}")):
            os.unlink(_path(folder, f"by-name/{name}.{ending}"))


def kind_of(document):
    return {"NVMe": "nvme", "ATA": "sata"}.get(document["device"]["protocol"], "scsi")


def change(folder, key, changes):
    """Changes smartctl's output. changes: [(name, value)], names as in PLACES, health=failed|ok, attr.NUMBER for SATA, and the way of
    answering: hang=on|off, standby=on|off, slow=SECONDS (0: immediately)."""
    document = read_json(_path(folder, f"{key}.json"))
    with open(_path(folder, f"{key}.mode"), encoding="utf-8") as file:
        mode = file.read().split()[0]
    for name, value in ((name, str(value)) for name, value in changes):
        if name in MODES:
            mode = _mode(name, value)
        elif name == "health":
            _set_health(document, value)
        else:
            _set(document, name, value)
    write_json(_path(folder, f"{key}.json"), document)
    _replace(_path(folder, f"{key}.mode"), f"{mode} {document['smartctl']['exit_status']}\n")


def _mode(name, value):
    if name == "slow":
        try:
            return f"slow:{float(value):g}" if float(value) else "ok"
        except ValueError:
            raise SystemExit(f"fmsim: slow is a number of seconds, not '{value}'") from None
    if value not in ("on", "off"):
        raise SystemExit(f"fmsim: {name} is on or off, not '{value}'")
    return name if value == "on" else "ok"


def _set(document, name, value):
    kind = kind_of(document)
    is_attribute = kind == "sata" and name.startswith("attr.") and name[5:].isdecimal()
    place = int(name[5:]) if is_attribute else PLACES[kind].get(name)
    if place is None:
        known = ", ".join(sorted(PLACES[kind]) + ["health", *MODES])
        raise SystemExit(f"fmsim: a {kind} disk has no '{name}'; it has {known}")
    if not value.isdecimal():
        raise SystemExit(f"fmsim: {name} is a number, not '{value}'")
    number = int(value)
    if isinstance(place, int):
        return _attribute(document, place, number)
    *folders, last = place
    at = document
    for step in folders:
        at = at.setdefault(step, {})
    at[last] = number
    if kind == "nvme" and name == "temperature":
        document[NVME_LOG]["temperature"] = number
    if name == "critical_warning":
        _set_health(document, "failed" if number else "ok")


def _attribute(document, number, raw):
    table = document["ata_smart_attributes"]["table"]
    found = next((row for row in table if row["id"] == number), None)
    if not found:
        # Add a plain counter.
        found = dict(table[0], id=number, name={187: "Reported_Uncorrect", 197: "Current_Pending_Sector",
                                                198: "Offline_Uncorrectable", 199: "UDMA_CRC_Error_Count"}.get(number, "Unknown"),
                     value=100, worst=100, thresh=0)
        table.append(found)
        table.sort(key=lambda row: row["id"])
    found["raw"] = {"value": raw, "string": str(raw)}


def _set_health(document, value):
    if value not in ("failed", "ok"):
        raise SystemExit(f"fmsim: health is failed or ok, not '{value}'")
    failed = value == "failed"
    document["smart_status"]["passed"] = not failed
    document["smartctl"]["exit_status"] = FAILING if failed else 0
    if kind_of(document) == "scsi":
        document["smart_status"].pop("scsi", None)
        if failed:
            document["smart_status"]["scsi"] = {
                "asc": 0x5d, "ascq": 0x10, "ie_string": "HARDWARE IMPENDING FAILURE GENERAL HARD DRIVE FAILURE [asc=5d, ascq=10]"}
    elif kind_of(document) == "nvme":
        document["smart_status"].setdefault("nvme", {})["value"] = document[NVME_LOG]["critical_warning"]
