#!/usr/bin/python3
"""Only parts to be replaced now have their fault LED on: Minor faults light none, with a few exceptions."""
import os
import sys
import tomllib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "simulator"))
import shipped  # noqa: E402  (the path has to be set before)

# The LED marks a place rather than a part to replace.
EXCEPTIONS = {
    "upset.fs.zfs.vdev.missing": "an empty bay or a dead disk: where to look",
    "upset.fs.zfs.vdev.pulled": "where the disk belongs",
}


def main():
    wrong, minor = [], set()
    for path in shipped.rule_files():
        with open(path, "rb") as file:
            faults = tomllib.load(file).get("fault", [])
        for fault in faults:
            if fault["severity"] != "Minor":
                continue
            minor.add(fault["class"])
            if fault.get("led", False) and fault["class"] not in EXCEPTIONS:
                wrong.append(f"{os.path.relpath(path, shipped.TREE)}: {fault['class']} is Minor and lights a fault LED")
            if "fault LED is lit" in fault["response"] and not fault.get("led", False):
                wrong.append(f"{os.path.relpath(path, shipped.TREE)}: {fault['class']} promises a fault LED and lights none")
    wrong += [f"{name} is no Minor fault: no exception is needed" for name in sorted(set(EXCEPTIONS) - minor)]
    print("\n".join(wrong) or f"{len(minor)} Minor faults: no light but the exceptions")
    return 1 if wrong or not minor else 0


if __name__ == "__main__":
    if "--help" in sys.argv:
        sys.exit(print(__doc__.strip()))
    sys.exit(main())
