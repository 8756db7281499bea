"""Every key of an example configuration is explained in the manual page, and no other.

    keys_test.py MANUAL EXAMPLE.toml
"""
import re
import sys

manual = open(sys.argv[1], encoding="utf-8").read()
example = open(sys.argv[2], encoding="utf-8").read()
keys = set(re.findall(r"^#?(?:  )?([a-z_0-9]+) = ", example, re.M))
sections = set(re.findall(r"^#?\[([a-z]+)\]", example, re.M))
configuration = manual[(re.search(r"^\.Sh CONFIGURATION$", manual, re.M) or re.search(r"^\.Sh DESCRIPTION$", manual, re.M)).start():]
end = configuration.find("\n.Sh ", 1)
explained = set()
for line in re.findall(r"^\.It (?:Va|Sy) (.*)$", configuration[:end if end > 0 else None], re.M):
    explained |= set(re.split(r" No = | No ", line)[0].replace(",", " ").split())
wrong = [f"{sys.argv[1]} does not explain {key}" for key in sorted(keys - explained)]
wrong += [f"{sys.argv[1]} explains {key}, which {sys.argv[2]} has not" for key in sorted(explained - keys)]
wrong += [f"{sys.argv[1]} says nothing of [{section}]" for section in sorted(sections) if f"[{section}]" not in manual]
if not keys or wrong:
    sys.exit("\n".join(wrong) or "no keys found")
print(f"{len(keys)} keys")
