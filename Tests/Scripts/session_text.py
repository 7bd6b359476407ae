"""What a line of a session stands for, and where an answer first differs from it."""

import re

FORMS = {"HEX40": r"[0-9A-F]{40}", "N": r"[0-9]+"}
PLACEHOLDER = re.compile(r"<([A-Z][A-Z0-9]*)>")
# After a failure, a command that is not macOS's says why and what to do.
REASON = ("security: why: ", "security: next: ")


class Text:
    """Lines with the placeholders of one place; `values` names texts that are known."""

    def __init__(self, values):
        self.forms = FORMS | {name: re.escape(value) for name, value in values.items()}

    def fits(self, wanted, got):
        pieces = PLACEHOLDER.split(wanted)
        pieces[::2] = map(re.escape, pieces[::2])
        pieces[1::2] = [self.forms.get(name, re.escape(f"<{name}>")) for name in pieces[1::2]]
        return re.fullmatch("".join(pieces), got) is not None

    def difference(self, stream, wanted, got):
        """The first line that differs; nil when none does."""
        for at in range(max(len(wanted), len(got))):
            one = wanted[at] if at < len(wanted) else None
            other = got[at] if at < len(got) else None
            if one is None or other is None or not self.fits(one, other):
                return f"{stream}, line {at + 1}: wanted {one!r}, got {other!r}"
        return None


def lines(text):
    """The lines of an output; the last one may lack its end."""
    return text.removesuffix("\n").split("\n") if text else []


def without_reasons(step, got, is_compatible):
    """Standard error without the two lines that follow a failure, and what is wrong with those."""
    kept = [line for line in got if not line.startswith(REASON)]
    said = {start for start in REASON if any(line.startswith(start) for line in got)}
    fails = step.status != 0 and any(line.startswith("security: ") for line in step.err)
    if is_compatible and said:
        return kept, "standard error: a reason, in the form of macOS"
    if not is_compatible and fails and len(said) < 2:
        return kept, f"standard error: no why or no next: {got}"
    return kept, None
