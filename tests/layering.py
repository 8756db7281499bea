#!/usr/bin/python3
"""Checks the tree against layering.toml: which folder may include which, forbidden code, and which headers may include the JSON library.
No source file may have more than 500 lines. Prints each offence as FILE:LINE: text.

layering.py [TREE]     exit status 1 if there is an offence
"""
import fnmatch
import os
import re
import sys
import tomllib

MAX_LINES = 500
CODE = (".cpp", ".h", ".hpp", ".c")
COUNTED = CODE + (".py", ".sh", ".build")
JSON = ("fmd/base/json.h", "nlohmann/json.hpp")
ANY_INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


class Rules:
    """The contents of layering.toml."""

    def __init__(self, text):
        page = tomllib.loads(text)
        self.allowed = page["allowed"]
        self.json_headers = set(page["json"]["headers"])
        self.kept_out = [(folder, re.compile(row["pattern"]), row["why"]) for row in page["kept_out"] for folder in row["folders"]]

    def entry(self, folder):
        """The entry for a folder: (name of the unit, folders it may include), or None. An exact name takes precedence over one with `*`,
        a deeper one over a higher one."""
        while folder:
            if folder in self.allowed:
                return folder, self.allowed[folder]
            for key, allowed in self.allowed.items():
                if "*" in key and key.count("/") == folder.count("/") and fnmatch.fnmatchcase(folder, key):
                    return folder, allowed
            folder = os.path.dirname(folder)
        return None


def without_comments(text):
    """Code with comments blanked, line numbers kept. String literals stay."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
    return token.sub(lambda m: re.sub(r"[^\n]", " ", m[0]) if m[0].startswith("/") else m[0], text)


def in_tests(path):
    return "tests" in path.split("/")[:-1]


def offences(rules, path, text):
    """Returns what is wrong with one file: [(line, sentence)]."""
    found = []
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        found.append((len(lines), f"{len(lines)} lines; a file is one noun, at most {MAX_LINES}"))
    if not path.endswith(CODE):
        return found
    folder = os.path.dirname(path)
    entry = rules.entry(folder)
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        match = INCLUDE.match(line)
        if match and entry and not (in_tests(path) and "/" not in match[1]):  # a test's fixture in the same folder
            if not (in_tests(path) and os.path.dirname(match[1]) == "tests/lib"):
                found += [(number, sentence) for sentence in bad_include(rules, entry, match[1])]
        if not in_tests(path):
            found += [(number, why) for kept_folder, pattern, why in rules.kept_out
                      if (folder + "/").startswith(kept_folder + "/") and pattern.search(line)]
    return found


def bad_include(rules, entry, target):
    unit, allowed = entry
    owner = rules.entry(os.path.dirname(target))
    if owner is None:
        yield f'"{target}": include by the path from the top of the tree'
    elif owner[0] != unit and not {owner[0], target} & set(allowed):
        yield f'{unit} must not include "{target}": it may use {", ".join(allowed) or "nothing but itself"}'


def json_offences(rules, texts):
    """Headers of the product that include the JSON library but are not in the list: [(path, sentence)]. A header in the same
    folder as a listed one may include it; a header elsewhere may not, directly or indirectly. texts: {path: text} of the tree."""
    includes = {path: ANY_INCLUDE.findall(without_comments(text)) for path, text in texts.items() if path.endswith(CODE)}
    for path in sorted(includes):
        if not path.endswith(".h") or in_tests(path) or path.startswith("tests/") or path in rules.json_headers:
            continue
        reached, waiting = set(), [path]
        while waiting:
            for target in includes.get(waiting.pop(), ()):
                if target not in reached:
                    reached.add(target)
                    waiting.append(target)
        beside = any(os.path.dirname(path) == os.path.dirname(listed) for listed in reached & rules.json_headers)
        if not set(JSON).isdisjoint(includes[path]) or (not beside and not reached.isdisjoint(JSON)):
            yield path, ("includes nlohmann/json.hpp, directly or indirectly: include <nlohmann/json_fwd.hpp> and leave the rest to the "
                         ".cpp file (tests/layering.toml, json)")


def types(path, text):
    """(namespace and name, line) of the types that a header of the product defines. `struct A::Impl` does not count."""
    if in_tests(path) or not path.endswith(".h"):
        return []
    space = re.search(r"^namespace ([\w:]+) \{", text, re.M)
    return [(f"{space.group(1)}::{match.group(1)}", text.count("\n", 0, match.start()) + 1)
            for match in re.finditer(r"^(?:class|struct|enum class) (\w+)(?: final)?(?: : [^;{]+)?\s*\{", text, re.M) if space]


def sources(tree):
    """Paths of the source files relative to the tree, without build output."""
    for folder, folders, files in os.walk(tree):
        folders[:] = sorted(f for f in folders if not f.startswith(("build", ".git", ".cache", "__pycache__")))
        inside = os.path.relpath(folder, tree)
        for name in sorted(files):
            path = name if inside == "." else f"{inside}/{name}"
            if path.endswith(COUNTED) or path in ("dev", ".ci/run"):
                yield path


def main(tree):
    with open(os.path.join(tree, "tests/layering.toml"), encoding="utf-8") as page:
        rules = Rules(page.read())
    count = checked = 0
    defined = {}
    texts = {}
    for path in sources(tree):
        with open(os.path.join(tree, path), encoding="utf-8") as source:
            text = source.read()
        texts[path] = text
        checked += 1
        for line, sentence in offences(rules, path, text):
            print(f"{path}:{line}: {sentence}")
            count += 1
        for name, line in types(path, text):
            # If two types have the same name, the linker silently picks one for both.
            if defined.setdefault(name, path) != path:
                print(f"{path}:{line}: {name} is defined in {defined[name]} as well")
                count += 1
    for path, sentence in json_offences(rules, texts):
        print(f"{path}:1: {sentence}")
        count += 1
    print(f"{checked} files, {count} offences")
    return 1 if count or not checked else 0


if __name__ == "__main__":
    if "--help" in sys.argv:
        sys.exit(print(__doc__.strip()))
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
