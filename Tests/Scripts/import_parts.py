"""Files to import, the report of an import, and the items that came of it."""

import json
import os


def put(home, content, name="logins.csv", mode=0o600):
    path = f"{home.temporary}/{name}"
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, mode)
    return path


def imported(home, *words, status=0):
    """The import's report."""
    result = home.run("--json", "import-from", *words)
    assert result.returncode == status, (words, result)
    return json.loads(result.stdout)


def report(**counts):
    usual = {"added": 0, "same": 0, "replaced": 0, "different": [], "refused": [], "unreadable": []}
    return usual | {"notRead": [], "withoutPassword": 0, "leftOut": {}} | counts


def items(home):
    """The items there are, by their class and account, with their values."""
    kinds = [home.run("item", "-g", "-j", f"class={kind}") for kind in ("inet", "genp")]
    lines = [line for result in kinds for line in result.stdout.splitlines()]
    return [json.loads(line) for line in lines]
