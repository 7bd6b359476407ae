"""Random scripts for players (Tests/Programs/item-player says what their lines mean)."""

# Items that everybody changes, so that calls meet.
SERVICES, ACCOUNTS = ("one", "two", "three", "four"), 24
# A service that is changed as a whole, by more than SQLite keeps in memory, and an item that stands in its way.
LARGE, OTHER, LARGE_COUNT = "large", "other", 600
# From values that fit a row to such as need pages of their own.
SIZES = (8, 8, 100, 100, 900, 3000, 12000)


class Scripts:
    """Makes scripts in which no value is sent twice."""

    def __init__(self, rng):
        self.rng, self.value = rng, 0

    def fresh(self):
        self.value += 1
        return self.value

    def beginning(self):
        """Makes the large service; nothing else runs beside it."""
        number = self.fresh()
        lines = [f"add {LARGE} {account} {number} 900" for account in range(LARGE_COUNT)]
        return lines + [f"add {OTHER} {LARGE_COUNT - 1} {self.fresh()} 8"]

    def random(self, count, may_fork):
        lines = []
        while len(lines) < count:
            if may_fork and self.rng.random() < 0.01:
                child = self.rng.randrange(2, 30)
                lines += [f"fork {child}"] + [self.line() for _ in range(child)]
            lines.append(self.line())
            if self.rng.random() < 0.01:
                lines += self.refused_change()
        if self.rng.random() < 0.1:
            lines.insert(self.rng.randrange(len(lines)), "kill")
        return lines

    def refused_change(self):
        """A change of many items that is refused at the last of them; then others write for a moment."""
        return [f"clash {LARGE} {OTHER}", f"pause {self.rng.randrange(300)}"]

    def line(self):
        rng = self.rng
        item = f"{rng.choice(SERVICES)} {rng.randrange(ACCOUNTS)}"
        dice = rng.random() * 100
        if dice < 38:
            return f"add {item} {self.fresh()} {rng.choice(SIZES)}"
        if dice < 58:
            return f"set {item} {self.fresh()} {rng.choice(SIZES)}"
        if dice < 78:
            return f"del {item}"
        if dice < 96:
            return f"get {item}"
        if dice < 97:
            return f"get {LARGE} {rng.randrange(LARGE_COUNT)}"
        if dice < 98:
            return f"setall {LARGE} {self.fresh()} {rng.randrange(2000, 3300)}"
        if dice < 99.5:
            return f"setall {rng.choice(SERVICES)} {self.fresh()} {rng.choice(SIZES)}"
        return f"delall {rng.choice(SERVICES)}"
