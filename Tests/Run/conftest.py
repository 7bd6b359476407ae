"""One run of all tests: the Swift ones in parts, and the scripts that drive the built programs, several at a time."""

import os
import pathlib
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
SWIFT = os.environ.get("SWIFT", "swift")


def folder_of_programs():
    """The folder with the debug build, as SwiftPM names it."""
    done = subprocess.run([SWIFT, "build", "--show-bin-path"], cwd=TOP, capture_output=True, text=True, check=True)
    return pathlib.Path(done.stdout.strip())


@pytest.fixture
def run():
    """Runs a command in the package's folder. Its output is the report of a test that fails."""
    def run(*command):
        done = subprocess.run(command, cwd=TOP, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")
        print(done.stdout)
        return done
    return run
