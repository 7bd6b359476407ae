"""Attacks over the desktop's bus, which other tests make: rows of the threats page's table."""

# What is tried, what comes of it, and the tests below `Tests` that try it.
ATTEMPTS = [
    (
        "in a sandbox on the desktop's bus: answers in the bus's name who it is, tells that others left, "
        "names the display of a prompt",
        "fails",
        "Scripts/secret_forgery_test.py",
    ),
    (
        "in a sandbox on the desktop's bus: describes itself as another application, uses paths, sessions and aliases "
        "of others, listens to their signals, takes the portal's name",
        "fails",
        "Scripts/secret_sandbox_test.py",
    ),
    (
        "on the desktop's bus, in a sandbox or not: calls with descriptors that nobody asked for, pings without an end",
        "fails",
        "Scripts/secret_limits_test.py",
    ),
    (
        "on the desktop's bus: stores an item that looks like the secret which the portal gives to an application in a "
        "sandbox",
        "fails",
        "Scripts/secret_portal_test.py",
    ),
]
