"""fmd-mail between a fake core and a real SMTP server."""
import os
import re
import shutil
import stat
import time
import unittest

from mail_case import BINARY, TREE, MailCase, notice


class Delivery(MailCase):
    def test_the_mail(self):
        server = self.serve()
        hello = self.start(server, to='["Operator <operator@example.org>", "second@example.org"]')
        self.assertEqual(hello["handles"], ["outbox:mail"])
        self.assertEqual(hello["commands"], ["deliver", "picture"])
        self.core.wait_status("ok")
        self.delivered(notice())
        self.assertEqual(len(server.messages), 1)
        sender, recipients, _ = server.messages[0]
        self.assertEqual(sender, "fmd@storage1.example")
        self.assertEqual(recipients, ["operator@example.org", "second@example.org"])
        mail = server.parsed()
        self.assertEqual(mail["Subject"], notice()["subject"])
        self.assertEqual(mail["From"], "fmd@storage1.example")
        self.assertEqual(mail["To"], "Operator <operator@example.org>, second@example.org")
        self.assertEqual(mail["Date"], "Sat, 21 Nov 2026 02:48:41 +0000")
        self.assertEqual(mail["X-FMEV-HOSTNAME"], "storage1")
        self.assertEqual(mail["X-FMEV-CLASS"], "fault.fs.zfs.vdev.checksum")
        self.assertEqual(mail["X-FMEV-UUID"], "6f3cbe38-13ea-4ff7-a4e0-8d4b9d1b3e11")
        self.assertEqual(mail["X-FMEV-CODE"], "ZFS-8000-GH")
        self.assertEqual(mail["X-FMEV-SEVERITY"], "Major")
        self.assertEqual(mail["Message-ID"], "<6f3cbe38-13ea-4ff7-a4e0-8d4b9d1b3e11/diagnosed/1@storage1>")
        self.assertEqual(mail.get_content().replace("\r\n", "\n"), notice()["body"])

    def test_text_arrives_as_it_was(self):
        server = self.serve()
        self.start(server)
        body = ("Überhitzt: 50 °C, Gehäuse „Süd“ 東京\n.\n..two dots\n.one\nFrom here\n" + "x" * 2000 + "\ntrailing blank \n"
                + "ä" * 900 + "\n=20 stays\n")
        subject = "[fmd] speicher-süd: Festplatte in Fach »drei« ist kaputt, bitte tauschen; Gehäuse 東京, 日本語の長い表題のテスト"
        self.delivered(notice(subject=subject, body=body))
        mail = server.parsed()
        self.assertEqual(mail["Subject"], subject)
        self.assertEqual(mail.get_content().replace("\r\n", "\n"), body)
        for line in server.messages[0][2].split(b"\r\n"):
            self.assertLessEqual(len(line), 998)
            self.assertTrue(line.isascii(), line)

    def test_dots_in_plain_text(self):
        server = self.serve()
        self.start(server)
        body = "first\n.\n..\n.hidden\nlast\n"
        self.delivered(notice(body=body))
        self.assertIn(b"Content-Transfer-Encoding: 7bit", server.messages[0][2])
        self.assertEqual(server.parsed().get_content().replace("\r\n", "\n"), body)

    def test_no_header_can_be_smuggled_in(self):
        server = self.serve()
        self.start(server)
        evil = "x\r\nBcc: all@example.org\r\n\r\nnew body\x00\x1b[31m"
        args = notice(subject=evil, host=evil, event=evil, key=evil, body="fine\n")
        args["case"] |= {"uuid": evil, "code": evil, "severity": evil,
                         "suspects": [{"class": evil + "\u202e=?utf-8?q?spoofed?="}]}
        self.delivered(args)
        mail = server.parsed()
        self.assertNotIn("Bcc", mail)
        self.assertEqual(len(server.messages[0][1]), 1)
        self.assertEqual(mail.get_content().strip(), "fine")
        known = {"Date", "From", "To", "Subject", "Message-ID", "References", "Auto-Submitted", "MIME-Version",
                 "Content-Type", "Content-Transfer-Encoding", "X-FMEV-HOSTNAME", "X-FMEV-CLASS", "X-FMEV-UUID",
                 "X-FMEV-CODE", "X-FMEV-SEVERITY", "X-FMEV-EVENT"}
        self.assertEqual(set(mail.keys()), known)
        self.assertIn("=?utf-8?q?spoofed?=", mail["X-FMEV-CLASS"])
        self.assertNotIn("\x1b", mail["Subject"])

    def test_without_its_courier_it_says_so_and_goes_on(self):
        """An interrupted upgrade: the mail stays in fmd's outbox."""
        server = self.serve()
        binary = os.path.join(self.folder, "fmd-mail")
        shutil.copy(BINARY, binary)
        self.start(server, binary=binary)
        reply = self.deliver(notice())
        self.assertEqual(reply["status"], "failed")
        self.assertIn("fmd-mail-courier.so", reply["reason"])
        shutil.copy(os.path.join(os.path.dirname(BINARY), "fmd-mail-courier.so"), self.folder)
        self.delivered(notice())
        self.assertEqual(len(server.messages), 1)

    def test_the_courier_of_another_build_is_not_asked(self):
        """Between an upgrade and the restart, the old fmd-mail finds the new module."""
        server = self.serve()
        binary, courier = (os.path.join(self.folder, name) for name in ("fmd-mail", "fmd-mail-courier.so"))
        shutil.copy(BINARY, binary)
        with open(os.path.join(os.path.dirname(BINARY), "fmd-mail-courier.so"), "rb") as file:
            module = file.read()
        newer = re.sub(rb"(fmd-mail-courier )[0-9.]+", lambda build: build[1] + b"9" * (len(build[0]) - len(build[1])), module)
        self.assertNotEqual(newer, module)
        with open(courier, "wb") as file:
            file.write(newer)
        self.start(server, binary=binary)
        reply = self.deliver(notice())
        self.assertEqual(reply["status"], "failed")
        self.assertIn("fmd-mail was upgraded: restart it", reply["reason"])
        self.assertEqual(server.attempts, 0)
        self.program.kill()
        shutil.copy(os.path.join(os.path.dirname(BINARY), "fmd-mail-courier.so"), courier)
        self.program.start()
        self.core.greet()
        self.delivered(notice())

    def test_a_courier_that_lies_elsewhere_is_not_looked_for(self):
        """Without /proc fmd-mail does not know its own folder, and the loader would search a bare name in its library path."""
        server = self.serve()
        bare, as_root = os.path.join(self.folder, "without-proc"), "" if os.geteuid() == 0 else "--user --map-root-user"
        with open(bare, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nexport LD_LIBRARY_PATH='{os.path.dirname(BINARY)}'\n"
                       f"exec unshare --mount --propagation unchanged {as_root} sh -c "
                       "'mount --make-private /proc && mount -t tmpfs none /proc && exec \"$@\"' "
                       f"sh '{BINARY}' \"$@\"\n")
        os.chmod(bare, 0o755)
        self.start(server, binary=bare)
        reply = self.deliver(notice())
        self.assertEqual(reply["status"], "failed")
        self.assertIn("/proc/self/exe", reply["reason"])
        self.assertEqual(server.attempts, 0)

    def test_a_huge_mail(self):
        server = self.serve()
        self.start(server)
        body = "0123456789 " * 60000
        self.delivered(notice(body=body + "\n", subject="word " * 400))
        self.assertTrue(server.parsed().get_content().startswith("0123456789 0123"))


class Once(MailCase):
    def test_a_key_is_delivered_once(self):
        server = self.serve()
        self.start(server)
        self.delivered(notice())
        self.delivered(notice())
        self.restart()
        self.delivered(notice())
        self.assertEqual(server.attempts, 1)
        self.delivered(notice(2, "resolved"))
        self.assertEqual(server.attempts, 2)

    def test_after_a_crash_of_the_core(self):
        server = self.serve()
        self.start(server)
        server.hold.set()
        self.core.command("deliver", "outbox:mail", notice(), notice()["key"])
        self.assertTrue(server.holding.wait(20))
        self.core.disconnect()
        server.hold.clear()
        self.core.greet()
        self.delivered(notice())
        self.assertEqual(len(server.messages), 1)

    def test_refused_then_taken(self):
        server = self.serve(answers={"DATA": ["451 4.3.0 try later, the disk is full"]})
        self.start(server)
        reply = self.deliver(notice())
        self.assertEqual(reply["status"], "failed")
        self.assertIn("451 4.3.0 try later, the disk is full", reply["reason"])
        self.delivered(notice())
        self.assertEqual(len(server.messages), 1)

    def test_refused_for_good(self):
        server = self.serve(answers={"DATA": ["554 5.7.1 we do not like you"]})
        self.start(server)
        reply = self.deliver(notice())
        self.assertEqual(reply["status"], "failed")
        self.assertIn("554 5.7.1 we do not like you", reply["reason"])

    def test_one_bad_address_does_not_keep_the_others(self):
        server = self.serve(answers={"RCPT": ["", "550 5.1.1 no such user"]})
        self.start(server, to='["a@example.org", "b@example.org", "c@example.org"]')
        reply = self.delivered(notice())
        self.assertIn("b@example.org: 550 5.1.1 no such user", reply["reason"])
        self.assertEqual([message[1] for message in server.messages], [["a@example.org", "c@example.org"]])
        self.delivered(notice())
        self.assertEqual(server.attempts, 1)

    def test_who_was_put_off_gets_it_later_and_nobody_twice(self):
        server = self.serve(answers={"RCPT": ["", "450 4.2.0 greylisted"]})
        self.start(server, to='["a@example.org", "b@example.org"]')
        reply = self.deliver(notice())
        self.assertEqual(reply["status"], "failed")
        self.assertIn("b@example.org: 450 4.2.0 greylisted", reply["reason"])
        self.restart()
        self.delivered(notice())
        self.assertEqual([message[1] for message in server.messages], [["a@example.org"], ["b@example.org"]])

    def test_all_addresses_bad(self):
        server = self.serve(answers={"RCPT": ["550 5.1.1 no such user"]})
        self.start(server)
        reply = self.deliver(notice())
        self.assertEqual(reply["status"], "failed")
        self.assertIn("operator@example.org: 550 5.1.1 no such user", reply["reason"])

    def test_no_server(self):
        server = self.serve()
        self.start(server)
        server.stop()
        reply = self.deliver(notice())
        self.assertEqual(reply["status"], "failed")
        self.assertIn("Connection refused", reply["reason"])
        self.assertIn(f"127.0.0.1:{server.port}", reply["reason"])

    def test_a_silent_server_blocks_nothing(self):
        server = self.serve()
        self.start(server, 'timeout = "1500ms"\n')
        server.hold.set()
        held = self.core.command("deliver", "outbox:mail", notice(1), notice(1)["key"])
        self.assertTrue(server.holding.wait(20))
        # Other work continues meanwhile.
        other = self.core.command("refresh", "outbox:mail", {}, "another")
        self.assertEqual(self.core.reply(other, 1.2)["status"], "failed")
        reply = self.core.reply(held, 20)
        self.assertEqual(reply["status"], "failed")
        self.assertIn("no answer in 2 s", reply["reason"])
        server.hold.clear()
        self.delivered(notice(1))

    def test_the_cores_deadline_is_kept(self):
        server = self.serve()
        self.start(server, 'timeout = "1h"\n')
        server.hold.set()
        reply = self.deliver(notice(), deadline_ms=1500)
        self.assertEqual(reply["status"], "failed")
        self.assertIn("no answer in", reply["reason"])


class Security(MailCase):
    def test_starttls(self):
        context, certificate = self.certificate()
        server = self.serve(tls=context, require_tls=True)
        self.start(server, f'starttls = "required"\nca_file = "{certificate}"\n')
        self.delivered(notice())
        self.assertEqual(server.secured, [True])

    def test_tls_is_used_where_there_is_some(self):
        context, certificate = self.certificate()
        server = self.serve(tls=context)
        self.start(server, f'ca_file = "{certificate}"\n')
        self.delivered(notice())
        self.assertEqual(server.secured, [True])

    def test_between_this_machine_and_itself_no_certificate_is_asked_for(self):
        """Debian's exim and postfix offer TLS with a self-signed certificate."""
        context, _ = self.certificate()
        server = self.serve(tls=context)
        self.start(server)
        self.delivered(notice())
        self.assertEqual(server.secured, [False])

    def test_an_unknown_certificate_is_refused(self):
        context, _ = self.certificate()
        server = self.serve(tls=context)
        self.start(server, 'starttls = "required"\n')
        reply = self.deliver(notice())
        self.assertEqual(reply["status"], "failed")
        self.assertIn("certificate", reply["reason"])
        self.assertEqual(server.attempts, 0)

    def test_no_tls_where_it_is_required(self):
        server = self.serve()
        self.start(server, 'starttls = "required"\n')
        self.assertEqual(self.deliver(notice())["status"], "failed")
        self.assertEqual(server.attempts, 0)

    def test_smtps(self):
        context, certificate = self.certificate()
        server = self.serve(smtps=context)
        self.start(server, f'ca_file = "{certificate}"\n', scheme="smtps")
        self.delivered(notice())
        self.assertEqual(len(server.messages), 1)

    def _password(self, text):
        path = os.path.join(self.folder, "password")
        with open(os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_login(self):
        context, certificate = self.certificate()
        server = self.serve(tls=context, require_tls=True, password=("fmd", "s3cret word"))
        path = self._password("s3cret word\n")
        self.start(server, f'user = "fmd"\npassword_file = "{path}"\nca_file = "{certificate}"\n')
        self.delivered(notice())
        self.assertEqual(server.logins, [("fmd", "s3cret word")])

    def test_a_login_to_this_machine_needs_tls_unless_switched_off(self):
        server = self.serve(password=("fmd", "s3cret word"))
        path = self._password("s3cret word\n")
        login = f'user = "fmd"\npassword_file = "{path}"\n'
        self.start(server, login)
        self.assertEqual(self.deliver(notice())["status"], "failed")
        self.assertEqual(server.logins, [])
        with open(self.config, "a", encoding="utf-8") as file:
            file.write('starttls = "off"\n')
        self.restart()
        self.delivered(notice())
        self.assertEqual(server.logins, [("fmd", "s3cret word")])

    def test_a_wrong_password_is_not_printed(self):
        context, certificate = self.certificate()
        server = self.serve(tls=context, require_tls=True, password=("fmd", "right"))
        path = self._password("wrong-secret\n")
        self.start(server, f'user = "fmd"\npassword_file = "{path}"\nca_file = "{certificate}"\n')
        reply = self.deliver(notice())
        self.assertEqual(reply["status"], "failed")
        self.assertIn("535", reply["reason"])
        with open(self.log, encoding="utf-8") as file:
            said = file.read()
        self.assertNotIn("wrong-secret", said + reply["reason"])
        self.assertIn("535", said)


class Sendmail(MailCase):
    def _sendmail(self, script, recipients='to = ["a@example.org", "b@example.org"]\n'):
        path = os.path.join(self.folder, "sendmail")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(path, stat.S_IRWXU)
        self.write_config(f'transport = "sendmail"\nsendmail = "{path}"\nfrom = "fmd@storage1.example"\n' + recipients)
        self.start()

    def _file(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def test_it_gets_the_message(self):
        self._sendmail(f'cat >"{self.folder}/got"; printf "%s\\n" "$@" >"{self.folder}/words"\n')
        self.delivered(notice(body="ä\n.\nlast\n"))
        self.assertEqual(self._file("words").split(),
                         ["-i", "-f", "fmd@storage1.example", "--", "a@example.org", "b@example.org"])
        got = self._file("got")
        self.assertNotIn("\r", got)
        self.assertIn(f"\nSubject: {notice()['subject'][:40]}", got)
        self.assertIn("\n\n=C3=A4\n=2E\nlast\n", got)

    def test_root_gets_it_while_nobody_else_is_named(self):
        self._sendmail(f'cat >"{self.folder}/got"; printf "%s\\n" "$@" >"{self.folder}/words"\n', recipients="")
        self.delivered(notice())
        self.assertEqual(self._file("words").split()[-1], "root@localhost")
        self.assertIn("To: root@localhost\n", self._file("got"))

    def test_its_words_when_it_refuses(self):
        self._sendmail("echo 'the queue is read-only' >&2; exit 75\n")
        reply = self.deliver(notice())
        self.assertEqual(reply["status"], "failed")
        self.assertIn("the queue is read-only", reply["reason"])
        self.assertIn("75", reply["reason"])

    def test_no_such_program(self):
        self.write_config('transport = "sendmail"\nsendmail = "/nonexistent/sendmail"\nto = ["a@example.org"]\n')
        self.start()
        reply = self.deliver(notice())
        self.assertEqual(reply["status"], "failed")
        self.assertIn("No such file", reply["reason"])

    def test_one_that_hangs_is_ended(self):
        self._sendmail("exec sleep 1000\n")
        reply = self.deliver(notice(), deadline_ms=1500)
        self.assertEqual(reply["status"], "failed")


class Configuration(MailCase):
    def test_every_mistake_with_its_line(self):
        said = self.refused_config('sever = "smtp://a"\nstarttls = "requred"\ntransport = 7\nfrom = "no address"\n'
                                   'to = ["a@example.org", "b@exa mple.org"]\ntimeout = "soon"\n')
        for wanted in ("mail.toml:1: unknown key 'sever', did you mean 'server'?", 'did you mean "required"?',
                       "mail.toml:3: transport", "mail.toml:4: from is no mail address",
                       "mail.toml:5: to is no mail address", "mail.toml:6: timeout"):
            self.assertIn(wanted, said)

    def test_addresses_that_could_be_commands(self):
        for address in ("-oQ/tmp@example.org", "a b@example.org", "a@example.org>\\r\\nDATA", "a@@b", "@b", "a@", "a@.b",
                        "a@b,c@d", "\\\"a b\\\"@example.org", "<a@example.org", "N\\u0001 <a@example.org>"):
            self.assertIn("is no mail address", self.refused_config(f'to = ["{address}"]\n'))

    def test_a_password_is_not_sent_in_the_clear_by_chance(self):
        path = os.path.join(self.folder, "p")
        with open(path, "w", encoding="utf-8") as file:
            file.write("x")
        self.assertIn("in the clear", self.refused_config(f'user = "u"\npassword_file = "{path}"\nstarttls = "try"\n'))
        self.assertIn("needs both", self.refused_config('user = "u"\n'))
        self.assertIn("cannot be read", self.refused_config('user = "u"\npassword_file = "/nonexistent"\n'))

    def test_other_servers_are_refused(self):
        for server in ("http://a", "file:///etc/passwd", "smtp://", "smtp://a b", "smtp://a/path", "smtp://u:p@a"):
            self.assertIn("smtp://HOST:PORT", self.refused_config(f'server = "{server}"\n'), server)

    def test_no_recipients_is_no_crash(self):
        self.write_config('server = "smtp://mail.example.org"\n')
        self.start()
        self.assertIn(self.config, self.core.wait_status("not-observed"))
        reply = self.deliver(notice())
        self.assertEqual(reply["status"], "failed")
        self.assertIn(f"no recipients configured in {self.config}", reply["reason"])

    def test_the_example_is_valid(self):
        with open(os.path.join(TREE, "plugins", "mail", "mail.toml"), encoding="utf-8") as file:
            example = file.read()
        self.write_config(example)
        self.start()
        self.core.wait_status("ok")
        self.program.kill()
        keys = [line[1:] for line in example.splitlines() if line.startswith("#") and " = " in line[:20]]
        self.assertGreater(len(keys), 8)
        readable = self.certificate()[1]
        os.chmod(readable, 0o600)  # it also serves as the password file
        usable = [f'{key.split(" = ")[0]} = "{readable}"' if "_file" in key else key for key in keys]
        self.write_config("\n".join(usable))
        self.start_program()
        self.core.greet()


if __name__ == "__main__":
    unittest.main(argv=[BINARY], verbosity=2)
