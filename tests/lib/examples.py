"""The commands, outputs and TOML files in documents and manual pages, and the comparison of a command's output with a page.

Handles only text; runs nothing."""
import dataclasses
import pathlib
import re
import textwrap

PROGRAMS = ("fmadm", "fmdump", "fmtopo", "fmstat")
OURS = re.compile(rf"(?:^|[|;&] *|\bsudo +|=\d+ +|/)(?:{'|'.join((*PROGRAMS, 'fmd --check'))})\b")
# Differs between runs; applied in this order.
MASKED = (
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "UUID"),
    (r"\buuid=[0-9a-f]{32}\b", "uuid=UUID"),
    (r"/\S*/chassis/(?=[\w-]+\.toml)", "CHASSIS/"),  # installed, or in the source tree
    (r"\b(pool|vdev)=\d+", r"\1=GUID"),
    (r"\bmac=[0-9a-f:]{17}", "mac=MAC"),
    (r"\b0x[0-9a-f]{12,16}\b", "ENA"),
    (r"\b(?=[0-9a-f]*[0-9])[0-9a-f]{8}\b", "CASE"),
    (r"\b20\d\d-\d\d-\d\d \d\d:\d\d\b|\b[A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d\b", "TIME"),
    (r"\b\d\d:\d\d(:\d\d)?\b", "TIME"),
    (r"\b\d+ (s|min)(?=\s+left\b)", "TIME"),
    (r"\bsd[a-z]{1,2}\b", "SDX"),
    (r"\bDISK(\d\d)N\d\b", r"DISK\1N"),
    (r"MASKED\d{4}\b", "MASKED"),
    (r"\[[#.]{50}\]|\[[#.]{34}\]", "[BAR]"),
    (r"\b\d+ rules in \d+ files|\b\d+ files, \d+ rules", "RULES"),
    (r"(?<![:\d])\d+\.\d:1\b", "RATIO"),
    (r"\b\d+(\.\d+)?(%| ?(?:%|s|B|KiB|MiB|MiB/s))(?= |,|;|$)", r"N \2"),
    (r"\b\d+(?= events within)", "N"),
    (r"^\S+(?=: (\d+ problems?:|no open problem))", "HOST"),
)


@dataclasses.dataclass
class Example:
    page: str
    command: str
    shown: str | None = None  # None: the page shows no output
    columns: int = 80

    def __str__(self):
        return f"{self.page}: {self.command}"


def masked(text):
    text = " ".join(text.replace("…", "...").split())
    for pattern, name in MASKED:
        text = re.sub(pattern, name, text)
    return text


def as_shown(shown, printed):
    """Whether `printed` matches; a line "..." matches any text."""
    parts = [re.escape(masked(part)) for part in re.split(r"^\.\.\.$", shown, flags=re.M)]
    return re.fullmatch(" ?.*".join(parts), masked(printed)) is not None


def dialogue(page, block, columns=80):
    """The examples of a console block: prompts ("$ ", or "# " before a lowercase word: comments of rules begin with a path), commands and
    output."""
    for part in re.split(r"^(?:\$|#(?= [a-z])) ", block, flags=re.M)[1:]:
        command, _, shown = part.replace("\\\n", " ").partition("\n")
        # Drop sudo: the simulated server needs no privileges.
        yield Example(page, re.sub(r" +", " ", command.removeprefix("sudo ")), shown, columns)


def fenced(text):
    """(language, block) of each fenced block of a *.md page."""
    return re.findall(r"^ *```([^\n]*)\n(.*?)^ *```$", text, re.M | re.S)


def of_document(page, text):
    """The examples of a *.md page: dialogues, and lines of blocks without prompts, which show no output."""
    for language, block in fenced(text):
        if language == "console":
            yield from dialogue(page, block)
        elif language in ("", "sh"):
            yield from (Example(page, re.sub(r"\bsudo +|\s+# .*", "", line.strip())) for line in block.splitlines() if OURS.search(line.strip()))


def _plain(text):
    for escape, character in ((r"\(aq", "'"), (r"\(dq", '"'), (r"\(ti", "~"), (r"\&", ""), (r"\-", "-"), (r"\e", "\\")):
        text = text.replace(escape, character)
    return text


def _literal(text):
    """(block, columns) of each literal block of a manual page."""
    for options, block in re.findall(r"^\.Bd -literal([^\n]*)\n(.*?)^\.Ed", text, re.M | re.S):
        yield _plain(block), 66 if "indent" in options else 72


def of_manual(page, text):
    """The examples of a manual page's EXAMPLES section, in order."""
    text = text.partition("\n.Sh EXAMPLES\n")[2].partition("\n.Sh ")[0]
    for part in re.split(r"^(?=\.Bd -literal|\.Dl )", text, flags=re.M):
        if part.startswith(".Dl "):
            command = _plain(part.partition("\n")[0].removeprefix(".Dl "))
            found = [Example(page, re.sub(r"^[$#] ", "", command))]
        else:
            found = [example for block, columns in _literal(part) for example in dialogue(page, block, columns)]
        for example in found:
            if OURS.search(example.command):
                example.shown = example.shown or None
                yield example


def toml_blocks(page, text):
    """The TOML files on a page, complete or in part."""
    if page.endswith(".md"):
        return [textwrap.dedent(block) for language, block in fenced(text) if language == "toml"]
    return [block for block, _ in _literal(text.partition("\n.Sh EXAMPLES\n")[2]) if block.startswith("[")]


def pages(tree):
    """{path: text} of the pages for users: README.md, docs/ and all manual pages of sections 5 and 8."""
    tree = pathlib.Path(tree)
    found = [tree / "README.md", *tree.glob("docs/**/*.md"), *tree.glob("plugins/*/README.md"), *tree.glob("man/*.[58]"),
             *tree.glob("plugins/*/*.8")]
    return {str(path.relative_to(tree)): path.read_text(encoding="utf-8") for path in sorted(found)}


def examples(tree):
    return [example for page, text in pages(tree).items()
            for example in (of_document if page.endswith(".md") else of_manual)(page, text)]
