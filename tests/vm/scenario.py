"""How a scenario is declared.

    from scenario import scenario

    @scenario("scrub-only", order=20)
    def scrub_only(rig):
        '''One line about what this scenario proves.'''
        rig.pool.create()
        ...
"""

import importlib.util
import os
from dataclasses import dataclass

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scenarios")


@dataclass
class Scenario:
    name: str
    order: int
    run: object
    fmd: bool         # begins with fmd running and a filled pool (watch.prepare)
    timeout: int      # seconds
    full: bool        # runs only with --all or by name
    always: bool      # is part of every --share
    about: str


_found = []


def scenario(name, order, fmd=True, timeout=600, full=False, always=False):
    """Declares a scenario; see class Scenario for what the arguments mean."""
    def declare(function):
        about = (function.__doc__ or "").strip().splitlines()
        _found.append(Scenario(name, order, function, fmd, timeout, full, always, about[0] if about else ""))
        return function
    return declare


def load():
    """All scenarios, in order."""
    for file in sorted(os.listdir(FOLDER)):
        if file.endswith(".py") and not file.startswith("_"):
            spec = importlib.util.spec_from_file_location("scenario_" + file[:-3], os.path.join(FOLDER, file))
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
    names = [s.name for s in _found]
    twice = {n for n in names if names.count(n) > 1}
    if twice:
        raise SystemExit(f"scenario declared twice: {', '.join(sorted(twice))}")
    return sorted(_found, key=lambda s: (s.order, s.name))
