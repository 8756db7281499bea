"""A pool in a campaign. Only fmd's commands retire its vdevs, add spares and restore them. Also checks that each of these actions has the
right owner."""
from peers import Peer

BROKEN, FINE = "ereport.test.vdev.broken", "sysevent.test.vdev.fine"
EVENTS = "".join(f'[class."{name}"]\ndescription = "of a campaign\'s vdev"\n' for name in (BROKEN, FINE))
RULES = f"""[[rule]]
name = "test-vdev-broken"
kind = "immediate"
events = ["{BROKEN}"]
fault = "fault.test.vdev.broken"
[[fault]]
class = "fault.test.vdev.broken"
dictionary = "TEST"
number = 900
severity = "Major"
title = "Vdev is broken"
description = "The vdev is broken."
response = "It is taken out of service."
impact = "None."
action = "Replace it."
[fault.fru]
follow = "redundancy"
scheme = "dev"
[fault.retire]
first = "out-of-service"
spare = true
[fault.repair]
on = ["{FINE}"]
"""


class Pool(Peer):
    """Vdevs and answers outlive the connection, like a pool's labels and fmd-zfs' file."""

    def __init__(self, path, chance):
        super().__init__(path, "zfs", handles=["zfs://"], commands=["retire", "restore", "spare_in", "spare_out"])
        self.chance, self.vdevs, self.answers, self.dirty, self.asked = chance, {}, {}, True, 0
        self.disks, self.dies = {}, 0.0

    def put(self, vdev, disk):
        self.disks[vdev] = disk
        self.vdevs[vdev] = {"service": "in-service", "spare": "none"}
        self.dirty = True

    def welcome(self, _):
        self.dirty = True

    def act(self):
        commands, self.plugin.commands[:] = list(self.plugin.commands), []
        answers = [(command, self.obey(command["params"])) for command in commands]
        if self.dirty:  # report changes before the answer
            self.dirty = False
            self.plugin.request("inventory", {"complete": True, "gone": [], "resources": [
                {"fmri": fmri, "type": "zfs-vdev", "properties": {"name": fmri[-4:], "pool": "t", "spares_available": 9, "losses_left": 9, **about},
                 "edges": [{"relation": "redundancy", "to": self.disks[fmri]}]}
                for fmri, about in self.vdevs.items()]})
        for command, (status, reason) in answers:
            if self.chance.random() < self.dies:
                return self.drop()  # executed, but fmd does not get the answer
            self.plugin.reply(command, status, reason)

    def obey(self, params):
        key = params["key"]
        if key not in self.answers:
            self.asked += 1
            self.answers[key] = self.do(params["name"], params["args"], self.vdevs[params["resource"]], key)
        return self.answers[key]

    def do(self, name, args, vdev, key):
        self.dirty = True
        if name == "retire" and vdev["service"] != args["to"]:
            vdev.update(service=args["to"], retired_by=key)
        elif name == "spare_in" and vdev["spare"] == "none":
            vdev.update(spare="active", spare_by="zfs://pool=t/vdev=spare", spare_key=key)
        elif name == "restore":
            if vdev.get("retired_by") != args["key"]:
                return "refused", "not fmd's doing"
            del vdev["retired_by"]
            vdev["service"] = "in-service"
        elif name == "spare_out":
            if vdev.get("spare_key") != args["key"]:
                return "refused", "not fmd's doing"
            del vdev["spare_key"], vdev["spare_by"]
            vdev["spare"] = "none"
        return "done", ""

    # --- consistency check ----------------------------------------------------

    def wrong(self, cases, interventions):
        """Vdevs whose state differs from what the cases require, and actions with no owner or the wrong one."""
        owned = {(row["kind"], row["part"]): row for row in interventions.values()}
        out = []
        for fmri, vdev in self.vdevs.items():
            open_cases = {c["uuid"] for c in cases.get(fmri, ()) if c["state"] not in ("RESOLVED", "REPAIRED")}
            wished = ("out-of-service", "active") if open_cases else ("in-service", "none")
            if (vdev["service"], vdev["spare"]) != wished:
                out.append(f"{fmri} is {vdev['service']}, spare {vdev['spare']}; wished: {wished}")
            for kind, key in (("retire", vdev.get("retired_by")), ("spare", vdev.get("spare_key"))):
                row = owned.get((kind, fmri))
                if bool(row) != bool(key):
                    out.append(f"{fmri}: {kind} {'is in force' if key else 'is not in force'}, and its row is {row}")
                elif row and (row["key"] != key or row["state"] != "in-force" or row.get("case") not in open_cases):
                    out.append(f"{fmri}: {kind} {key} is not that of {row}")
        return out
