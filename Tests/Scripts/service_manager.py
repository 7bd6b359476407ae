"""A stand-in of the user's service manager (systemd) on a session bus. Says `ready`, and then the name of each unit
that the bus asks for, which it starts; ends with its input.

It reads of a unit the one line that it needs, as systemd.service(5) has it.
"""

import os
import pathlib
import shlex
import subprocess
import sys
import threading

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402


def start(unit):
    text = pathlib.Path(f"{os.environ['XDG_CONFIG_HOME']}/systemd/user/{unit}").read_text()
    (line,) = [line for line in text.split("\n") if line.startswith("ExecStart=")]
    (program,) = shlex.split(line.partition("=")[2])
    subprocess.Popen([program.replace("%%", "%")], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def asked(_bus, _sender, _path, _interface, _member, values):
    (unit,) = values.unpack()
    print(unit, flush=True)
    start(unit)


bus = Gio.bus_get_sync(Gio.BusType.SESSION)
interface = "org.freedesktop.systemd1.Activator"
bus.signal_subscribe(None, interface, "ActivationRequest", None, None, Gio.DBusSignalFlags.NONE, asked)
Gio.bus_own_name_on_connection(
    bus, "org.freedesktop.systemd1", Gio.BusNameOwnerFlags.NONE, lambda *_: print("ready", flush=True), None
)
loop = GLib.MainLoop()
threading.Thread(target=lambda: (sys.stdin.read(), loop.quit()), daemon=True).start()
loop.run()
