"""Somebody without a key changes the store's tables while nobody has it open; then the daemon and the command are asked.

usage: tamper.py FOLDER-OF-PROGRAMS [--seconds N] [--seed N] [--every]

Every column of every row of the items is altered by a byte, emptied, swapped with another row's, copied from another row and put
back to what it was before an update; whole rows are swapped, copied and put back, too. So are the other tables'. The columns are
read from the schema. Afterwards a program and `security` ask for every item: each answer is the item's own value or an error,
never another value and never an item of somebody else. The other rows still answer, and verify-keychain reports the damage.
A whole row of earlier times answers with its earlier value, which SECURITY.md says; a change of the other tables need not be
reported as long as every item is found: what was not is counted.
"""

import argparse
import collections
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

from players import Daemon, Examiner, Typist, environment

# Items of one program, by service and account; the last is added by a program of a group of its own, under the first one's name.
OWN = [("one", "0"), ("one", "1"), ("two", "0")]
FOREIGN = ("one", "0", "990000")
SITES = {"bank.example": "the bank's", "evil.example": "the other one's"}

Case = collections.namedtuple("Case", "table row column how other")


class Base:
    """A store with items, its tables, and their rows before the last update."""

    def __init__(self, programs, home):
        self.programs, self.home = programs, home
        self.names, self.values, self.older = {}, {}, {}
        self.fill()
        with sqlite3.connect(f"{home}/keychain.db") as store:
            names = [row[0] for row in store.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
            self.columns = {name: [row[1] for row in store.execute(f"PRAGMA table_info({name})")] for name in names}
            self.rows = {name: store.execute(f"SELECT * FROM {name}").fetchall() for name in names}
        store.close()

    @property
    def item_tables(self):
        return [name for name, columns in self.columns.items() if {"uuid", "code"} <= set(columns)]

    def fill(self):
        foreign = Typist(self.programs, self.home, "embedded", {"PLAYER_GROUP": "TEST.somebody"})
        foreign.do(f"add {FOREIGN[0]} {FOREIGN[1]} {FOREIGN[2]} 100")
        foreign.leave()
        self.note_new(None)
        for number, name in enumerate(OWN):
            self.serve(lambda: self.play(f"add {' '.join(name)} {100 + number} 100"))
            self.note_new("/".join(name))
        for site, value in SITES.items():
            self.serve(lambda: self.store_password(site, "earlier " + value))
            self.note_new(site)
        self.older = self.read()
        self.serve(self.update)

    def update(self):
        for number, name in enumerate(OWN):
            self.play(f"set {' '.join(name)} {200 + number} 100")
            self.values["/".join(name)] = str(200 + number)
        for site, value in SITES.items():
            self.store_password(site, value)
            self.values[site] = value

    def serve(self, work):
        """Does it while a daemon serves the store, which nobody else can read meanwhile."""
        daemon = Daemon(self.programs, self.home)
        work()
        daemon.end()

    def play(self, line):
        player = Typist(self.programs, self.home, "daemon")
        answer = player.do(line)
        player.leave()
        if answer is None or answer.status != 0:
            raise RuntimeError(f"{line}: {answer}")

    def store_password(self, site, value):
        security(self.programs, self.home, "add-internet-password", "-U", "-s", site, "-a", "me", "-w", value)

    def read(self):
        """All rows by table and key, as they are now."""
        store = sqlite3.connect(f"file:{self.home}/keychain.db?mode=ro", uri=True)
        names = [row[0] for row in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = {name: {row[0]: row for row in store.execute(f"SELECT * FROM {name}")} for name in names}
        store.close()
        return rows

    def note_new(self, name):
        """The row that was not there before is this item's."""
        for table, rows in self.read().items():
            for key in rows:
                self.names.setdefault((table, key), name)

    def earlier(self, name):
        if name in SITES:
            return "earlier " + SITES[name]
        return str(100 + ["/".join(own) for own in OWN].index(name))


def security(programs, home, *words):
    """The command: exit status and what it prints."""
    done = subprocess.run([f"{programs}/security", *words], env=environment(programs, home, "daemon"), capture_output=True,
                          text=True, timeout=60)
    return done.returncode, done.stdout.strip()


def cases(base, every, rng):
    """All that is done to the tables, by column and by row."""
    for table, rows in base.rows.items():
        for index, row in enumerate(rows):
            others = [other for other in range(len(rows)) if other != index]
            for place, column in enumerate(base.columns[table]):
                yield from column_cases(table, rows, index, place, column, others, every, rng)
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


def altered(value, position):
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value[:position] + chr(ord(value[position]) ^ 1) + value[position + 1:]
    if value is None:
        return b"\x01" * 16
    return value[:position] + bytes([value[position] ^ 1]) + value[position + 1:]


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


class Answers:
    """What the daemon's programs are told of a store."""

    def __init__(self, base, home):
        self.values, self.everything, self.damage = {}, None, None
        try:
            daemon = Daemon(base.programs, home)
        except RuntimeError:
            self.damage = "the daemon does not serve it"
            return
        try:
            self.ask(base, home)
        finally:
            daemon.end()

    def ask(self, base, home):
        player = Typist(base.programs, home, "daemon")
        for name in OWN:
            answer = player.do("get " + " ".join(name))
            self.values["/".join(name)] = (answer.result or ["nothing"])[0] if answer and answer.status == 0 else None
        answer = player.do("all")
        self.everything = dict(item.split("=") for item in answer.result) if answer and answer.status == 0 else {}
        player.leave()
        for site in SITES:
            code, text = security(base.programs, home, "find-internet-password", "-s", site, "-a", "me", "-w")
            self.values[site] = text if code == 0 else None
        code, text = security(base.programs, home, "verify-keychain")
        self.damage = text if code else None


def wrong(base, case, answers):
    """What is wrong with the answers; None when nothing is."""
    is_item = case.table in base.item_tables
    rows = base.rows.get(case.table, [])
    touched = {base.names.get((case.table, rows[row][0])) for row in
               ({case.row, case.other} if case.how in ("copied", "swapped", "row-copied", "row-swapped") else {case.row}) - {None}}
    for name, value in answers.values.items():
        allowed = {base.values[name]} | ({base.earlier(name)} if case.how == "row-older" and name in touched else set())
        if value is not None and value not in allowed:
            return f"{name} answers with {value}"
        if value is None and is_item and name not in touched and answers.values:
            return f"{name} is hidden, whose row is as it was"
    for name, value in (answers.everything or {}).items():
        expected = {base.values.get(name), base.earlier(name) if name in base.values and case.how == "row-older" else None}
        if value != "locked" and value not in expected:
            return f"a search for all answers with {name} = {value}"
    if not answers.damage and None in answers.values.values() and case.how != "row-swapped":
        return "nothing is found, and nobody reports it"
    if is_item and not answers.damage and case.how not in ("row-older", "row-swapped") and case.column != base.columns[case.table][0]:
        return "nobody reports it"
    return None


def only_answers(problem):
    """What is wrong with an answer; None for what is merely not reported, or hidden."""
    return problem if problem and "answers with" in problem else None


def attack(options, base, folder, rng, figures):
    todo = list(cases(base, options.every, rng))
    rng.shuffle(todo)
    end = time.monotonic() + options.seconds
    for case in todo:
        if time.monotonic() > end or figures["wrong"]:
            break
        home = f"{folder}/k"
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(base.home, home, ignore=shutil.ignore_patterns("*.sock", "*-shm"))
        if not tamper(base, home, case):
            continue
        answers = Answers(base, home)
        problem = wrong(base, case, answers)
        if options.answers:
            problem = only_answers(problem)
        figures.update({"cases": 1, "reported": bool(answers.damage), "wrong": bool(problem)})
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
    parser.add_argument("--answers", action="store_true", help="only wrong answers count, not what is not reported")
    options = parser.parse_args()
    rng, figures = random.Random(options.seed), collections.Counter()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        base = Base(os.path.abspath(options.programs), f"{folder}/base")
        untouched = Answers(base, base.home)
        problem = wrong(base, Case(None, None, None, "nothing", None), untouched)
        if untouched.values != base.values or untouched.damage or problem:
            sys.exit(f"before any change: {problem or untouched.damage or untouched.values}")
        count = attack(options, base, folder, rng, figures)
    print(f"tampering: {figures['cases']} changes of {count} cases, {figures['reported']} reported, {figures['wrong']} wrong, "
          f"seed {options.seed}")
    silent = {name: number for name, number in figures.items() if name.endswith("unreported")}
    if silent:
        print(f"not reported: {silent}")
    sys.exit(figures["wrong"] > 0)


if __name__ == "__main__":
    main()
