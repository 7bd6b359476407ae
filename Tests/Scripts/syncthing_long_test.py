"""Two homes whose folder Syncthing carries: what one machine commits arrives at the other, and nothing is lost.

usage: syncthing_long_test.py

Both listen on loopback, and announce themselves nowhere.
"""

import os
import pathlib
import socket
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree

TOP = pathlib.Path(__file__).resolve().parents[2]
SYNCTHING = TOP / ".build/syncthing/usr/bin/syncthing"
PROGRAM = TOP / ".build/debug/swift-keychainPackageTests.xctest"

OPTIONS = {
    "globalAnnounceEnabled": "false", "localAnnounceEnabled": "false", "relaysEnabled": "false", "natEnabled": "false",
    "startBrowser": "false", "urAccepted": "-1", "autoUpgradeIntervalH": "0", "crashReportingEnabled": "false",
    "reconnectionIntervalS": "1",
}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Home:
    """A home with a folder, and its Syncthing."""

    def __init__(self, folder):
        self.home, self.shared, self.address = f"{folder}/home", f"{folder}/shared", f"tcp://127.0.0.1:{free_port()}"
        os.makedirs(self.shared)
        self.environment = os.environ | {"HOME": folder, "STNOUPGRADE": "1"}
        self.run("generate", f"--home={self.home}", "--no-default-folder")
        self.device = self.run(f"--home={self.home}", "--device-id").strip()

    def run(self, *words):
        done = subprocess.run(
            [SYNCTHING, *words], env=self.environment, check=True, capture_output=True, text=True)
        return done.stdout

    def configure(self, homes):
        path = f"{self.home}/config.xml"
        tree = ElementTree.parse(path)
        top, options = tree.getroot(), tree.getroot().find("options")
        top.find("gui/address").text = f"127.0.0.1:{free_port()}"
        for name, text in {**OPTIONS, "listenAddress": self.address}.items():
            for old in options.findall(name):
                options.remove(old)
            ElementTree.SubElement(options, name).text = text
        for old in top.findall("device"):
            top.remove(old)
        folder = ElementTree.SubElement(
            top, "folder", id="circle", path=self.shared, type="sendreceive", rescanIntervalS="5",
            fsWatcherEnabled="true", fsWatcherDelayS="1")
        for home in homes:
            device = ElementTree.SubElement(top, "device", id=home.device, compression="never")
            ElementTree.SubElement(device, "address").text = home.address
            ElementTree.SubElement(folder, "device", id=home.device)
        tree.write(path)

    def start(self):
        self.process = subprocess.Popen(
            [SYNCTHING, "serve", f"--home={self.home}", "--no-browser", "--no-restart"], env=self.environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def end(self):
        self.process.terminate()
        self.process.wait()


def main():
    with tempfile.TemporaryDirectory(prefix="syncthing.") as folder:
        homes = [Home(f"{folder}/{number}") for number in range(2)]
        for home in homes:
            home.configure(homes)
            home.start()
        try:
            words = ["--testing-library", "swift-testing", "--no-parallel", "--filter", "TwoHomesTests"]
            folders = ":".join(home.shared for home in homes)
            subprocess.run([PROGRAM, *words], cwd=TOP, check=True, env=os.environ | {"KEYCHAIN_TEST_FOLDERS": folders})
        finally:
            for home in homes:
                home.end()


main()
