#!/usr/bin/python3
"""Checks that the golden tests show each shipped rule firing, and each fault that can end by itself ending.

Argument: fmadm. Exceptions are listed in tests/owed of a folder of rules, one per line ("fires RULE",
"ends FAULT"). A listed exception that a test does show is an offence.
"""
import json
import pathlib
import subprocess
import sys
import tomllib

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "simulator"))

import shipped  # noqa: E402  (the path has to be set before)


def what_there_is(folders):
    """"fires RULE" and "ends FAULT" of all rule files."""
    wanted = set()
    for file in (file for folder in folders for file in sorted(folder.glob("*.toml")) if not file.is_symlink()):
        doc = tomllib.loads(file.read_text(encoding="utf-8"))
        wanted |= {f"fires {rule['name']}" for rule in doc.get("rule", ())}
        wanted |= {f"ends {fault['class']}" for fault in doc.get("fault", ()) if fault.get("repair")}
    return wanted


def what_is_shown(tests):
    """The same, from the documents of 'fmadm rules test --json'."""
    return ({f"fires {rule}" for test in tests for rule in test["fired"]}
            | {f"ends {fault}" for test in tests for fault in test["repaired"]})


def unplayed(folders, played):
    """Names of recordings of the plugins and the common rules that no golden test has played. An expectation lists all cases of its
    recording, so an extra case (a false alarm) is a difference."""
    return sorted(path.stem for folder in folders for path in (folder / "tests").glob("*.jsonl") if path.stem not in played)


def offences(wanted, shown, owed):
    out = [f"no golden test shows: {one}" for one in sorted(wanted - shown - owed)]
    out += [f"owed, but shown by a test: {one}" for one in sorted(owed & shown)]
    return out + [f"owed, but no such rule or fault: {one}" for one in sorted(owed - wanted)]


def main():
    fmadm = sys.argv[1]
    folders = [pathlib.Path(folder) for folder in shipped.rule_folders()]
    done = subprocess.run([fmadm, "rules", "test", *folders, *shipped.event_options(), "--json"], stdout=subprocess.PIPE, text=True,
                          check=False)
    failed = [test for test in json.loads(done.stdout or "[]") if test["differences"]]
    for test in failed:
        print(f"{test['test']}: FAILED", *test["differences"], sep="\n  ")
    if done.returncode != 0 and not failed:
        return "the rules cannot be tested, see above"
    if done.returncode != 0:
        return f"{len(failed)} golden tests fail. NAME.jsonl is the recording: 'fmadm replay --why FILE' shows its cases and how they came about"
    lists = [folder / "tests" / "owed" for folder in folders]
    lines = [line for path in lists if path.exists() for line in path.read_text(encoding="utf-8").splitlines()]
    owed = {line for line in lines if line and not line.startswith("#")}
    tests = json.loads(done.stdout)
    found = offences(what_there_is(folders), what_is_shown(tests), owed)
    found += [f"no golden test plays the recording {name}" for name in unplayed(folders, {test["test"] for test in tests})]
    print("\n".join(found) or f"{len(tests)} recordings have the cases that they should have; all but {len(owed)} are shown")
    return 1 if found else 0


if __name__ == "__main__":
    if "--help" in sys.argv:
        sys.exit(print(__doc__.strip()))
    sys.exit(main())
