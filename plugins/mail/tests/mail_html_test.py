"""Mails with HTML and the picture of the chassis, parsed as a mail reader does; and templates."""
import html.parser
import os
import struct
import unittest

from mail_case import BINARY, MailCase, notice

EVIL = '"><script>alert(1)</script>\r\nBcc: x@example.org'
DRAWING = {"width": 180, "height": 60, "shapes": [
    {"f": 0, "b": [0, 0, 180, 60], "i": 0}, {"f": 0, "b": [10, 10, 40, 20], "r": 1, "i": 17, "k": 22, "w": 1.6},
    {"f": 4, "b": [10, 35, 40, 8], "t": "SLOT 04", "s": 5, "a": 1, "i": 1}]}


def rich(number=1, picture=True, **changes):
    """A delivery with everything that the core provides for HTML."""
    more = {"sections": [
        {"title": "", "parts": [{"lead": ["Replace the disk in SLOT 04."]}]},
        {"title": "", "parts": [{"text": ["Disk returns wrong data."]}, {"fields": [["Serial", EVIL]]}]},
        {"title": "Description", "parts": [{"text": [EVIL]}]},
        {"title": "More:", "parts": [{"commands": ["fmadm faulty -u " + EVIL]}]}]}
    if picture:
        more["picture"] = {"drawing": DRAWING, "alt": "Shelf A: SLOT 04: faulted " + EVIL}
    return notice(number) | more | changes


class Parsed(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.images, self.text, self.open = [], [], "", []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "img":
            self.images.append(dict(attrs))
        elif tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"{tag} ends where {self.open} is open"

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data


class Html(MailCase):
    def one(self, args, server, **options):
        self.start(server, **options)
        self.delivered(args)
        return server.parsed()

    def test_text_html_and_picture(self):
        server = self.serve()
        mail = self.one(rich(), server)
        self.assertEqual(mail.get_content_type(), "multipart/alternative")
        self.assertEqual([p.get_content_type() for p in mail.iter_parts()], ["text/plain", "multipart/related"])
        plain, related = mail.iter_parts()
        self.assertEqual(plain.get_content().replace("\r\n", "\n"), notice()["body"])
        self.assertEqual([p.get_content_type() for p in related.iter_parts()], ["text/html", "image/png"])
        page, image = related.iter_parts()
        png = image.get_content()
        self.assertTrue(png.startswith(b"\x89PNG\r\n"))
        width, height = struct.unpack(">II", png[16:24])
        self.assertAlmostEqual(width, 1216, delta=1, msg="twice as fine as it is shown")
        self.assertAlmostEqual(height, 406, delta=1)
        self.assertEqual(image.get_content_disposition(), "inline")
        parsed = Parsed(page.get_content())
        self.assertEqual(parsed.open, [], "every tag is closed")
        self.assertEqual([i["src"] for i in parsed.images], ["cid:" + image["Content-ID"].strip("<>")])
        self.assertEqual(int(parsed.images[0]["width"]), width // 2)
        self.assertIn("SLOT 04: faulted", parsed.images[0]["alt"])
        self.assertLess(parsed.text.index("Replace the disk"), parsed.text.index("Description"))
        self.assertIsNone(mail.defects or None)

    def test_nothing_from_elsewhere_is_markup(self):
        server = self.serve()
        mail = self.one(rich(host=EVIL, subject=EVIL), server)
        page = Parsed(mail.get_body(("html",)).get_content())
        self.assertNotIn("script", page.tags)
        self.assertIn("<script>alert(1)</script>", page.text, "shown, not run")
        self.assertNotIn("Bcc", mail)
        self.assertEqual(server.messages[0][1], ["operator@example.org"])
        raw = server.messages[0][2].replace(b"=\r\n", b"")
        self.assertNotIn(b"\nBcc", raw)
        for word in (b"http:", b"https:", b"url("):
            self.assertNotIn(word, raw, "it asks for nothing from elsewhere")

    def test_what_cannot_be_drawn_is_still_a_mail(self):
        server = self.serve()
        self.start(server)
        for number, drawing in enumerate(({"width": -1}, {"width": 1e9, "height": 1, "shapes": []}, None,
                                          {"width": 1, "height": 1, "shapes": [{"f": 99}]})):
            self.delivered(rich(number) | {"picture": {"drawing": drawing, "alt": "x"}})
            mail = server.parsed()
            self.assertEqual([p.get_content_type() for p in mail.iter_parts()], ["text/plain", "text/html"], drawing)
        self.assertIn("cannot be drawn", self.program.tail())

    def test_the_same_again_after_a_crash(self):
        server = self.serve(answers={"DATA": ["451 later"]})
        self.start(server)
        self.assertEqual(self.deliver(rich())["status"], "failed")
        self.restart()
        self.delivered(rich())
        self.assertEqual(len(server.messages), 1)

    def test_templates(self):
        folder = os.path.join(self.folder, "mail.d")
        os.mkdir(folder)
        for name, text in (("subject.txt", "${host}: ${bay} ${severity}"), ("body.txt", "${action}$$\n"),
                           ("body.html", "<html><body><h1>${host}</h1>${picture}<div>${content}</div></body></html>")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        server = self.serve()
        args = rich(host=EVIL)
        args["case"].update(action="The words of the diagnosis.", say={"do_now": "Replace it."})
        mail = self.one(args, server, more=f'templates = "{folder}"\n')
        self.assertTrue(mail["Subject"].endswith(":  Major"), mail["Subject"])
        self.assertNotIn("Bcc", mail)
        self.assertEqual(mail.get_body(("plain",)).get_content().strip(), "Replace it.$")
        page = Parsed(mail.get_body(("html",)).get_content())
        self.assertNotIn("script", page.tags)
        self.assertEqual(len(page.images), 1)
        self.program.kill()
        with open(os.path.join(folder, "subject.txt"), "w", encoding="utf-8") as file:
            file.write("${hots}\n")
        said = self.refused_config(f'to = ["a@example.org"]\ntemplates = "{folder}"\n')
        self.assertIn(f"{folder}/subject.txt:1: unknown placeholder ${{hots}}, did you mean ${{host}}?", said)


if __name__ == "__main__":
    unittest.main(argv=[BINARY], verbosity=2)
