#!/usr/bin/env python3
"""Writes the shipped page and its style as a C++ source: embed.py OUT PAGE STYLE."""
import sys

out, page, style = sys.argv[1:]
with open(out, "w", encoding="utf-8") as target:
    target.write('#include "plugins/mail/html.h"\n\nnamespace fmd::mail {\n')
    for function, path in (("shipped_html", page), ("html_style", style)):
        with open(path, encoding="utf-8") as source:
            target.write(f'\nstd::string {function}() {{\n  return R"__mail__({source.read()})__mail__";\n}}\n')
    target.write("\n}  // namespace fmd::mail\n")
