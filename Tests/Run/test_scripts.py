"""The scripts that drive the built programs: each is a test, and passes when it ends with 0."""

import os

import pytest

import tiers
from conftest import TOP, left_out

# These build the SDK, in one folder.
SDK = {"c_abi", "declarations", "package", "sdk", "sdk_library"}
# What takes long begins first.
LONG = ["hostile", "sdk", "machinery", "budgets", "browse_faults", "older_copies", "neighbours", "kill"]


def group(name):
    return "sdk" if name in SDK else name


def names():
    return {path.name.removesuffix("_test.sh") for path in TOP.glob("Tests/Scripts/*_test.sh")}


def pytest_generate_tests(metafunc):
    if "name" in metafunc.fixturenames:
        tier = metafunc.config.getoption("--tier")
        mine = [name for name in names() if tiers.tier(name) == tier]
        order = sorted(mine, key=lambda name: (LONG.index(name) if name in LONG else len(LONG), name))
        marked = [pytest.param(name, marks=pytest.mark.xdist_group(group(name)), id=name) for name in order]
        metafunc.parametrize("name", marked)


def test_script(name, run):
    done = run("sh", f"Tests/Scripts/{name}_test.sh")
    assert done.returncode == 0
    missing = left_out(done.stdout)
    if missing and os.geteuid() != 0:
        pytest.skip("; ".join(missing))
    assert not missing, "as root everything runs: make deps installs what is missing"


def test_every_script_has_one_tier():
    named = tiers.LONG_SCRIPTS | tiers.RELEASE_SCRIPTS
    assert not tiers.LONG_SCRIPTS & tiers.RELEASE_SCRIPTS
    assert named | SDK | set(LONG) <= names()
