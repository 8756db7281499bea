"""fmd's MIB modules, read with net-snmp's and libsmi's tools; the folder mibs has stubs of the standard modules that they need."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
MODULES = ("FMD-MIB", "FMD-STATUS-MIB")
FOLDERS = (os.path.join(HERE, "mibs"), os.path.join(TREE, "schemas"), "/usr/share/snmp/mibs")

sys.path.insert(0, os.path.join(TREE, "plugins", "snmp"))
from mib_root import root  # noqa: E402


def base():
    """fmdMIB as in the module, ".1.3.6…"."""
    with open(os.path.join(TREE, "schemas", "FMD-MIB.txt"), encoding="ascii") as file:
        return "." + ".".join(map(str, root(file.read())))


def environment(state):
    """For net-snmp's tools: only our modules, without this machine's configuration."""
    # The first net-snmp tool on a machine creates a directory for its indexes, and prints a message about it.
    os.makedirs(os.path.join(state, "cert_indexes"), exist_ok=True)
    return {**os.environ, "SNMP_PERSISTENT_DIR": state, "MIBDIRS": ":".join(FOLDERS), "MIBS": ":".join(MODULES)}


def translate(*arguments):
    """The output of snmptranslate; messages on stderr are failures."""
    with tempfile.TemporaryDirectory() as state:
        ran = subprocess.run(["snmptranslate", "-Pw", *arguments], capture_output=True, text=True, timeout=120, check=True,
                             env=environment(state))
    complaints = [line for line in ran.stderr.splitlines() if "parsed and ignored" not in line]
    if complaints:
        raise AssertionError("\n".join(complaints))
    return ran.stdout.strip()



def walk(address, oid, state):
    """{rest of the OID: value} of a subtree, by snmpbulkwalk: texts as they are, enumerations as numbers, ENTITY-STATE-MIB in hex."""
    form = "-OnqeUx" if oid.startswith(".1.3.6.1.2.1.131.") else "-OnqeU"
    ran = subprocess.run(["snmpbulkwalk", "-v2c", "-c", "public", "-t", "60", form, address, oid], capture_output=True, timeout=300, check=True,
                         env=environment(state))
    found = {}
    for line in ran.stdout.decode("utf-8", "surrogateescape").splitlines():
        name, _, value = line.partition(" ")
        if name.startswith(oid + "."):
            found[name[len(oid) + 1:]] = value.strip().strip('"').strip()
    return found
