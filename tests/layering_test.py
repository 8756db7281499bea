#!/usr/bin/python3
"""Tests of layering.py: it finds each kind of offence."""
import unittest

import layering

PAGE = '''
[allowed]
"lib/core" = []
"lib/bus" = ["lib/core", "lib/control.h"]
"lib" = ["lib/core", "lib/bus"]
"plug/sdk" = ["lib/core"]
"plug/*" = ["lib/core", "plug/sdk"]
[[kept_out]]
folders = ["lib/core"]
pattern = '#include <(fstream|sys/\\w+\\.h)>'
why = "no files"
[[kept_out]]
folders = ["lib"]
pattern = '"fault\\.[a-z]'
why = "policy"
[json]
headers = ["plug/sdk/messages.h"]
'''


def found(path, text):
    return layering.offences(layering.Rules(PAGE), path, text)


class Layering(unittest.TestCase):
    def test_allowed(self):
        for path, target in (("lib/bus/a.cpp", "lib/core/b.h"), ("lib/bus/a.cpp", "lib/bus/b.h"),
                             ("lib/bus/a.cpp", "lib/control.h"), ("plug/zfs/a.cpp", "plug/sdk/b.h"),
                             ("plug/zfs/tests/a.cpp", "plug/zfs/b.h"), ("lib/main.cpp", "lib/bus/b.h")):
            with self.subTest(path=path, target=target):
                self.assertEqual(found(path, f'#include "{target}"\n'), [])

    def test_types_of_headers(self):
        text = "namespace a::b {\nclass Plain {\n};\nstruct Inner : Plain {\n};\nenum class E : int { one };\nstruct Plain::Impl {\n};\nclass Ahead;\n}\n"
        self.assertEqual(layering.types("lib/a.h", text), [("a::b::Plain", 2), ("a::b::Inner", 4), ("a::b::E", 6)])
        self.assertEqual(layering.types("lib/tests/a.h", text), [])

    def test_upwards_and_sideways(self):
        for path, target in (("lib/core/a.h", "lib/bus/b.h"), ("lib/bus/a.cpp", "lib/daemon.h"),
                             ("plug/zfs/a.cpp", "plug/mail/b.h"), ("plug/sdk/a.cpp", "plug/zfs/b.h"),
                             ("plug/zfs/tests/a.cpp", "lib/bus/b.h"), ("lib/core/a.cpp", "b.h")):
            with self.subTest(path=path, target=target):
                self.assertEqual(len(found(path, f'int a;\n#include "{target}"\n')), 1)

    def test_kept_out_of_code_not_of_comments(self):
        self.assertEqual(found("lib/core/a.cpp", "// #include <fstream>\n\n #include <fstream>\n"), [(3, "no files")])
        self.assertEqual(found("lib/core/a.cpp", "#include <sys/stat.h>\n"), [(1, "no files")])
        self.assertEqual(found("lib/bus/a.cpp", "#include <fstream>\n"), [])
        self.assertEqual(found("lib/bus/a.cpp", '\nauto a = "fault.fs";\n'), [(2, "policy")])
        self.assertEqual(found("lib/bus/a.cpp", '/* "fault.fs" */ auto url = "http://x";\n'), [])
        self.assertEqual(found("lib/bus/tests/a.cpp", 'auto a = "fault.fs";\n'), [])

    def test_json_in_headers(self):
        texts = {"fmd/base/json.h": "#include <nlohmann/json.hpp>\n",
                 "plug/sdk/messages.h": '#include "fmd/base/json.h"\n',
                 "plug/sdk/beside.h": '#include "plug/sdk/messages.h"\n',
                 "plug/sdk/a.cpp": '#include "fmd/base/json.h"\n',
                 "plug/zfs/tests/rig.h": '#include "fmd/base/json.h"\n',
                 "plug/zfs/good.h": '#include <nlohmann/json_fwd.hpp>\n// #include "fmd/base/json.h"\n',
                 "plug/zfs/direct.h": '#include "fmd/base/json.h"\n',
                 "plug/zfs/bare.h": "#include <nlohmann/json.hpp>\n",
                 "plug/sdk/second.h": '#include "plug/sdk/messages.h"\n#include "fmd/base/json.h"\n',
                 "plug/zfs/indirect.h": '#include "plug/sdk/beside.h"\n'}
        rules = layering.Rules(PAGE)
        rules.json_headers.add("fmd/base/json.h")
        self.assertEqual([path for path, _ in layering.json_offences(rules, texts)],
                         ["plug/sdk/second.h", "plug/zfs/bare.h", "plug/zfs/direct.h", "plug/zfs/indirect.h"])

    def test_length(self):
        self.assertEqual(found("x/a.py", "\n" * 500), [])
        self.assertEqual(len(found("x/a.py", "\n" * 501)), 1)


if __name__ == "__main__":
    unittest.main()
