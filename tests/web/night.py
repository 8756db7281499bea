#!/usr/bin/python3
"""The page's long tests: other problems than a disk, another user, hostile names, the keyboard alone, accessibility, a big machine, and a
screenshot of each page (into FMD_SCREENSHOTS)."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest

from web_case import BUILD, NOBODY, PAGE, TREE, WebCase

from big_stage import BigStage
from browser import Browser
from cockpit import Cockpit
from process import patience, wait_for

NASTY = "\"';<script>document.title='broken'</script><img src=x onerror=document.title='broken'>\u202eab\x1b[2J"
PLACES = ("", "chassis")


def squeezed(text):
    return " ".join(text.split())


class Problems(WebCase):
    host_options = {"controllers": 1}

    def shows(self, kind):
        """The page shows the one problem with that fault class, as the daemon words it."""
        def found():
            return next((case for case in self.solved() if any(kind in suspect["class"] for suspect in case["suspects"])), None)
        uuid = self.wait(found, lambda: f"{kind}: {self.stage.cases(True)}", seconds=240)["uuid"]
        self.browser.open(self.cockpit.address(f"case/{uuid}"))
        say = self.stage.case(uuid)["say"]
        self.browser.wait_text(squeezed(say["headline"]), "Safe to pull")

    def test_lost_data(self):
        self.host.lose(["a file"])
        self.host.scrub()
        self.shows("data")

    def test_hung_pool(self):
        self.host.hang("tank")
        self.shows("pool")

    def test_swap_until_resolved(self):
        self.host.corrupt(4, blocks=40)
        self.host.scrub()
        case = self.case_for(4)
        self.check_out_of_service(4)
        self.browser.wait_text("SLOT 04")
        self.swap(4)
        self.wait(lambda: self.stage.case(case["uuid"])["state"] == "RESOLVED", "the case resolved")
        self.browser.wait_text("No problem is known", gone=("Open problems",))


class Rights(WebCase):
    user = NOBODY

    def test_reads_everything_and_offers_no_change(self):
        self.host.corrupt(4, blocks=40)
        self.host.scrub()
        self.case_for(4)
        self.browser.wait_text("SLOT 04", "DISK04G0", "survives")
        self.browser.click("Chassis")
        self.browser.wait_text("SLOT 01", "DISK01G0", "SLOT 08")
        self.assertEqual([name for name in self.browser.controls() if "ocat" in name], [], "no button that would fail")


class Hostile(WebCase):
    pool = "p" + "o" * 200
    host_options = {"serials": {4: NASTY}, "pools": (f"{pool}=raidz2:1,2,3,4,5,6+7",)}

    def test_text_is_text(self):
        self.browser.size(390)
        self.host.corrupt(4, blocks=15)
        self.host.read(self.pool, seconds=0.3)
        uuid = self.case_for(4)["uuid"]
        for place in ("", "chassis", f"case/{uuid}"):
            self.browser.open(self.cockpit.address(place))
            self.browser.wait_text("<script>document.title", *(["\\u202e"] if place == "chassis" else []))
            self.assertEqual(self.browser.driver.title, "Hardware")
            self.assertEqual(self.browser.script("return document.querySelectorAll('main script, main img').length"), 0)
            self.assertLessEqual(self.browser.script("return document.documentElement.scrollWidth"), 390, f"{place}: wider than the screen")


class Pages(WebCase):
    def setUp(self):
        super().setUp()
        self.host.corrupt(4, blocks=40)
        self.host.scrub()
        self.uuid = self.case_for(4)["uuid"]
        self.check_out_of_service(4)
        self.places = (*PLACES, f"case/{self.uuid}")

    def show(self, place):
        self.browser.open("about:blank").open(self.cockpit.address(place))
        self.browser.wait_text("SLOT 04", *(["Locate"] if place == "chassis" else []))

    def test_keyboard_alone(self):
        self.browser.wait_text("SLOT 04")
        self.reach("Chassis")
        self.browser.press("ENTER")
        self.browser.wait_text("Fault LED is on")
        self.reach("Locate SLOT 04")
        self.browser.press("ENTER")
        self.browser.wait_text("will blink")
        self.reach("Let SLOT 04 blink")
        self.browser.press("ENTER")
        self.browser.wait_text("Locate LED is on")
        self.assertEqual(self.browser.focused(), "Stop locating SLOT 04", "the keyboard stays where it was")

    def reach(self, name):
        for _ in range(60):
            if self.browser.focused() == name:
                return
            self.browser.press("TAB")
        self.fail(f"TAB does not reach '{name}'")

    def test_accessible(self):
        """axe-core, the checker that browsers' own accessibility tools use, finds no violation."""
        folder = tempfile.mkdtemp(prefix="fmd-axe-")
        self.addCleanup(shutil.rmtree, folder)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(os.path.join(TREE, "tests", "web", name), folder)
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=folder, check=True, timeout=patience(), stdout=subprocess.DEVNULL)
        with open(os.path.join(folder, "node_modules", "axe-core", "axe.min.js"), encoding="utf-8") as file:
            axe = file.read()
        for place in self.places:
            for theme in ("light", "dark"):
                self.show(place)
                self.browser.theme(theme)
                self.browser.driver.set_script_timeout(patience())
                self.browser.script(axe)
                violations = self.browser.driver.execute_async_script("axe.run().then((found) => arguments[0](found.violations))")
                self.assertEqual([(one["id"], [node["html"] for node in one["nodes"]]) for one in violations], [], f"{place} {theme}")

    def test_screenshots(self):
        folder = os.environ.get("FMD_SCREENSHOTS") or tempfile.mkdtemp(prefix="fmd-screenshots-")
        for place in self.places:
            for theme in ("light", "dark"):
                for width in (1280, 390):
                    self.browser.size(width)
                    self.show(place)
                    self.browser.theme(theme)
                    path = os.path.join(folder, f"{place.partition('/')[0] or 'overview'}-{theme}-{width}.png")
                    self.browser.screenshot(path)
                    self.assertGreater(os.path.getsize(path), 10_000, path)
                    self.assertLessEqual(self.browser.script("return document.documentElement.scrollWidth"), width, path)
        self.browser.size(1280)
        self.browser.open(self.cockpit.shell_address())
        self.browser.theme("light")
        self.browser.open(self.cockpit.shell_address())
        self.browser.wait_frame("SLOT 04")
        self.browser.screenshot(os.path.join(folder, "cockpit.png"))
        self.browser.driver.switch_to.frame(self.browser.driver.find_element("css selector", "iframe[src*='fmd']"))
        self.browser.click("Chassis")
        self.browser.wait_text("Fault LED is on", "Locate SLOT 08")


class Big(unittest.TestCase):
    def test_every_bay_is_drawn(self):
        with BigStage(BUILD) as stage:
            stage.look()
            os.chmod(stage.folder, 0o711)
            cockpit, browser = Cockpit(stage, PAGE).start(), Browser(stage.folder)
            self.addCleanup(browser.close)
            bays = len(stage.resources("bay"))
            self.assertGreaterEqual(bays, 1000)
            browser.open(cockpit.address("chassis"))
            drawn = "return document.querySelectorAll('.bays li').length"
            wait_for(lambda: browser.script(drawn) == bays, 60, lambda: f"{bays} bays; {browser.script(drawn)}\n{browser.errors()}")
            times = json.loads(browser.script("""const list = document.querySelector('.bays'), copy = list.cloneNode(true), from = performance.now();
                list.replaceWith(copy); copy.getBoundingClientRect(); return JSON.stringify(performance.now() - from)"""))
            print(f"{bays} bays; one layout of all takes {times:.0f} ms")
            self.assertEqual(browser.errors(), [])


if __name__ == "__main__":
    unittest.main()
