"""The simulation of merging as a program: many steps with new seeds, and a mutant for each rule.

usage: simulation_long_test.py FOLDER-OF-PROGRAMS STEPS [SEED]
"""

import os
import pathlib
import random
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
MODULE = TOP / "Tests/Daemon/SyncMergingTests"
RULES = TOP / "Sources/Daemon/SyncMerging/MergeRules.swift"
# Each process has seeds of its own.
APART = 1 << 32


def tests(programs, suites, **variables):
    """Tests of the debug build, in a process of their own."""
    command = [f"{programs}/swift-keychainPackageTests.xctest", "--testing-library", "swift-testing"]
    chosen = f"^SyncMergingTests.({'|'.join(suites)})/"
    return subprocess.Popen(
        [*command, "--no-parallel", "--filter", chosen],
        cwd=TOP,
        env=os.environ | {name: str(value) for name, value in variables.items()},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def ended(process):
    out = process.communicate()[0]
    sys.stdout.write("".join(line for line in out.splitlines(True) if re.search("issue|seeds? |Test run with", line)))
    assert process.returncode == 0, process.returncode
    return out


def suites_with_mutants():
    """The suites that switch rules off. Every rule is among them."""
    texts = [path.read_text() for path in sorted(MODULE.glob("*.swift"))]
    rules = re.findall(r"package var (\w+) = true", RULES.read_text())
    assert rules
    lacking = [rule for rule in rules if not any(re.search(rf"\b{rule} = false", text) for text in texts)]
    assert not lacking, f"rules without a mutant: {lacking}"
    switching = [text for text in texts if re.search(r"= false\b", text)]
    return ["RuleMutantTests", *(name for text in switching for name in re.findall(r"struct (\w+Tests) ", text))]


def simulate(programs, steps, seed):
    """So many steps in all, in as many processes as there are processors; how many and with which seeds."""
    count = os.cpu_count() or 1
    share = -(-steps // count)
    running = [
        tests(programs, ["SimulationProgramTests"], SIMULATION_STEPS=share, SIMULATION_SEED=seed + number * APART)
        for number in range(count)
    ]
    ends = [re.search(r"simulation: (\d+) steps, seeds (\S+), 0 with", ended(process)) for process in running]
    assert all(ends), "a process has not said what it did"
    return sum(int(end[1]) for end in ends), [end[2] for end in ends]


def main(programs, steps, seed=None):
    mutants = suites_with_mutants()
    print(f"mutants: {' '.join(mutants)}")
    ran = ended(tests(programs, mutants))
    assert re.search(r"Test run with \d\d+ tests", ran), "the mutants have not run"
    seed = int(seed) if seed else random.randrange(1, 1 << 40)
    print(f"the first seed: {seed}", flush=True)
    taken, seeds = simulate(programs, int(steps), seed)
    assert taken >= int(steps), taken
    print(f"simulation: {taken} steps, seeds {' '.join(seeds)}: nothing was lost, and every rule has its mutant")


if __name__ == "__main__":
    main(*sys.argv[1:])
