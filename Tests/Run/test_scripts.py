"""The scripts that drive the built programs: each is a test, and passes when it ends with 0."""

import pytest

from conftest import TOP

# These change users, mounts or services of the machine, as far as their processes see it: one at a time.
SYSTEM = {
    "agent_logind",
    "claim",
    "clock",
    "leaks",
    "manual_examples",
    "migrate_store",
    "package",
    "pam",
    "pam_login",
    "policy",
    "run_path",
    "service_kill",
    "sessions",
    "system_service",
    "unmade_keychain",
}
# These build the SDK, in one folder.
SDK = {"c_abi", "declarations", "sdk", "sdk_library"}
# These hold times against each other, which other tests would stretch: they run when everything else has ended.
ALONE = {"hostile", "load"}
# What takes long begins first.
LONG = ["sdk", "machinery", "budgets", "c_abi", "service_kill", "neighbours", "history", "older_copies", "kill"]


def group(name):
    return "system" if name in SYSTEM else "sdk" if name in SDK else name


def marks(name):
    return [pytest.mark.xdist_group(group(name))] + ([pytest.mark.alone] if name in ALONE else [])


def scripts():
    names = {path.name.removesuffix("_test.sh") for path in TOP.glob("Tests/Scripts/*_test.sh")}
    order = sorted(names, key=lambda name: (LONG.index(name) if name in LONG else len(LONG), name))
    return [pytest.param(name, marks=marks(name)) for name in order]


@pytest.mark.parametrize("name", scripts())
def test_script(name, run):
    assert run("sh", f"Tests/Scripts/{name}_test.sh").returncode == 0


def test_no_script_is_named_here_that_is_not_there():
    assert SYSTEM | SDK | ALONE | set(LONG) <= {parameter.values[0] for parameter in scripts()}
