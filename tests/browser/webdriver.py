"""A headless Chromium, driven through chromedriver (https://www.w3.org/TR/webdriver2/)."""

import json
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
ESCAPE = "\ue00c"
ARROW_RIGHT = "\ue014"

ARGUMENTS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--window-size=1400,1000",
]


def available():
    return bool(shutil.which("chromedriver") and shutil.which("chromium"))


class Browser:
    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        self.session = ""
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def _start(self):
        for line in self.driver.stdout:
            port = re.search(r"started successfully on port (\d+)", line)
            if port:
                break
        else:
            raise RuntimeError("chromedriver did not start")
        self.base = f"http://127.0.0.1:{port[1]}/session"
        options = {
            "binary": shutil.which("chromium"),
            "args": ARGUMENTS + [f"--user-data-dir={self.profile.name}"],
        }
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        answer = self._send("", {"capabilities": {"alwaysMatch": wanted}})
        self.session = "/" + answer["sessionId"]

    def close(self):
        try:
            if self.session:
                self._send(self.session, method="DELETE")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()
            self.profile.cleanup()

    def _send(self, path, body=None, method="POST"):
        request = urllib.request.Request(self.base + path, method=method)
        if method == "POST":
            request.add_header("Content-Type", "application/json")
            request.data = json.dumps(body or {}).encode()
        # No proxy: the driver is on this machine.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()) from error

    def open(self, path):
        self._send(self.session + "/url", {"url": path.as_uri()})

    def run(self, script, *arguments):
        """Runs a function body in the page; elements come back as handles."""
        return self._send(self.session + "/execute/sync", {"script": script, "args": arguments})

    def find(self, selector):
        return self._send(self.session + "/element", {"using": "css selector", "value": selector})

    def click(self, element):
        self._send(f"{self.session}/element/{element[ELEMENT]}/click")

    def console(self):
        """What the page has said on the console since the last call, errors and all."""
        return self._send(self.session + "/se/log", {"type": "browser"})

    def move(self, x, y):
        """Moves the mouse to a place in the window."""
        self._point([{"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}])

    def press(self):
        self._point([{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}])

    def _point(self, actions):
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}}
        self._send(self.session + "/actions", {"actions": [mouse | {"actions": actions}]})

    def key(self, value):
        presses = [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self._send(self.session + "/actions",
                   {"actions": [{"type": "key", "id": "keys", "actions": presses}]})

    def prefer(self, scheme):
        """The colour scheme that the system is said to have."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._send(self.session + "/goog/cdp/execute",
                   {"cmd": "Emulation.setEmulatedMedia", "params": {"features": features}})
