"""fmd-webhook between a fake core, a real web server and real programs."""
import hashlib
import hmac
import http.server
import json
import os
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path[:0] = [os.path.join(TREE, "tests", "lib"), os.path.join(TREE, "simulator")]

from fake_core import FakeCore  # noqa: E402
from process import Program, patience  # noqa: E402

BINARY = os.environ["FMD_WEBHOOK"]
UUID = "6f3cbe38-13ea-4ff7-a4e0-8d4b9d1b3e11"


def notice(number=1, event="diagnosed"):
    return {"key": f"{UUID}:{event}:{number}", "event": event, "subject": "replace it", "body": "Replace it.\n", "host": "storage1",
            "time": 5, "case": {"uuid": UUID, "severity": "Major", "suspects": [{"serial": "$(reboot)\n`x`"}]}}


class Server:
    """A web server that records its requests. answers: statuses, used one after the other, then 200; a number of seconds: no answer."""

    def __init__(self, answers=(), tls=None):
        self.requests, self.answers, self.closing = [], list(answers), threading.Event()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.requests.append((self.path, dict(self.headers), body))
                answer = outer.answers.pop(0) if outer.answers else 200
                if answer == "silence":
                    outer.closing.wait()
                    return
                if answer == "hang up":
                    return
                self.send_response(answer)
                if answer in (301, 302, 307):
                    self.send_header("Location", f"http://127.0.0.1:{outer.port}/elsewhere")
                self.end_headers()
                self.wfile.write(b"the server's words\nmore\n")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()


class WebhookCase(unittest.TestCase):
    def setUp(self):
        # Writable by root only, like the program in it.
        self.folder = tempfile.mkdtemp(prefix="fmd-webhook-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.core = FakeCore(self.folder)
        self.addCleanup(self.core.close)
        self.state, self.config = os.path.join(self.folder, "state"), os.path.join(self.folder, "webhook.toml")
        os.mkdir(self.state)
        self.program = None

    def serve(self, *answers, tls=None):
        server = Server(answers, tls)
        self.addCleanup(server.stop)
        return server

    def file(self, name, text, mode=0o755):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def start(self, config):
        self.file("webhook.toml", config, 0o644)
        self.program = Program("fmd-webhook", [BINARY, "--socket", self.core.path, "--config", self.config],
                               os.path.join(self.folder, "log"), {"STATE_DIRECTORY": self.state, "SECRET_OF_THE_PLUGIN": "x"})
        self.program.start()
        self.addCleanup(self.program.kill)
        return self.core.greet()

    def restart(self):
        self.program.kill()
        self.program.start()
        self.core.greet()

    def deliver(self, args, **options):
        return self.core.deliver("outbox:webhook", args, **options)

    def delivered(self, args):
        reply = self.deliver(args)
        self.assertEqual(reply["status"], "done", reply)

    def refused_config(self, config):
        self.file("webhook.toml", config, 0o644)
        ran = subprocess.run([BINARY, "--socket", self.core.path, "--config", self.config], capture_output=True, text=True,
                             timeout=patience(), check=False, env=dict(os.environ, STATE_DIRECTORY=self.state))
        self.assertEqual(ran.returncode, 78, ran.stderr)
        return ran.stderr


class Posts(WebhookCase):
    def url(self, server, scheme="http"):
        return f'url = "{scheme}://127.0.0.1:{server.port}/hook?a=b"\n'

    def test_the_alert_and_its_signature(self):
        server = self.serve()
        secret = self.file("secret", "top secret\n", 0o600)
        self.start(self.url(server) + f'secret_file = "{secret}"\n')
        self.core.wait_status("ok")
        self.delivered(notice())
        self.delivered(notice())
        ((path, headers, body),) = server.requests
        self.assertEqual((path, headers["Content-Type"]), ("/hook?a=b", "application/json"))
        self.assertEqual(headers["Idempotency-Key"], notice()["key"])
        doc = json.loads(body)
        self.assertEqual((doc["version"], doc["event"], doc["host"], doc["case"]), (1, "diagnosed", "storage1", notice()["case"]))
        expected = "sha256=" + hmac.new(b"top secret", body, hashlib.sha256).hexdigest()
        self.assertTrue(hmac.compare_digest(headers["X-FMD-Signature"], expected))
        self.file("secret", "another\n", 0o600)
        self.delivered(notice(2))
        _, headers, body = server.requests[-1]
        self.assertEqual(headers["X-FMD-Signature"], "sha256=" + hmac.new(b"another", body, hashlib.sha256).hexdigest())

    def test_what_is_no_case(self):
        server = self.serve()
        self.start(self.url(server))
        happening = {"uuid": UUID, "event": "disk-inserted", "serial": "$(reboot)", "location": "SLOT 04"}
        self.delivered({**notice(1, "disk-inserted"), "case": {}, "happening": happening})
        doc = json.loads(server.requests[0][2])
        self.assertEqual((doc["event"], doc["case"], doc["happening"]), ("disk-inserted", {}, happening))
        self.delivered(notice())
        self.assertNotIn("happening", json.loads(server.requests[1][2]))

    def test_refused_then_taken(self):
        server = self.serve(503, 302)
        self.start(self.url(server))
        reply = self.deliver(notice())
        self.assertEqual(reply["status"], "failed")
        self.assertIn("HTTP 503: the server's words", reply["reason"])
        self.assertIn("HTTP 302", self.deliver(notice())["reason"])
        self.delivered(notice())
        self.assertEqual([path for path, _, _ in server.requests], ["/hook?a=b"] * 3, "no redirect is followed")

    def test_a_server_that_hangs_blocks_nothing(self):
        server = self.serve("silence")
        self.start(self.url(server) + 'timeout = "1h"\n')
        held = self.core.command("deliver", "outbox:webhook", notice(1), notice(1)["key"])
        other = self.core.command("refresh", "outbox:webhook", {}, "another")
        self.assertEqual(self.core.reply(other)["status"], "failed")
        self.assertNotIn(held, self.core.replies)

    def test_a_server_that_hangs_has_its_timeout(self):
        server = self.serve("silence", "hang up")
        self.start(self.url(server) + 'timeout = "1500ms"\n')
        reply = self.deliver(notice(1))
        self.assertEqual(reply["status"], "failed")
        self.assertIn("no answer in 2 s", reply["reason"])
        self.assertEqual(self.deliver(notice(1))["status"], "failed")
        self.delivered(notice(1))

    def test_no_server(self):
        server = self.serve()
        self.start(self.url(server))
        server.stop()
        self.assertIn("127.0.0.1", self.deliver(notice())["reason"])

    def test_a_certificate_must_hold(self):
        cert, key = os.path.join(self.folder, "cert.pem"), os.path.join(self.folder, "key.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key,
                        "-out", cert, "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"],
                       check=True, capture_output=True)
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(cert, key)
        server = self.serve(tls=tls)
        self.start(self.url(server, "https"))
        self.assertIn("certificate", self.deliver(notice())["reason"].lower())
        self.assertEqual(server.requests, [])
        self.program.kill()
        token = self.file("token", "abc\n", 0o600)
        self.start(self.url(server, "https") + f'ca_file = "{cert}"\ntoken_file = "{token}"\n')
        self.delivered(notice())
        self.assertEqual(server.requests[0][1]["Authorization"], "Bearer abc")


class Programs(WebhookCase):
    def script(self, text):
        return f'program = "{self.file("on-alert", "#!/bin/sh" + chr(10) + text)}"\n'

    def test_it_gets_the_alert_and_nothing_else(self):
        out = os.path.join(self.folder, "out")
        self.start(self.script(f"cat > {out}; env > {out}.env; ls -l /proc/self/fd > {out}.fds; echo $# >> {out}.env\n"))
        self.delivered(notice())
        with open(out, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["case"], notice()["case"])
        with open(out + ".env", encoding="utf-8") as file:
            text = file.read()
        self.assertNotIn("SECRET_OF_THE_PLUGIN", text)
        self.assertTrue(text.endswith("\n0\n"), "nothing of the alert is an argument")
        with open(out + ".fds", encoding="utf-8") as file:
            self.assertNotIn("socket:", file.read(), "none of the plugin's own connections")
        os.unlink(out)
        self.restart()
        self.delivered(notice())
        self.assertFalse(os.path.exists(out), "a key is delivered once")

    def test_what_it_says_when_it_fails(self):
        self.start(self.script("echo the pager is off >&2; exit 3\n"))
        reply = self.deliver(notice())
        self.assertEqual(reply["status"], "failed")
        self.assertIn("exit 3", reply["reason"])
        self.assertIn("the pager is off", reply["reason"])
        self.script("exit 0\n")
        self.delivered(notice())

    def test_one_that_reads_nothing_of_a_large_alert(self):
        self.start(self.script("exit 0\n"))
        self.delivered(notice() | {"body": "x" * 500000})

    def test_one_that_hangs_is_ended(self):
        self.start(self.script(f"echo $$ > {self.folder}/pid; sleep 600\n") + 'timeout = "1s"\n')
        self.assertEqual(self.deliver(notice())["status"], "failed")
        with open(f"{self.folder}/pid", encoding="ascii") as file:
            pid = int(file.read())
        for _ in range(200):
            if not os.path.exists(f"/proc/{pid}"):
                break
            threading.Event().wait(0.05)
        self.assertFalse(os.path.exists(f"/proc/{pid}"))

    def test_it_was_changed_after_the_start(self):
        config = self.script("exit 0\n")
        self.start(config)
        os.chmod(os.path.join(self.folder, "on-alert"), 0o777)
        reply = self.deliver(notice())
        self.assertEqual(reply["status"], "failed")
        self.assertIn("others than root may write to it", reply["reason"])

    def test_program_and_server(self):
        server = self.serve(500)
        out = os.path.join(self.folder, "out")
        self.start(self.script(f"echo once >> {out}\n") + f'url = "http://127.0.0.1:{server.port}/"\n')
        self.assertEqual(self.deliver(notice())["status"], "failed")
        self.restart()
        self.delivered(notice())
        with open(out, encoding="utf-8") as file:
            self.assertEqual(file.read(), "once\n", "what took it is not asked again")
        self.assertEqual(len(server.requests), 2)


class Configuration(WebhookCase):
    def test_every_mistake_with_its_line(self):
        loose = self.file("loose", "#!/bin/sh\n", 0o777)
        said = self.refused_config(f'progam = "x"\nurl = "http://a.example/"\nprogram = "{loose}"\nsecret_file = "/none"\ntimeout = "soon"\n')
        for wanted in ("webhook.toml:1: unknown key 'progam', did you mean 'program'?", "webhook.toml:2: url must be https://",
                       "webhook.toml:3: program", "others than root may write to it", "webhook.toml:4: secret_file",
                       "webhook.toml:5: timeout"):
            self.assertIn(wanted, said)
        self.assertIn("needs a url", self.refused_config(f'token_file = "{self.file("t", "x", 0o600)}"\n'))

    def test_nothing_to_do_is_no_crash(self):
        self.start("")
        self.assertIn("neither program nor url", self.core.wait_status("not-observed"))
        self.assertEqual(self.deliver(notice())["status"], "failed")

    def test_the_example_is_valid(self):
        with open(os.path.join(TREE, "plugins", "webhook", "webhook.toml"), encoding="utf-8") as file:
            example = file.read()
        self.start(example)
        self.core.wait_status("not-observed")
        self.program.kill()
        usable = self.file("usable", "#!/bin/sh\n", 0o700)
        keys = [line[1:].split(" = ") for line in example.splitlines() if line.startswith("#") and " = " in line[:20]]
        self.assertEqual(len(keys), 6)
        self.start("\n".join(f'{key} = "{usable}"' if value.startswith('"/') else f"{key} = {value}" for key, value in keys) + "\n")
        self.core.wait_status("ok")


if __name__ == "__main__":
    unittest.main(argv=[BINARY], verbosity=2)
