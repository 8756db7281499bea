#!/usr/bin/python3
"""Compares schemas/events/resources.toml, the types and properties that rules may name, with schemas/resources.md, which explains them:
both must have the same names.

words.py [TREE]
"""
import pathlib
import re
import sys
import tomllib

NO_PROPERTIES = {"replaced_by", "spare_in", "fmd.service", "fmd.target"}  # commands, units, protocol keywords


def described(text):
    """The types of the page's table, and all its inline code."""
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| `")]
    types = {name for row in rows for name in re.findall(r"`([a-z-]+)`", row[0])}
    words = set(re.findall(r"`([^`]*)`", text))
    # "`smart.reallocated`, `.pending`", "`io_n`/`_t`", "both with `_max`": a suffix abbreviates a whole name.
    return types, words, {word for word in words if word.startswith((".", "_"))}


def is_described(name, words, endings):
    if name in words:
        return True
    if name.endswith(".*"):
        return any(word.startswith(name[:-1]) and "<" in word or word == name[name.index("."):-1] + "<id>" for word in words)
    return any(name.endswith(ending) for ending in endings)


def main(tree):
    text = (tree / "schemas/resources.md").read_text(encoding="utf-8")
    types, words, endings = described(text)
    with open(tree / "schemas/events/resources.toml", "rb") as file:
        declared = tomllib.load(file)["resource"]
    wrong = [f"resources.md has the type {name}, which resources.toml has not" for name in sorted(types - set(declared))]
    wrong += [f"resources.toml has the type {name}, which resources.md has not" for name in sorted(set(declared) - types - {"*"})]
    for name, table in declared.items():
        wrong += [f"resources.md does not say what {word} of {name} is" for word in table["properties"]
                  if not is_described(word, words, endings)]
    names = {word for table in declared.values() for word in table["properties"]}
    looks = re.compile(r"[a-z][a-z0-9]*([_.][a-z0-9]+)+")
    wrong += [f"resources.md has {word}, which no type in resources.toml has" for word in sorted(words)
              if looks.fullmatch(word) and word not in names | NO_PROPERTIES
              and not any(name.endswith(".*") and word.startswith(name[:-1]) for name in names)]
    print("\n".join(wrong) or f"{len(declared)} types")
    return 1 if wrong else 0


if __name__ == "__main__":
    if "--help" in sys.argv:
        sys.exit(print(__doc__.strip()))
    sys.exit(main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[1]))
