"""Holds the protected files that the library makes against docs/formats/file.md, by way of protected_file.py.

usage: file_format_test.py FOLDER-OF-PROGRAMS [TEST...]
"""

import hashlib
import hmac
import os
import random
import subprocess
import sys
import unittest

import protected_file
from patience import PATIENCE
from protected_file import CHUNKS, HEADER, Identity, Refused, Shelf, read, slot, write

CLASSES = (1, 2, 3, 4)
SIZES = (0, 1, 4095, 4096, 4097, 3 * 4096 + 5)
SEED = 6


def sealer(words, data):
    command = [os.path.join(FOLDER, "file-sealer"), *map(str, words)]
    return subprocess.run(command, input=data, capture_output=True, timeout=PATIENCE, check=False)


def shelf_key(shelf):
    return (shelf.private if shelf.protection == protected_file.UNLESS_OPEN else shelf.wrap_key).hex()


def seal(content, shelf, exponent=12, generation=1, recovery=()):
    own = shelf.public.hex() if shelf.protection == protected_file.UNLESS_OPEN else shelf.wrap_key.hex()
    file_id, file_key = os.urandom(16).hex(), os.urandom(32).hex()
    words = ["seal", shelf.protection, exponent, generation, file_id, shelf.id.hex(), file_key, own]
    words += [one.recipient for one in recovery]
    done = sealer(words, content)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refusal(data, shelf, how="open"):
    """Why the library does not read a file, and what it gave out before."""
    done = sealer([how, shelf.protection, shelf_key(shelf)], data)
    assert done.returncode == 1, "it was read"
    return done.stderr.decode().strip(), done.stdout


class BothWays(unittest.TestCase):
    def read_by_library(self, data, shelf):
        found = [sealer([how, shelf.protection, shelf_key(shelf)], data) for how in ("open", "seek")]
        self.assertEqual([(0, b"")] * 2, [(one.returncode, one.stderr) for one in found])
        self.assertEqual(found[0].stdout, found[1].stdout)
        return found[0].stdout

    def test_what_the_library_writes_is_read_from_the_page(self):
        for protection in CLASSES:
            for size in SIZES:
                content, shelf = os.urandom(size), Shelf(protection)
                self.assertEqual(content, read(seal(content, shelf), shelf))

    def test_what_is_written_from_the_page_is_read_by_the_library(self):
        for protection in CLASSES:
            for size in SIZES:
                content, shelf = os.urandom(size), Shelf(protection)
                self.assertEqual(content, self.read_by_library(write(content, shelf, 12), shelf))

    def test_chunks_of_every_size_are_read_both_ways(self):
        for exponent in (12, 13, 16, 20):
            content, shelf = os.urandom((2 << exponent) + 17), Shelf(1)
            self.assertEqual(content, read(seal(content, shelf, exponent), shelf))
            self.assertEqual(content, self.read_by_library(write(content, shelf, exponent), shelf))

    def test_with_the_same_keys_both_write_the_same_bytes(self):
        shelf, content = Shelf(1), os.urandom(10000)
        data = seal(content, shelf, 13, 7)
        one, file_key = protected_file.authentic(data, shelf)
        slots = [slot(*found) for found in one.slots]
        again = protected_file.header(file_key, one.file_id, slots, 1, 13, 7)
        self.assertEqual(data, again * 2 + b"".join(protected_file.chunks(content, file_key, one.file_id, 13)))

    def test_slots_of_kinds_that_are_not_known_are_passed_over(self):
        shelf = Shelf(3)
        further = [slot(kind, os.urandom(16), os.urandom(size)) for kind, size in ((9, 0), (255, 3000))]
        self.assertEqual(b"text", self.read_by_library(write(b"text", shelf, further=further), shelf))

    def test_recovery_slots_open_the_file_both_ways_and_its_shelf_still_does(self):
        for protection in CLASSES:
            shelf, content, recovery = Shelf(protection), os.urandom(5000), [Identity() for _ in range(7)]
            for data in (seal(content, shelf, recovery=recovery), write(content, shelf, 12, recovery=recovery)):
                self.assertEqual(content, self.read_by_library(data, shelf))
                for one in (recovery[0], recovery[6]):
                    done = sealer(["recover", one.text], data)
                    self.assertEqual((0, content), (done.returncode, done.stdout))
                    self.assertEqual(content, read(data, one))
                self.assertEqual("no key", sealer(["recover", Identity().text], data).stderr.decode().strip())

    def test_one_lost_header_costs_nothing(self):
        shelf = Shelf(1)
        data = write(b"text", shelf)
        for place in (0, HEADER):
            lost = data[:place] + os.urandom(HEADER) + data[place + HEADER :]
            self.assertEqual(b"text", read(lost, shelf))
            self.assertEqual(b"text", self.read_by_library(lost, shelf))


class Refusals(unittest.TestCase):
    def test_a_file_of_another_release_is_told_from_damage_and_from_plain_content(self):
        shelf = Shelf(1)
        data = write(b"text", shelf)
        for field, place, value in (("version", 8, 2), ("kind", 10, 2), ("suite", 11, 2)):
            other = bytearray(data)
            other[place] = other[HEADER + place] = value
            self.assertEqual((f"unsupported {field} {value}", b""), refusal(bytes(other), shelf))
        self.assertEqual(("not protected", b""), refusal(b"plain text", shelf))
        self.assertEqual(("not protected", b""), refusal(b"", shelf))
        self.assertEqual(("not protected", b""), refusal(bytes(20000), shelf))
        self.assertEqual(("damaged 8191", b""), refusal(data[:8191], shelf))
        self.assertEqual(("no key", b""), refusal(data, Shelf(1)))

    def test_damage_is_named_by_its_place_and_what_is_before_it_comes_out(self):
        shelf, content = Shelf(1), os.urandom(5 * 4096)
        data = write(content, shelf, 12)
        for chunk in range(6):
            place = CHUNKS + chunk * (4096 + 16)
            other = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
            # In pieces: all that is whole and before it; from the end on: nothing.
            self.assertEqual((f"damaged {place}", content[: chunk * 4096]), refusal(other, shelf))
            self.assertEqual((f"damaged {place}", b""), refusal(other, shelf, "seek"))

    def test_a_file_of_two_generations_opens_with_the_greater(self):
        shelf, content = Shelf(1), b"text"
        data = write(content, shelf)
        one, file_key = protected_file.authentic(data, shelf)
        newer = protected_file.header(file_key, one.file_id, [shelf.slot(file_key, one.file_id)], 3, generation=2)
        moved = Shelf(3)
        moved.__dict__.update({key: value for key, value in vars(shelf).items() if key != "protection"})
        for both in (data[:HEADER] + newer, newer + data[:HEADER]):
            self.assertEqual("another class", refusal(both + data[CHUNKS:], shelf)[0])
            done = sealer(["open", 3, shelf_key(moved)], both + data[CHUNKS:])
            self.assertEqual((0, content), (done.returncode, done.stdout))

    def test_a_header_that_claims_a_greater_generation_without_the_key_does_not_count(self):
        shelf = Shelf(1)
        data = write(b"text", shelf)
        forged = bytearray(data)
        forged[16:24], forged[12] = b"\xff" * 8, 12
        self.assertEqual(b"text", read(bytes(forged), shelf))
        self.assertEqual((0, b"text"), (lambda done: (done.returncode, done.stdout))(
            sealer(["open", 1, shelf_key(shelf)], bytes(forged))))

    def test_both_take_and_refuse_the_same_files(self):
        chance = random.Random(SEED)
        shelf = Shelf(1)
        whole = write(os.urandom(2 * 4096 + 100), shelf, 12)
        kinds = set()
        for _ in range(80):
            data = bytearray(whole)
            # Both headers, so that no spare one helps; and sometimes with the right code, so that it is read on.
            place, bit = chance.randrange(180), 1 << chance.randrange(8)
            if chance.random() < 0.6:
                for base in (0, HEADER):
                    data[base + place] ^= bit
                if chance.random() < 0.7:
                    self.mend(data, whole, shelf)
            else:
                data[chance.randrange(CHUNKS, len(data))] ^= bit
                if chance.random() < 0.5:
                    del data[chance.randrange(len(data)) :]
            try:
                expected = (0, read(bytes(data), shelf))
            except Refused as refused:
                expected = (1, str(refused))
            done = sealer(["seek", 1, shelf_key(shelf)], bytes(data))
            reason = done.stderr.decode().split(" ")[0].strip()
            found = (0, done.stdout) if done.returncode == 0 else (1, {"not": "not protected"}.get(reason, reason))
            # Which key is wrong, and what is damaged, is one thing to the page.
            if found[1] in ("no", "another"):
                found = (1, "damaged")
            self.assertEqual(expected, found)
            kinds.add(expected[1] if expected[0] else "read")
        self.assertLessEqual({"damaged", "unsupported", "not protected"}, kinds)

    @staticmethod
    def mend(data, whole, shelf):
        one, file_key = protected_file.authentic(whole, shelf)
        for base in (0, HEADER):
            end = base + protected_file.CODE
            key = protected_file.derive(file_key, bytes(data[base + 48 : base + 64]), b"header")
            data[end : end + 32] = hmac.digest(key, bytes(data[base:end]), hashlib.sha256)
        return one


if __name__ == "__main__":
    FOLDER = sys.argv.pop(1)
    unittest.main(verbosity=2)
