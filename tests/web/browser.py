"""Browser: a real headless Chromium, driven through chromedriver. Tests look for text and for accessible names, as a person with a screen
reader does, so that a new layout of the page does not break them."""
import os
import tempfile

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from process import wait_for

OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
           "--disable-background-networking", "--disable-component-update", "--force-prefers-reduced-motion", "--lang=en")
CONTROLS = "button, a[href], input, select, textarea, summary, [role=button], [role=link], [role=tab], [tabindex='0']"


class Browser:
    def __init__(self, folder):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for option in (*OPTIONS, f"--user-data-dir={tempfile.mkdtemp(prefix='chromium-', dir=folder)}"):
            options.add_argument(option)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver", env={**os.environ, "TZ": "UTC", "HOME": folder}), options=options)
        self.size(1280, 900)

    def close(self):
        self.driver.quit()

    # --- view ---------------------------------------------------------------

    def open(self, address):
        self.driver.get(address)
        return self

    def size(self, width, height=900):
        """The page's size, without the window's frame."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})

    def theme(self, name):
        """light or dark: what the browser prefers, and what the user chose in Cockpit."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": name}]})
        self.driver.execute_script("localStorage.setItem('shell:style', arguments[0]);"
                                   "window.dispatchEvent(new CustomEvent('cockpit-style', {detail: {style: arguments[0]}}))", name)

    def screenshot(self, path):
        """The whole page, not only the visible part."""
        os.makedirs(os.path.dirname(path), exist_ok=True)
        height = self.script("return Math.min(6000, Math.max(900, document.documentElement.scrollHeight))")
        width = self.script("return window.innerWidth")
        self.size(width, height)
        self.driver.get_screenshot_as_file(path)
        self.size(width)
        return path

    # --- queries ------------------------------------------------------------

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def text(self, selector="body"):
        """The visible text, white space reduced to single spaces."""
        return self.script("const e = document.querySelector(arguments[0]); return e ? e.innerText.replace(/\\s+/g, ' ') : ''", selector)

    def wait_text(self, *texts, gone=()):
        """Waits until the page shows all of texts, and none of `gone`."""
        def shown():
            text = self.text()
            return all(one in text for one in texts) and not any(one in text for one in gone)
        wait_for(shown, 20, lambda: f"{texts} without {gone} in the page, which shows:\n{self.text()}\n{self.errors()}")

    def wait_frame(self, text):
        """The same for the page within Cockpit's own frame."""
        def shown():
            return self.script("return [...document.querySelectorAll('iframe')].map((one) => one.contentDocument?.body?.innerText || '').join()")
        wait_for(lambda: text in shown(), 20, lambda: f"'{text}' in a frame, which shows:\n{shown()}")

    def controls(self):
        """Name -> element of each visible control that can be used."""
        found = {}
        for element in self.driver.find_elements(By.CSS_SELECTOR, CONTROLS):
            try:
                if element.is_displayed() and element.is_enabled() and element.get_attribute("aria-disabled") != "true":
                    found.setdefault(" ".join(element.accessible_name.split()), element)
            except StaleElementReferenceException:  # drawn again meanwhile
                continue
        return found

    def errors(self):
        """What the console has as errors since the last call: exceptions and violations of the content security policy."""
        return [line["message"] for line in self.driver.get_log("browser") if line["level"] == "SEVERE" and "favicon" not in line["message"]]

    # --- actions ------------------------------------------------------------

    def find(self, name):
        """Waits for a control whose accessible name contains this text."""
        return wait_for(lambda: next((one for label, one in self.controls().items() if name in label), None), 20,
                        lambda: f"a control '{name}'; there are {sorted(self.controls())}\n{self.text()}\n{self.errors()}")

    def click(self, name):
        """Clicks a control; once more if the page has replaced it between search and click."""
        def clicked():
            try:
                self.find(name).click()
                return True
            except StaleElementReferenceException:
                return False
        wait_for(clicked, 20, f"'{name}' to be clicked")

    def press(self, *keys):
        for key in keys:
            self.driver.switch_to.active_element.send_keys(getattr(Keys, key, key))

    def focused(self):
        """The accessible name of the element that has the keyboard."""
        return " ".join(self.driver.switch_to.active_element.accessible_name.split())
