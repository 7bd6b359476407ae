"""One run of all tests: the Swift ones in parts, and the scripts that drive the built programs, several at a time."""

import pathlib
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]


def pytest_configure(config):
    config.addinivalue_line("markers", "alone: runs when everything else has ended")


@pytest.fixture
def run():
    """Runs a command in the package's folder. Its output is the report of a test that fails."""

    def run(*command):
        done = subprocess.run(
            command,
            cwd=TOP,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        print(done.stdout)
        return done

    return run
