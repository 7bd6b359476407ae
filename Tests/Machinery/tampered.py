"""The store that tamper.py changes.

Passwords, certificates, keys and identities of two programs, and what is asked of it.

An answer is everything that a program is told of an item: all attributes, the value, and of a certificate, key or
identity what the object is. What is right was written down before anything was changed, and held against what
openssl has made.
"""

import json
import os
import sqlite3
import subprocess

from players import Daemon, Typist, environment

# Items of one program, by service and account; the last is added by a program of a group of its own, under the first
# one's name.
OWN = [("one", "0"), ("one", "1"), ("two", "0")]
FOREIGN = ("one", "0", "990000")
SITES = {"bank.example": "the bank's", "evil.example": "the other one's"}
# Certificates with their keys; the last is the other program's. And a key that the enclave keeps.
OWN_IDENTITIES, FOREIGN_IDENTITY, KEPT = ("ada", "bob"), "eve", "kept"
GROUP = {"PLAYER_GROUP": "TEST.somebody"}


class Identity:
    """A certificate and its key, made by openssl."""

    def __init__(self, name, folder):
        self.name = name
        key, certificate = f"{folder}/{name}.key", f"{folder}/{name}.der"
        self.openssl(
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-keyout",
            key,
            "-out",
            certificate,
            "-outform",
            "DER",
            "-subj",
            f"/O=Tampering/CN={name}",
            "-days",
            "3650",
        )
        with open(certificate, "rb") as file:
            self.certificate = file.read()
        # ECPrivateKey of RFC 5915: the number after seven bytes, the point at the end.
        content = self.openssl("ec", "-in", key, "-outform", "DER")
        self.point = content[-65:]
        self.key = self.point + content[7:39]

    @staticmethod
    def openssl(*words):
        return subprocess.run(["openssl", *words], capture_output=True, check=True).stdout


class Question:
    """What is asked by the player: the line, and the items that the answer is made of."""

    def __init__(self, name, line, items):
        self.name, self.line, self.items = name, line, set(items)


def parts(item):
    """The attributes of an item as the player shows it."""
    return dict(word.split("=") for word in item.split(","))


def questions(attributes):
    """Every way to one item, and the lists.

    attributes: of each certificate and key by its label, as the player shows them.
    """
    for name in OWN:
        yield Question("/".join(name), "get " + " ".join(name), ["/".join(name)])
    yield Question("all passwords", "all", [])
    for name in (*OWN_IDENTITIES, FOREIGN_IDENTITY):
        certificate, key = (attributes[f"{code} {name}"] for code in ("cert", "keys"))
        asked = {
            "subject": f"cert subj={certificate['subj']}",
            "hash": f"cert pkhh={certificate['pkhh']}",
            "issuer and number": f"cert issr={certificate['issr']} slnr={certificate['slnr']}",
            "label": f"cert labl:{certificate['labl']}",
            "key's label": f"keys klbl={key['klbl']} kcls#{key['kcls']} type#{key['type']}",
            "key's tag": f"keys atag={key['atag']}",
            "key's name": f"keys labl:{key['labl']}",
            "identity": f"idnt subj={certificate['subj']}",
            "identity by its key": f"idnt klbl={key['klbl']}",
        }
        for how, line in asked.items():
            halves = [f"cert {name}", f"keys {name}"]
            yield Question(
                f"{name} by {how}", f"ask {line}", halves if "identity" in how else [line.split()[0] + " " + name]
            )
    yield Question(f"{KEPT} by its tag", f"ask keys atag={KEPT.encode().hex()}", [f"keys {KEPT}"])
    for code in ("cert", "keys", "idnt"):
        yield Question(f"all {code}", f"ask {code}", [])


class Base:
    """A store with items, its tables, their rows before the last update, and what the answers were at both times."""

    def __init__(self, programs, folder):
        self.programs, self.home = programs, f"{folder}/base"
        self.names = {}
        self.identities = {name: Identity(name, folder) for name in (*OWN_IDENTITIES, FOREIGN_IDENTITY)}
        self.fill()
        with sqlite3.connect(f"{self.home}/keychain.db") as store:
            names = [
                row[0] for row in store.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            ]
            self.columns = {name: [row[1] for row in store.execute(f"PRAGMA table_info({name})")] for name in names}
            self.rows = {name: store.execute(f"SELECT * FROM {name}").fetchall() for name in names}
        store.close()

    @property
    def item_tables(self):
        return [name for name, columns in self.columns.items() if {"uuid", "code"} <= set(columns)]

    def fill(self):
        self.play(GROUP, [self.passwords([FOREIGN[:2]], 990000), self.pair(FOREIGN_IDENTITY)], [None])
        own = [[line] for line in self.passwords(OWN, 100)] + [
            [line] for name in OWN_IDENTITIES for line in self.pair(name)
        ]
        keys = ["/".join(name) for name in OWN] + [
            f"{code} {name}" for name in OWN_IDENTITIES for code in ("cert", "keys")
        ]
        self.play(None, own + [[f"makekey kept-before {KEPT}"]], keys + [f"keys {KEPT}"])
        for site, value in SITES.items():
            self.serve(lambda: self.store_password(site, "earlier " + value))
            self.note_new(site)
        self.older = self.read()
        self.serve(self.update)

    def passwords(self, names, first):
        return [f"add {service} {account} {first + number} 100" for number, (service, account) in enumerate(names)]

    def pair(self, name):
        identity = self.identities[name]
        return [
            f"addcert {name}-before {identity.certificate.hex()}",
            f"addkey {name}-before {name} {identity.key.hex()}",
        ]

    def update(self):
        """Gives every item of the first program another value or label; the answers before and after are noted."""
        player = Typist(self.programs, self.home, "daemon")
        attributes = self.described(player)
        self.questions = list(questions(attributes))
        self.earlier, self.earlier_dump = self.told(player), self.dumped()
        for number, name in enumerate(OWN):
            self.do(player, f"set {' '.join(name)} {200 + number} 100")
        for code, name in [("cert", name) for name in OWN_IDENTITIES] + [
            ("keys", name) for name in (*OWN_IDENTITIES, KEPT)
        ]:
            self.do(player, f"relabel {code} {name}-before {name}")
        for site, value in SITES.items():
            self.store_password(site, value)
        labelled = {
            key: values if FOREIGN_IDENTITY in key else values | {"labl": values["labl"].removesuffix(b"-before".hex())}
            for key, values in attributes.items()
        }
        self.questions = list(questions(labelled))
        self.answers, self.dump = self.told(player), self.dumped()
        player.leave()
        self.check(labelled)

    def described(self, player):
        """The attributes of all certificates and keys by class and name.

Those of the other program are known from its own look.
        """
        found = {}
        for line in ("ask cert", "ask keys"):
            for item in self.foreign_items[line] + self.do(player, line).result:
                values = parts(item)
                found[f"{line.split()[1]} {bytes.fromhex(values['labl']).decode().removesuffix('-before')}"] = values
        return found

    def check(self, attributes):
        """What is taken for right is what openssl has made."""
        for name in OWN_IDENTITIES:
            identity = self.identities[name]
            certificate, key = attributes[f"cert {name}"], attributes[f"keys {name}"]
            assert certificate["v_Data"] == certificate["certificate"] == identity.certificate.hex(), name
            assert key["v_Data"] == identity.key.hex() and key["public"] == identity.point.hex(), name
            assert key["signs"] == "true" and certificate["pkhh"] == key["klbl"], name
            (both,) = self.answers[f"{name} by identity"]
            assert parts(both)["certificate"] == identity.certificate.hex() and parts(both)["signs"] == "true", name
        for name, told in self.answers.items():
            assert len(told) == (0 if name.startswith(FOREIGN_IDENTITY) else 1) or name.startswith(
                "all"
            ), f"{name}: {told}"
        assert [len(self.answers[f"all {code}"]) for code in ("passwords", "cert", "keys", "idnt")] == [3, 2, 3, 2]
        assert self.answers["/".join(OWN[0])] == ("200",)

    def play(self, more, groups, names):
        """Does lines in groups in a program with the keychain inside, and notes whose rows came with each."""
        player = Typist(self.programs, self.home, "embedded", more)
        for lines, name in zip(groups, names + [None] * len(groups)):
            for line in lines:
                self.do(player, line)
            self.note_new(name)
        if more:
            self.foreign_items = {line: self.do(player, line).result for line in ("ask cert", "ask keys")}
        player.leave()

    def do(self, player, line):
        answer = player.do(line)
        if answer is None or answer.status != 0:
            raise RuntimeError(f"{line[:60]}: {answer}")
        return answer

    def serve(self, work):
        """Does it while a daemon serves the store, which nobody else can read meanwhile."""
        daemon = Daemon(self.programs, self.home)
        try:
            work()
        finally:
            daemon.end()

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
        """The rows that were not there before are this item's."""
        for table, rows in self.read().items():
            for key in rows:
                self.names.setdefault((table, key), name)

    def told(self, player, home=None):
        """The answers to all questions by their names, each the items found; None where it was refused."""
        answers = {}
        for question in self.questions:
            answer = player.do(question.line)
            is_told = answer is not None and answer.status in (0, -25300)
            answers[question.name] = tuple(answer.result or []) if is_told else None
        for site in SITES:
            code, text = security(
                self.programs, home or self.home, "find-internet-password", "-s", site, "-a", "me", "-w"
            )
            answers[site] = (text,) if code == 0 else None
        return answers

    def items_of(self, name):
        """The items whose rows an answer is made of."""
        return {name} if name in SITES else next(one.items for one in self.questions if one.name == name)

    def dumped(self, home=None):
        """The items of all programs as the command shows them."""
        code, text = security(self.programs, home or self.home, "--json", "dump-keychain")
        items = json.loads(text) if code == 0 and text else []
        return {
            json.dumps({key: value for key, value in item.items() if key != "keychain"}, sort_keys=True)
            for item in items
        }


def security(programs, home, *words):
    """The command: exit status and what it prints."""
    done = subprocess.run(
        [f"{programs}/security", *words],
        env=environment(programs, home, "daemon"),
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout.strip()


class Answers:
    """What the daemon's programs are told of a store."""

    def __init__(self, base, home):
        self.values, self.dump, self.damage = {}, set(), None
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
        self.values = base.told(player, home)
        player.leave()
        self.dump = base.dumped(home)
        code, text = security(base.programs, home, "verify-keychain")
        self.damage = text if code else None
