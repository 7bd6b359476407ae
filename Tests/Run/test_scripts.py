"""The scripts that drive the built programs: each is a test, and passes when it ends with 0."""

import pytest

import players
import tiers
from conftest import TOP, left_out

# These build the SDK, in one folder.
SDK = {"c_abi", "declarations", "package", "sdk", "sdk_library"}


def group(name):
    return "sdk" if name in SDK else name


def names():
    return {path.name.removesuffix("_test.sh") for path in TOP.glob("Tests/Scripts/*_test.sh")}


def pytest_generate_tests(metafunc):
    if "name" in metafunc.fixturenames:
        tier = metafunc.config.getoption("--tier")
        mine = [name for name in names() if tiers.tier(name) == tier]
        metafunc.parametrize(
            ("name", "player"),
            [played(name, player) for name in sorted(mine) for player in players.present(players.of_script(name))],
        )


def played(name, player):
    both = len(players.of_script(name)) > 1
    of_root = both and player == players.ROOTS
    return pytest.param(
        name, player, marks=pytest.mark.xdist_group(group(name)), id=f"{name}-root" if of_root else name
    )


def test_script(name, player, run):
    done = run(player, "sh", f"Tests/Scripts/{name}_test.sh")
    assert done.returncode == 0
    missing = left_out(done.stdout)
    if missing and not players.IS_ROOT:
        pytest.skip("; ".join(missing))
    assert not missing, "where root starts the tests everything runs: make deps installs what is missing"


def test_every_script_has_one_tier():
    named = tiers.LONG_SCRIPTS | tiers.RELEASE_SCRIPTS
    assert not tiers.LONG_SCRIPTS & tiers.RELEASE_SCRIPTS
    assert named | SDK <= names()


def test_what_begins_first_is_there():
    assert set(tiers.LONGEST) <= names() | {path.name for path in TOP.glob("Tests/*/*Tests")}
