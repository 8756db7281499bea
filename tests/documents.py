#!/usr/bin/python3
"""Checks the documents (*.md): links and anchors resolve, pages keep to their length, sentences are short on average, and only
CHANGELOG.md and results.md contain dates, commit ids or other diary entries.

documents.py [TREE]
"""
import os
import re
import sys
import urllib.parse

# Maximum lines of a page. Issue templates and results have no limit.
LENGTHS = {"README.md": 120, "SECURITY.md": 120, "CONTRIBUTING.md": 150, "docs/troubleshooting.md": 200, "docs/compare.md": 100, "docs/migrate.md": 120,
           "docs/rules.md": 200, "docs/smart.md": 100, "docs/snmp.md": 100, "docs/monitoring.md": 100, "docs/desktop.md": 100,
           "docs/security.md": 120, "docs/performance.md": 60, "docs/accuracy.md": 60}
LONGEST = 150  # every other page in docs/
AVERAGE_WORDS = 25
MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
DIARY = (
    (re.compile(rf"\b\d{{1,2}} ({MONTHS})\b|\b({MONTHS}) \d{{1,2}}\b|\b({MONTHS}) 20\d\d\b"), "a date"),
    (re.compile(r"\b20\d\d-\d\d-\d\d\b"), "a date"),
    (re.compile(r"\b\d\d?(th|st|nd|rd)(?=[,:;]? (\d+ of \d+|passed|failed))"), "a date"),
    (re.compile(r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])(?![0-9]+[a-f]\b)[0-9a-f]{7,12}\b(?! *GiB)"), "a commit id"),
    (re.compile(r"\bwas tried\b|\bthe (day|night) before\b", re.I), "a diary"),
)
RESULTS = ("CHANGELOG.md", "results.md")


def documents(tree):
    """Paths of all documents, relative to the tree, without build output."""
    for folder, folders, files in os.walk(tree):
        folders[:] = sorted(one for one in folders if not one.startswith("build") and one not in (".git", ".cache", "packages", "node_modules"))
        for name in sorted(files):
            if name.endswith(".md"):
                yield os.path.relpath(os.path.join(folder, name), tree)


def is_page(path):
    """Whether a document is for readers: not a folder's README, not generated."""
    return ("/" not in path) or (path.startswith("docs/") and not path.startswith("docs/msg/"))


def without_code(text):
    return re.sub(r"^( *)```.*?^\1```$", "", text, flags=re.M | re.S)


def anchors(text):
    """The anchors that GitHub generates for a page's headings."""
    heads = re.findall(r"^#+ (.*)$", without_code(text), re.M)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", head)).strip().lower().replace(" ", "-") for head in heads}


def links(text):
    text = re.sub(r"`[^`\n]*`", "", without_code(text))
    return re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r"(?:src|srcset)=\"([^\"]+)\"", text)


def sentences(text):
    """The prose of a page as lists of words: paragraphs and list items, no headings, tables or code."""
    text = re.sub(r"^(#|\||<|    ).*$", "", without_code(text), flags=re.M)
    text = re.sub(r"^\s*([-*]|\d+\.) ", "\n\n", text, flags=re.M)
    text = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`[^`]*`", "code", text)
    for paragraph in re.split(r"\n\s*\n", text):
        for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z\"(*a-z0-9])", " ".join(paragraph.split())):
            words = re.findall(r"[\w'’-]+", sentence)
            if words:
                yield words


def prose_lines(text):
    """(number, line) without code blocks and inline code."""
    hidden = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            hidden = not hidden
        elif not hidden:
            yield number, re.sub(r"`[^`]*`|\]\([^)]*\)", "", line)


def offences(path, text, others):
    """Returns what is wrong with one document. others: {path: text} of all."""
    found = []
    for link in links(text):
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = urllib.parse.unquote(link).partition("#")
        full = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
        if target and full not in others and not others.exists(full):
            found.append(f"{path}: {link} leads nowhere")
        elif anchor and full in others and anchor not in anchors(others[full]):
            found.append(f"{path}: {link}: no such heading")
    if is_page(path) and os.path.basename(path) not in RESULTS:
        length = len(text.splitlines())
        longest = LENGTHS.get(path, LONGEST)
        if length > longest:
            found.append(f"{path}: {length} lines; at most {longest}")
        lengths = [len(words) for words in sentences(text)]
        if lengths and sum(lengths) / len(lengths) > AVERAGE_WORDS:
            found.append(f"{path}: {sum(lengths) / len(lengths):.1f} words a sentence; at most {AVERAGE_WORDS}")
    if os.path.basename(path) not in RESULTS and not path.startswith("docs/msg/"):
        found += [f"{path}:{number}: {what}: '{match[0]}'" for number, line in prose_lines(text) for pattern, what in DIARY
                  if (match := pattern.search(line))]
    return found


class Tree(dict):
    """{path: text} of all documents; also knows which other files exist."""

    def __init__(self, root):
        super().__init__()
        self.root = root
        for path in documents(root):
            with open(os.path.join(root, path), encoding="utf-8") as file:
                self[path] = file.read()

    def exists(self, path):
        return os.path.exists(os.path.join(self.root, path))


def main(root):
    tree = Tree(root)
    found = [offence for path in tree for offence in offences(path, tree[path], tree)]
    found += [f"{path}: there is no such page" for path in LENGTHS if path not in tree]
    print("\n".join(found) or f"{len(tree)} documents")
    return 1 if found else 0


if __name__ == "__main__":
    if "--help" in sys.argv:
        sys.exit(print(__doc__.strip()))
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
