"""A device as LibreNMS discovers it: the walks of its modules entity-physical, sensors (entity-sensor) and entity-state, and how they
interpret the results. Reimplemented from their behaviour (https://github.com/librenms/librenms, includes/discovery)."""
import re

PHYSICAL, SENSOR, STATE = ".1.3.6.1.2.1.47.1.1.1.1", ".1.3.6.1.2.1.99.1.1.1", ".1.3.6.1.2.1.131.1.1.1"
PHYSICAL_COLUMNS = {2: "descr", 3: "vendor_type", 4: "contained_in", 5: "class", 6: "position", 7: "name", 8: "hardware", 9: "firmware",
                    10: "software", 11: "serial", 12: "maker", 13: "model", 14: "alias", 15: "asset", 16: "fru", 18: "uris"}
# EntitySensorDataType → class of sensor; other types are skipped.
CLASSES = {3: "voltage", 4: "voltage", 5: "current", 6: "power", 7: "freq", 8: "temperature", 9: "humidity", 10: "fanspeed"}
SCALES = {6: 1e-9, 7: 1e-6, 8: 1e-3, 9: 1, 10: 1e3, 11: 1e6, 12: 1e9}
UNAVAILABLE = 2


class Found:
    def __init__(self):
        self.parts, self.sensors, self.states = {}, {}, {}  # by entPhysicalIndex


def by_index(walk, table, columns):
    rows = {}
    for column, name in columns.items():
        for index, value in walk(f"{table}.{column}").items():
            rows.setdefault(int(index), {})[name] = value
    return rows


def discover(walk):
    """walk(oid) returns {rest: value}."""
    found = Found()
    found.parts = by_index(walk, PHYSICAL, PHYSICAL_COLUMNS)
    for row in found.parts.values():
        for name in ("contained_in", "class", "position", "fru"):
            row[name] = int(row[name])
    # LibreNMS ignores sensors and states if there are no parts.
    if not found.parts:
        return found
    sensors = by_index(walk, SENSOR, {1: "type", 2: "scale", 3: "precision", 4: "value", 5: "status"})
    for index, row in sensors.items():
        row = {name: int(value) for name, value in row.items()}
        if row["type"] not in CLASSES or index not in found.parts:
            continue
        current = round(row["value"] * SCALES[row["scale"]] / 10 ** max(row["precision"], 0), 9)
        descr = " ".join(word[:1].upper() + word[1:] for word in (found.parts[index]["name"] or found.parts[index]["descr"]).split(" "))
        if CLASSES[row["type"]] == "temperature":
            descr = re.sub(r"[Tt]emperatures?", "", descr).strip()
        valid = descr and row["status"] != UNAVAILABLE and current != -127 and not (CLASSES[row["type"]] == "temperature" and current > 200)
        if valid:
            found.sensors[index] = {"class": CLASSES[row["type"]], "current": current, "descr": descr}
    for index, row in by_index(walk, STATE, {1: "changed", 2: "admin", 3: "oper", 4: "usage", 5: "alarm", 6: "standby"}).items():
        if index in found.parts:
            row["alarm"] = int(row["alarm"].split()[0], 16)
            found.states[index] = row
    return found
