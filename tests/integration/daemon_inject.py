#!/usr/bin/python3
"""A script of ten lines can report an event."""
import subprocess
import sys

from daemon_case import DaemonCase, disk, main
from process import patience

SCRIPT = """
import json, socket, sys, time
core = socket.socket(socket.AF_UNIX); core.connect(sys.argv[1]); lines = core.makefile("rw")
def ask(number, method, params):
    lines.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\\n"); lines.flush()
    return json.loads(lines.readline())["result"]
ask(1, "hello", {"name": "my-script", "protocol": 1, "observes": ["ereport.test.*"], "transient": True})
event = {"class": sys.argv[2], "resource": sys.argv[3], "time": time.time_ns(), "payload": {}}
print(ask(2, "events", {"events": [event]})["rejected"] or "accepted")
"""


class Inject(DaemonCase):
    def run_script(self, event_class, resource):
        return subprocess.run([sys.executable, "-c", SCRIPT, self.daemon.socket, event_class, resource], text=True,
                              capture_output=True, timeout=patience(), check=True).stdout

    def test_ten_line_script(self):
        self.assertLessEqual(len(SCRIPT.strip().splitlines()), 10)
        self.assertEqual(self.run_script("ereport.test.disk.broken", disk(1)), "accepted\n")
        self.assertIn("ereport.test.disk.brokn", self.run_script("ereport.test.disk.brokn", disk(1)))
        cases = self.cases()
        self.assertEqual([c["suspects"][0]["resource"] for c in cases], [disk(1)])


if __name__ == "__main__":
    main()
