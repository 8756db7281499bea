#!/usr/bin/env python3
"""Writes the numbered SQL migrations as a C++ source: embed_sql.py OUT FILE..."""
import os
import re
import sys

out, files = sys.argv[1], sys.argv[2:]
migrations = []
for path in files:
    number = re.match(r"(\d{3})-[a-z0-9-]+\.sql$", os.path.basename(path))
    if not number:
        sys.exit(f"{path}: the name must be NNN-words.sql")
    with open(path, encoding="utf-8") as source:
        migrations.append((int(number.group(1)), source.read()))
migrations.sort()
if [number for number, _ in migrations] != list(range(1, len(migrations) + 1)):
    sys.exit("schemas/sql: the migrations must be numbered 001, 002, ... without a gap")
with open(out, "w", encoding="utf-8") as target:
    target.write('#include "fmd/store/migrations.h"\n\nnamespace fmd::store {\n\n')
    target.write("const std::vector<std::string_view>& migrations() {\n")
    target.write("  static const std::vector<std::string_view> all = {\n")
    for _, text in migrations:
        target.write(f'R"__sql__({text})__sql__",\n')
    target.write("  };\n  return all;\n}\n\n}  // namespace fmd::store\n")
