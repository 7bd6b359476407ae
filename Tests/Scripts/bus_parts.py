"""A system bus of a test's own, with fprintd and its virtual reader, and what python-dbusmock plays: polkit and logind.
"""

import contextlib
import os
import pathlib
import socket
import subprocess

from agent_parts import expect
from keychain_parts import answers
from patience import PATIENCE, eventually


@contextlib.contextmanager
def running(*command, ready=None, **environment):
    """A program that runs meanwhile."""
    program = subprocess.Popen(
        command, env={"PATH": "/usr/bin:/bin", **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        eventually(lambda: program.poll() is not None or ready(), f"{command[0]} does not start")
        expect(program.poll() is None, f"{command[0]} ends at once")
        yield program
    finally:
        program.terminate()
        try:
            program.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()


class Bus:
    """A system bus of its own."""

    CONFIGURATION = """<busconfig><type>system</type><listen>unix:path={path}</listen><policy context="default">
        <allow user="*"/><allow own="*"/><allow send_type="method_call"/><allow send_type="signal"/>
        <allow send_requested_reply="true" send_type="method_return"/>
        <allow send_requested_reply="true" send_type="error"/><allow receive_type="method_call"/>
        <allow receive_type="method_return"/><allow receive_type="error"/><allow receive_type="signal"/>
        </policy></busconfig>"""

    def __init__(self, folder, stack):
        import dbus

        self.dbus, self.folder, self.stack = dbus, folder, stack
        path = f"{folder}/bus"
        self.address = f"unix:path={path}"
        pathlib.Path(f"{folder}/bus.conf").write_text(self.CONFIGURATION.format(path=path))
        stack.enter_context(
            running(
                "dbus-daemon",
                f"--config-file={folder}/bus.conf",
                "--nofork",
                "--nopidfile",
                ready=lambda: answers(path),
            )
        )
        self.connection = dbus.bus.BusConnection(self.address)

    def has(self, name):
        return self.connection.name_has_owner(name)

    def mock(self, template, name):
        self.stack.enter_context(
            running(
                "/usr/bin/python3",
                "-m",
                "dbusmock",
                "--system",
                "--template",
                template,
                ready=lambda: self.has(name),
                DBUS_SYSTEM_BUS_ADDRESS=self.address,
            )
        )

    def interface(self, name, path, interface):
        return self.dbus.Interface(self.connection.get_object(name, path), interface)


class Reader:
    """fprintd with libfprint's virtual reader."""

    NAME = "net.reactivated.Fprint"

    def __init__(self, bus):
        self.bus, self.path = bus, f"{bus.folder}/reader"
        state = f"{bus.folder}/state"
        os.mkdir(state, 0o700)
        bus.mock("polkitd", "org.freedesktop.PolicyKit1")
        policy = bus.interface(
            "org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority", "org.freedesktop.DBus.Mock"
        )
        policy.AllowUnknown(True)
        self.environment = {"DBUS_SYSTEM_BUS_ADDRESS": bus.address, "PATH": "/usr/bin:/bin"}
        bus.stack.enter_context(
            running(
                "/usr/libexec/fprintd",
                "-t",
                ready=lambda: bus.has(self.NAME),
                FP_VIRTUAL_DEVICE=self.path,
                STATE_DIRECTORY=state,
                DBUS_SYSTEM_BUS_ADDRESS=bus.address,
            )
        )

    def put(self, command):
        with socket.socket(socket.AF_UNIX) as reader:
            eventually(lambda: reader.connect_ex(self.path) == 0, "the reader does not take a finger")
            reader.sendall(command.encode())

    def enrol(self, finger, name):
        program = subprocess.Popen(
            ["fprintd-enroll", "-f", name], env=self.environment, stdout=subprocess.PIPE, text=True
        )
        for line in program.stdout:
            if "Enrolling" in line or "stage-passed" in line:
                self.put(f"SCAN {finger}")
        expect(program.wait(PATIENCE) == 0, "a finger cannot be enrolled")

    def delete(self, name=None):
        user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
        command = ["fprintd-delete", user] + (["-f", name] if name else [])
        subprocess.run(command, env=self.environment, stdout=subprocess.DEVNULL, check=True, timeout=PATIENCE)
