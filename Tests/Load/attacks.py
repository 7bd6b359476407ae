"""What one program does to slow the others: a row for each attack."""

import frames


class Attack:
    """A way to play a frame over so many connections.

    way, connections, amount: as player.c takes them; programs: so many copies of the program do it, each with its
    share of the connections; short: it is one of the short form's (load_test.sh).
    """

    def __init__(self, name, way, frame, connections, amount, programs=1, short=False):
        self.name, self.way, self.frame, self.short = name, way, frame, short
        self.connections, self.amount, self.programs = connections, amount, programs


def table():
    lookup = frames.lookup("own", "00000000")
    huge = 1 << 20
    return [
        Attack("lookups, 1 connection, 16 deep", "flood", lookup, 1, 16),
        Attack("lookups, 64 × 16", "flood", lookup, 64, 16, short=True),
        Attack("lookups of a value of 1 MiB, 16 × 1", "flood", frames.lookup("large", "large"), 16, 1),
        Attack("adds, 64 × 16", "flood", frames.add("flood"), 64, 16, short=True),
        Attack("listings that match nothing of its own, 1 × 1", "flood", frames.listing("honest"), 1, 1),
        Attack("listings that match nothing of its own, 64 × 1", "flood", frames.listing("honest"), 64, 1),
        Attack("listings of its own items, 1 × 1", "flood", frames.listing("own"), 1, 1),
        Attack("listings of its own items, 64 × 1", "flood", frames.listing("own"), 64, 1, short=True),
        Attack("listings of its own items by 8 copies, 64 × 1", "flood", frames.listing("own"), 64, 1, programs=8),
        Attack("listings of everything, 64 × 1", "flood", frames.everything(), 64, 1),
        Attack("scans without an index, 64 × 1", "flood", frames.scan(), 64, 1),
        Attack("scans for one item, 64 × 1", "flood", frames.scan(1), 64, 1, short=True),
        Attack("scans for what is not there by 2 copies, 8 × 1", "flood", frames.scan(1), 8, 1, programs=2),
        Attack("enclave keys, 64 × 16", "flood", frames.make_key(), 64, 16),
        Attack("verify, 64 × 1", "flood", frames.verify(), 64, 1),
        Attack("status, 64 × 1", "flood", frames.status(), 64, 1),
        Attack("half frames of 1 kB, 7,000 connections", "half", frames.add("half", 2048), 7000, 1024),
        Attack("half frames of 60 kB, 7,000 connections", "half", frames.add("half", 65536), 7000, 60000),
        Attack("half frames on 18,000 connections", "half", frames.add("half", 2048), 18000, 1024),
        Attack("idle, 18,000 connections", "idle", lookup, 18000, 0),
        Attack("deaf reader of listings, 64 × 16", "deaf", frames.listing("own"), 64, 16),
        Attack("deaf reader of listings, 2,000 × 16", "deaf", frames.listing("own"), 2000, 16),
        Attack("connect and leave", "leave", lookup, 16, 0),
        Attack("connect, ask, leave", "leave", lookup, 16, 1),
        Attack("values of 1 MiB, 8 × 1", "flood", frames.add("huge", huge), 8, 1),
        Attack("1,000 prompts that nobody answers", "flood", frames.prompt(), 1000, 1),
        Attack("64 unlocks from endless pipes", "pipes", frames.unlock(), 64, 1),
    ]
