"""The files that pages presuppose: {(page, command): {path: text}}, or a list of these for a command that a page shows several times.
"""

_LOCAL = "/etc/fmd/rules.d/local.toml"
_OVERRIDE = '[[override]]\nrule = "zfs-slow-io"\n{} = 20\n'
_CHASSIS = '''\
# Shelf A
[chassis]
label = "Shelf A"
aplies_to = "shelf"
source = "own map"

# Its name.
[[match]]
ses_product = "fmd test enclosure"

[[view]]
name = "front"
width_mm = 438
height_mm = 88

# Two rows of four bays, from the top left to the bottom right, as
# they are seen from the front; a bay is 102 mm wide and 34 mm high.
# The first bay blinked first.
#
# SLOT 01 to 08 on the labels.
#
[[grid]]
count = 8
label = "SLOT {n:02}"
'''


def _fleet():
    """Forty days of five disks; two of them fail."""
    lines = ["date,serial_number,model,capacity_bytes,failure,smart_5_raw,smart_187_raw,smart_188_raw,smart_197_raw,smart_198_raw,smart_199_raw"]
    for day in range(40):
        pending, last = 8 * (day > 9), int(day == 39)
        values = {"WELL": (0, 0, 0, 0, 0, 0, 0), "OLD": (0, 104, 0, 0, 0, 0, 0), "ONE": (0, 0, 0, 0, pending, pending, 0),
                  "BAD": (last, 0, day // 10, day, 0, 0, 0), "CRC": (last, 0, 0, 0, 0, 0, 2 * day)}
        lines += [f"2019-{1 + day // 28:02}-{1 + day % 28:02},{serial},ST8000NM0055,8001563222016,{','.join(map(str, row))}" for serial, row in values.items()]
    return "\n".join(lines) + "\n"


def files(shown):
    """shown: {page: the TOML files shown on it}."""
    return {
        ("man/fmadm-chassis.8", "fmadm chassis check own-chassis.toml"): {"own-chassis.toml": _CHASSIS},
        ("man/fmadm-rules.8", "fmadm rules check"): [{_LOCAL: _OVERRIDE.format("cuont")}, {_LOCAL: _OVERRIDE.format("count")}],
        ("man/fmadm-rules.8", "fmadm rules show zfs-slow-io"): {_LOCAL: _OVERRIDE.format("count")},
        ("docs/rules.md", "fmadm replay --rules /usr/share/fmd/rules --rules /etc/fmd/rules.d week"): {_LOCAL: _OVERRIDE.format("count")},
        ("docs/rules.md", "fmadm replay --rules /usr/share/fmd/rules --rules /etc/fmd/rules.d --why week"): {_LOCAL: _OVERRIDE.format("count")},
        ("man/fmadm-rules.8", "fmadm rules test --drive-stats fleet.csv"): {"fleet.csv": _fleet()},
        ("man/fmd-rules.5", "fmadm rules show zfs-slow-io"): {_LOCAL: _OVERRIDE.format("count")},
        ("man/fmadm.8", "fmadm config check"): {"/etc/fmd/system.toml": "#\n" * 12 + 'intervall = "1min"\n'},
        ("man/fmd-chassis.5", "fmadm chassis check shelf24.toml"): {"shelf24.toml": shown["man/fmd-chassis.5"][0]},
        ("man/fmd.8", "fmd --check"): [{"/etc/fmd/fmd.toml": "[action]\nmax_retird = 1\n"}, {"/etc/fmd/fmd.toml": "[action]\nmax_retired = 1\n"}],
        ("man/fmd.toml.5", "fmd --check"): {"/etc/fmd/fmd.toml": shown["man/fmd.toml.5"][0]},
        ("plugins/redfish/fmd-redfish.8", "fmadm config check"): {"/etc/fmd/redfish.toml": 'service = "http://bmc.example.org"\n'},
        ("plugins/webhook/fmd-webhook.8", "fmadm config check"): {"/etc/fmd/webhook.toml": 'url = "http://alerts.example.org/fmd"\n'},
    }
