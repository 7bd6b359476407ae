"""Somebody without a key changes the store's tables while nobody has it open.

Then the daemon and the command are asked.

usage: tamper.py FOLDER-OF-PROGRAMS [--seconds N] [--seed N] [--every] [--only TABLE,TABLE]

Every column of every row of the items is altered by a byte, emptied, swapped with another row's, copied from another
row of this and of another table, and put back to what it was before an update; whole rows are swapped, copied and
put back, too. So are the other tables'. The columns are read from the schema. Afterwards a program asks for every
password, certificate, key and identity by all that an index has of it, and `security` shows everything: each answer
is the item as it was stored or an error, never another one's attribute, value, key or certificate and never an item
of somebody else. The other rows still answer, and verify-keychain reports the damage. A whole row of earlier times
answers as it was then, which SECURITY.md says; a change of the other tables need not be reported as long as every
item is found: what was not is counted.
"""

import argparse
import collections
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import time

from tampered import Answers, Base, parts

Case = collections.namedtuple("Case", "table row column how other")
# What stands in columns of these names is compared with each other.
JOINED = {"pkhh": "klbl", "klbl": "pkhh"}


def cases(base, every, rng):
    """All that is done to the tables, by column and by row."""
    for table, rows in base.rows.items():
        for index, row in enumerate(rows):
            others = [other for other in range(len(rows)) if other != index]
            for place, column in enumerate(base.columns[table]):
                yield from column_cases(table, rows, index, place, column, others, every, rng)
                yield from crossed_cases(base, table, index, column, rng)
            for how in ("row-older", "row-copied", "row-swapped") if table in base.item_tables else ():
                yield Case(table, index, None, how, rng.choice(others) if others else None)


def column_cases(table, rows, index, place, column, others, every, rng):
    value = rows[index][place]
    size = len(value) if isinstance(value, (bytes, str)) else 1
    for position in range(size) if every else [rng.randrange(size)] if size else []:
        yield Case(table, index, column, "altered", position)
    yield Case(table, index, column, "emptied", None)
    yield Case(table, index, column, "older", None)
    for other in [rng.choice(others)] if others else []:
        yield Case(table, index, column, "copied", other)
        yield Case(table, index, column, "swapped", other)


def crossed_cases(base, table, index, column, rng):
    """From a row of another table that has such a column."""
    if table not in base.item_tables or column == base.columns[table][0]:
        return
    sources = [
        (other, name)
        for other in base.item_tables
        for name in (column, JOINED.get(column))
        if other != table and name in base.columns[other] and base.rows[other]
    ]
    if sources:
        other, name = rng.choice(sources)
        yield Case(table, index, column, "crossed", (other, name, rng.randrange(len(base.rows[other]))))


def altered(value, position):
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value[:position] + chr(ord(value[position]) ^ 1) + value[position + 1 :]
    if value is None:
        return b"\x01" * 16
    return value[:position] + bytes([value[position] ^ 1]) + value[position + 1 :]


def tamper(base, home, case):
    """Does it; false where the tables do not take it, or where nothing changes."""
    columns, rows = base.columns[case.table], base.rows[case.table]
    store = sqlite3.connect(f"{home}/keychain.db")
    try:
        change(base, store, case, columns, rows)
        store.commit()
        return store.execute(f"SELECT * FROM {case.table}").fetchall() != rows
    except sqlite3.IntegrityError:
        return False
    finally:
        store.close()


def change(base, store, case, columns, rows):
    row, key = rows[case.row], columns[0]
    place = columns.index(case.column) if case.column else None
    put = lambda column, value, of: store.execute(f"UPDATE {case.table} SET {column} = ? WHERE {key} = ?", (value, of))
    if case.how == "altered":
        put(case.column, altered(row[place], case.other), row[0])
    elif case.how == "emptied":
        put(case.column, b"" if row[place] is None or place == 0 or row[place] else None, row[0])
    elif case.how == "older":
        put(case.column, base.older[case.table].get(row[0], row)[place], row[0])
    elif case.how == "copied":
        put(case.column, rows[case.other][place], row[0])
    elif case.how == "crossed":
        table, column, number = case.other
        put(case.column, base.rows[table][number][base.columns[table].index(column)], row[0])
    elif case.how == "swapped":
        put(case.column, b"aside", rows[case.other][0])
        put(case.column, rows[case.other][place], row[0])
        put(case.column, row[place], rows[case.other][0])
    elif case.how == "row-older":
        replace(store, case.table, columns, base.older[case.table].get(row[0], row))
    elif case.how == "row-copied":
        # The names that must be unique stay; all else is the other's.
        kept = {"id", "uuid", "pk"}
        for column, value in zip(columns, rows[case.other]):
            if column not in kept:
                put(column, value, row[0])
    elif case.how == "row-swapped":
        other = rows[case.other]
        store.execute(f"DELETE FROM {case.table} WHERE {key} IN (?, ?)", (row[0], other[0]))
        replace(store, case.table, columns, (row[0], *other[1:]))
        replace(store, case.table, columns, (other[0], *row[1:]))


def replace(store, table, columns, row):
    store.execute(f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * len(columns))})", row)


def wrong(base, case, answers):
    """What is wrong with the answers; None when nothing is."""
    touched, is_item, is_older = touches(base, case), case.table in base.item_tables, case.how == "row-older"
    missing = False
    for name, told in answers.values.items():
        right = base.answers[name]
        for item in told or ():
            if item not in right and not (is_older and is_earlier(base, name, item)):
                return f"{name} answers with {item}"
        if len(told or ()) < len(right) and not (is_older and base.items_of(name) & touched):
            missing = True
            if is_item and base.items_of(name) and not base.items_of(name) & touched:
                return f"{name} is hidden, whose row is as it was"
    for item in answers.dump - base.dump - (base.earlier_dump if is_older else set()):
        return f"the command answers with {item}"
    if not answers.damage and (missing or not answers.dump) and case.how != "row-swapped":
        return "nothing is found, and nobody reports it"
    if (
        is_item
        and not answers.damage
        and case.how not in ("row-older", "row-swapped")
        and case.column != base.columns[case.table][0]
    ):
        return "nobody reports it"
    return None


def touches(base, case):
    """The items whose rows a case changes."""
    rows = base.rows.get(case.table, [])
    changed = {case.row, case.other} if case.how in ("copied", "swapped", "row-copied", "row-swapped") else {case.row}
    return {base.names.get((case.table, rows[row][0])) for row in changed - {None}}


def is_earlier(base, name, item):
    """Whether an item is one of the right ones with each attribute as it is or as it was.

Of an identity one half may be older.
    """
    if "," not in item:
        return item in (base.earlier[name] or ())
    found = parts(item)
    for kind in ("certificate", "public"):
        versions = [
            parts(one)
            for one in (*base.answers[name], *(base.earlier[name] or ()))
            if parts(one).get(kind) == found.get(kind)
        ]
        if versions and all(value in {one.get(key) for one in versions} for key, value in found.items()):
            return True
    return False


def only_answers(problem):
    """What is wrong with an answer; None for what is merely not reported, or hidden."""
    return problem if problem and "answers with" in problem else None


def in_turns(base, todo, rng):
    """The cases in an order in which every table comes soon, those with items more often."""
    seen = collections.Counter()
    rng.shuffle(todo)
    order = []
    for case in todo:
        seen[case.table] += 1
        order.append(seen[case.table] / (3 if case.table in base.item_tables else 1))
    return [case for _, case in sorted(zip(order, todo), key=lambda pair: pair[0])]


def attack(options, base, folder, rng, figures):
    todo = [
        case for case in cases(base, options.every, rng) if not options.only or case.table in options.only.split(",")
    ]
    end = time.monotonic() + options.seconds
    for case in in_turns(base, todo, rng):
        if time.monotonic() > end or figures["wrong"]:
            break
        home = f"{folder}/k"
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(base.home, home, ignore=shutil.ignore_patterns("*.sock", "*-shm"))
        if not tamper(base, home, case):
            figures["nothing to change"] += 1
            continue
        answers = Answers(base, home)
        problem = wrong(base, case, answers)
        if options.answers:
            problem = only_answers(problem)
        figures.update({"cases": 1, case.table: 1, "reported": bool(answers.damage), "wrong": bool(problem)})
        if not answers.damage:
            figures[f"{case.table}.{case.column or case.how} unreported"] += 1
        if problem:
            print(f"{case}: {problem}", flush=True)
    return len(todo)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--only", help="the tables that are changed")
    parser.add_argument("--answers", action="store_true", help="only wrong answers count, not what is not reported")
    options = parser.parse_args()
    rng, figures = random.Random(options.seed), collections.Counter()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        base = Base(os.path.abspath(options.programs), folder)
        untouched = Answers(base, base.home)
        problem = wrong(base, Case(None, None, None, "nothing", None), untouched)
        if untouched.values != base.answers or untouched.dump != base.dump or untouched.damage or problem:
            sys.exit(f"before any change: {problem or untouched.damage or untouched.values}")
        count = attack(options, base, folder, rng, figures)
    tables = ", ".join(f"{name} {figures[name]}" for name in base.rows if figures[name])
    print(
        f"tampering: {figures['cases']} changes of {count} cases ({figures['nothing to change']} change nothing;"
        f" {tables}), {figures['reported']} reported, {figures['wrong']} wrong, seed {options.seed}"
    )
    silent = {name: number for name, number in figures.items() if name.endswith("unreported")}
    if silent:
        print(f"not reported: {silent}")
    sys.exit(figures["wrong"] > 0)


if __name__ == "__main__":
    main()
