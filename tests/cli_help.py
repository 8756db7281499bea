"""Parses a program's --help, for tests that compare it with manual pages and completions."""
import re
import subprocess

NOT_COMMANDS = ("Options", "Positionals", "Examples")


def help_of(program, *words):
    """Returns (options as {long: short}, subcommands of all groups, text)."""
    text = subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True, env={"LC_ALL": "C"}).stdout
    options, verbs, heading = {}, [], ""
    for line in text.splitlines():
        if found := re.match(r"(\S.*):$", line):
            heading = found[1]
        elif found := re.match(r"  (?:-(\w),)?--([a-z-]+)", line):
            options[found[2]] = found[1] or ""
        elif heading and heading not in NOT_COMMANDS and (found := re.match(r"  ([a-z-]+) ", line)):
            verbs.append(found[1])
    return options, verbs, text
