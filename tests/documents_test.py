#!/usr/bin/python3
"""Tests of documents.py: it finds each kind of offence."""
import unittest

import documents


class Tree(dict):
    def exists(self, path):
        return path in ("docs/images/a.png",)


def found(path, text, **others):
    tree = Tree({path: text, "docs/b.md": "# Some `code`, and [a link](c.md)\n", **others})
    return documents.offences(path, text, tree)


class Documents(unittest.TestCase):
    def test_links(self):
        self.assertEqual(found("docs/a.md", "[b](b.md) [c](b.md#some-code-and-a-link) [d](https://x.org/y.md) ![e](images/a.png) `[f](g.md)`\n"), [])
        self.assertEqual(found("docs/a.md", "[b](c.md)\n"), ["docs/a.md: c.md leads nowhere"])
        self.assertEqual(found("docs/a.md", "[b](b.md#other)\n"), ["docs/a.md: b.md#other: no such heading"])
        self.assertEqual(found("docs/a.md", '<img src="images/b.png">\n'), ["docs/a.md: images/b.png leads nowhere"])
        self.assertEqual(found("plugins/x/README.md", "[b](c.md)\n"), ["plugins/x/README.md: c.md leads nowhere"])

    def test_diary(self):
        for text in ("Seen on 24 November 2026.", "On November 24 it failed.", "2026-11-24: passed", "before be26de4 it was slow", "24th: 8 of 8"):
            with self.subTest(text=text):
                self.assertEqual(len(found("docs/a.md", text + "\n")), 1)
        for text in ("```\nNov 28 21:59:27 be26de4\n```", "the case `117d465f`", "of 2019, in May be 10000000 or 1,000 deadbeef", "10 of 12 passed"):
            with self.subTest(text=text):
                self.assertEqual(found("docs/a.md", text + "\n"), [])
        self.assertEqual(found("tests/x/results.md", "24 November 2026\n"), [])

    def test_length(self):
        self.assertEqual(found("docs/compare.md", "| x |\n" * 100), [])
        self.assertEqual(found("docs/compare.md", "| x |\n" * 101), ["docs/compare.md: 101 lines; at most 100"])
        self.assertEqual(found("docs/dev/a.md", "| x |\n" * 151), ["docs/dev/a.md: 151 lines; at most 150"])

    def test_sentences(self):
        long = "word " * 30 + "end.\n"
        self.assertEqual(found("docs/a.md", long), ["docs/a.md: 31.0 words a sentence; at most 25"])
        self.assertEqual(found("docs/a.md", long + "\nA short one.\n"), [])
        self.assertEqual(found("docs/a.md", "| " + long + "\n```\n" + long + "```\n"), [])
        self.assertEqual(found("docs/a.md", "".join(f"- {'word ' * 20}\n" for _ in range(3))), [])


if __name__ == "__main__":
    unittest.main()
