"""How a scenario is declared.

    from scenario import scenario

    @scenario("scrub-only", order=20)
    def scrub_only(rig):
        '''One line that says what is proved.'''
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
    fmd: bool         # begins with fmd running and a pool filled (watch.prepare)
    timeout: int      # seconds; said in the report when exceeded
    full: bool        # only in a full run (--all), or when it is named
    always: bool      # in each share of what is not `full` (--share), too
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
