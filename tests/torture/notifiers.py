"""The real fmd-mail and fmd-snmp in a campaign, with a mail server, snmpd and snmptrapd that also die; and the fate of each of their
messages."""
import collections
import contextlib
import os

from process import Program, wait_for
from sinks import Mail, Snmp

TOLD = ("diagnosed", "resolved")  # sent once per case
IN_FLIGHT = 4  # messages that a notifier may have unanswered (fmd/notify/outbox.cpp): the maximum that one death can repeat


class Notifiers:
    def __init__(self, daemon, bus, mail, snmp):
        folder = daemon.folder
        self.mail, self.snmp = Mail(folder), Snmp(folder)
        self.programs = {
            "mail": self._program(daemon, "mail", mail, f'server = "smtp://127.0.0.1:{self.mail.port}"\nfrom = "fmd@t.example"\n'
                                  f'to = ["operator@t.example"]\nhost = "t.example"\ntemplates = "{folder}/mail.d"\n'),
            "snmp": self._program(daemon, "snmp", snmp, f'agentx = "unix:{self.snmp.agentx}"\nbus = "unix:path={bus}"\n')}
        self.deaths = collections.Counter()  # of the notifier or its server, by notifier

    @staticmethod
    def _program(daemon, name, path, config):
        def within(*parts):
            return os.path.join(daemon.folder, *parts)
        os.mkdir(within(f"{name}-state"))
        with open(within(f"{name}.toml"), "w", encoding="utf-8") as file:
            file.write(config)
        return Program(f"fmd-{name}", [path, "--socket", daemon.socket, "--config", within(f"{name}.toml")], within(f"{name}-log"),
                       {"STATE_DIRECTORY": within(f"{name}-state"), "SNMP_PERSISTENT_DIR": within(f"{name}-state")})

    def start(self):
        self.mail.start()
        self.snmp.start()
        for program in self.programs.values():
            program.start()

    def stop(self):
        for program in self.programs.values():
            program.kill()
        self.mail.stop()
        self.snmp.stop()

    def kill(self, name):
        self.deaths[name] += 1
        self.programs[name].kill()
        self.programs[name].start()

    def server_dies(self, name):
        self.deaths[name] += 1
        if name == "mail":
            self.mail.program.kill()
        else:
            self.snmp.agent.kill()
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.snmp.agentx)

    def server_is_back(self, name):
        (self.mail.start if name == "mail" else self.snmp.start_agent)()

    # --- the fate of messages --------------------------------------------------

    def told(self):
        """{notifier: {(case, event): {message: how often}}}"""
        found = {"mail": collections.defaultdict(collections.Counter), "snmp": collections.defaultdict(collections.Counter)}
        for mail in self.mail.messages():
            head = mail["headers"]
            found["mail"][head.get("X-FMEV-UUID", ""), head.get("X-FMEV-EVENT", "")][head["Message-ID"]] += 1
        for trap in self.snmp.received():
            objects = trap["oid"].rsplit(".", 2)[0] + ".1."  # FMD-MIB's notifications are below .0, its objects below .1
            values = {oid.split(".")[-2]: value for oid, value in trap["values"].items() if oid.startswith(objects)}
            found["snmp"][values.get("1", ""), values.get("9", "")][values.get("11", "")] += 1
        return found

    def wrong(self, cases):
        """Complaints. cases: those that must have been announced; the caller knows which (notifier, uuid) are still waiting."""
        out = []
        told = self.told()
        for name, messages in told.items():
            again = sum(sum(times.values()) - 1 for times in messages.values())
            out += [f"fmd-{name}: {len(times)} messages say {event} of {uuid}" for (uuid, event), times in messages.items()
                    if event in TOLD and len(times) != 1]
            # A notifier that dies between taking and confirming a message gets it again with the same key, once for each message in
            # progress.
            deaths = self.deaths[name]
            if again > IN_FLIGHT * deaths:
                out.append(f"fmd-{name}: {again} messages came again, for {deaths} deaths")
            out += [f"fmd-{name}: {message} came {count} times, for {deaths} deaths" for times in messages.values()
                    for message, count in times.items() if count > 1 + deaths]
            out += [f"fmd-{name}: not told: {uuid}" for uuid in cases if (uuid, "diagnosed") not in messages]
        return out

    def figures(self):
        return {f"{name} sent": sum(sum(times.values()) for times in messages.values()) for name, messages in self.told().items()}

    def wait_ready(self):
        wait_for(lambda: all(p.running() for p in self.programs.values()), 20, "fmd-mail and fmd-snmp to run")
