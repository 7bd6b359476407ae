"""The table of the page on threats: each attack, what came of it where, its case, and the kernels it was run on."""

import os
import re

import suite

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "..", "..", "docs", "security", "threats.md")
START, END = "<!-- table: attacks -->\n", "<!-- end -->"
HEAD = (
    "| attack | embedded | user's daemon | system service | case | kernels |\n| --- | --- | --- | --- | --- | --- |\n"
)


def kernel(masked):
    """Its version as far as it matters, and what of it this run was kept from seeing."""
    version = ".".join(os.uname().release.split(".")[:2])
    return version + (" without SO_PEERPIDFD" if masked else "")


def parts():
    page = open(PAGE).read()
    before, rest = page.split(START)
    table, after = rest.split(END, 1)
    return before + START, table, END + after


def rows():
    """The rows that the page has, by attack."""
    found = {}
    for line in parts()[1].splitlines()[2:]:
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        found[cells[0]] = cells
    return found


def row(name, expected, body, where, kernels):
    outcome = "possible" if expected == suite.SUCCEEDS else "fails"
    results = [outcome if place in where else "–" for place in suite.PLACES]
    return [name, *results, f"`{os.path.basename(body.__code__.co_filename)}`", ", ".join(sorted(kernels)) or "–"]


def expected_rows(ended=(), masked=False):
    """The rows there should be, given the attacks that have just ended as they must."""
    old = rows()
    made = {}
    for name, expected, _, body, where in suite.ATTACKS:
        kernels = {each for each in old.get(name, ["–"])[-1].split(", ") if each != "–"}
        if name in ended:
            kernels.add(kernel(masked))
        made[name] = row(name, expected, body, where, kernels)
    return made


def update(ended, masked):
    before, _, after = parts()
    lines = ["| " + " | ".join(cells) + " |\n" for cells in expected_rows(ended, masked).values()]
    with open(PAGE, "w") as page:
        page.write(before + HEAD + "".join(lines) + after)


def problems():
    """Where the page's table is not that of the attacks there are, or an attack was never recorded as run."""
    have, want = rows(), expected_rows()
    wrong = [name for name in want if have.get(name) != want[name]] + [name for name in have if name not in want]
    return [f"not as in the table of the threats page (UPDATE_DOCS=1 make hostile): {name}" for name in wrong]
