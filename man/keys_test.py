"""Every key of an example configuration, or of a document's tables, is explained in the manual page, and none that there is not.

    keys_test.py MANUAL EXAMPLE.toml|DOCUMENT.md
"""
import re
import sys

manual = open(sys.argv[1], encoding="utf-8").read()
example = open(sys.argv[2], encoding="utf-8").read()
if sys.argv[2].endswith(".md"):
    chapter = re.search(r"^## Tables and keys$(.*?)^## ", example, re.M | re.S).group(1)
    keys = set(re.findall(r"^\| `([a-z_0-9]+)` \|", chapter, re.M))
    sections = set(re.findall(r"^### `\[+([a-z_]+)\]+`", chapter, re.M))
else:
    keys = set(re.findall(r"^#?(?:  )?([a-z_0-9]+) = ", example, re.M))
    sections = set(re.findall(r"^#?\[([a-z]+)\]", example, re.M))
configuration = manual[(re.search(r"^\.Sh (CONFIGURATION|FILE FORMAT)$", manual, re.M) or re.search(r"^\.Sh DESCRIPTION$", manual, re.M)).start():]
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
