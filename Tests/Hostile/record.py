"""The table of the page on threats: each attack, where it is made, what comes of it, and its check.

`recorded.tsv` has the kernels that each attack of the suite was run on.
"""

import os

import elsewhere
import suite

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "..", "..", "docs", "security", "threats.md")
RECORDED = os.path.join(HERE, "recorded.tsv")
START, END = "<!-- table: attacks -->\n", "<!-- end -->"
HEAD = "| attack | deployment | result | check |\n| --- | --- | --- | --- |\n"
SHORT = {suite.EMBEDDED: "embedded", suite.OWN_DAEMON: "own daemon", suite.SERVICE: "service"}


def kernel(masked):
    """Its version as far as it matters, and what of it this run was kept from seeing."""
    version = ".".join(os.uname().release.split(".")[:2])
    return version + (" without SO_PEERPIDFD" if masked else "")


def parts():
    page = open(PAGE).read()
    before, rest = page.split(START)
    table, after = rest.split(END, 1)
    return before + START, table, END + after


def row(name, expected, body, where):
    places = ", ".join(SHORT[place] for place in suite.PLACES if place in where)
    case = os.path.basename(body.__code__.co_filename)
    return [name, places, "possible" if expected == suite.SUCCEEDS else "fails", f"`{case}`"]


def table():
    """The table there should be."""
    rows = [row(name, expected, body, where) for name, expected, _, body, where in suite.ATTACKS]
    return HEAD + "".join("| " + " | ".join(cells) + " |\n" for cells in [*rows, *elsewhere.ROWS.values()])


def recorded():
    """The kernels of each attack."""
    lines = [line.rstrip("\n").split("\t") for line in open(RECORDED)]
    return {name: set(kernels.split(", ")) for name, kernels in lines}


def update(ended, masked):
    """Notes the attacks that have just ended as they must, and writes the page's table."""
    before, _, after = parts()
    with open(PAGE, "w") as page:
        page.write(before + table() + after)
    kernels = recorded()
    for name in ended:
        kernels.setdefault(name, set()).add(kernel(masked))
    with open(RECORDED, "w") as file:
        for name, *_ in suite.ATTACKS:
            if name in kernels:
                file.write(f"{name}\t{', '.join(sorted(kernels[name]))}\n")


def problems():
    """Where the page's table is not that of the attacks there are, or an attack was never recorded as run."""
    have, want, noted = set(parts()[1].splitlines()), set(table().splitlines()), recorded()
    attacks = {name for name, *_ in suite.ATTACKS}
    wrong = [f"not as in the table of the threats page (UPDATE_DOCS=1 make hostile): {line}" for line in have ^ want]
    return wrong + [f"never recorded as run, or no attack: {name}" for name in attacks ^ set(noted)]
