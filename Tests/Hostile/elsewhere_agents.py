"""Attacks on the session agents of the system service, which other tests make: rows of the threats page's table."""

SCRIPT = "Scripts/session_agent_test.py"

# What is tried, what comes of it, and the tests below `Tests` that try it.
ATTEMPTS = [
    (
        "poses as the session agent: a copy, with or without a group of its own, another program of the user",
        "fails",
        SCRIPT,
    ),
    ("another user's session agent answers, or hears, my questions", "fails", SCRIPT),
    ("starts dozens of session agents, or stops one, to keep other users from being served", "fails", SCRIPT),
    (
        "connects to the session agents' socket without an end, so that another user's agent is not taken",
        "fails",
        SCRIPT,
    ),
    (
        "answers a question that was withdrawn, or goes on with it",
        "fails",
        SCRIPT,
        "Wire/EnclaveWireTests/Agent/SessionAgentTests.swift",
    ),
    (
        "steers the pinentry by the environment of the agent or of the asking program (loader, PATH, modules, another "
        "display)",
        "fails",
        "Agent/UserPresenceTests/SessionPresenceTests.swift",
        SCRIPT,
    ),
    (
        "a program of the same user starts the installed session agent on a display of its own, and reads what "
        "questions name",
        "possible",
        SCRIPT,
    ),
    (
        "stops many session agents, so that the channels which they do not take use up the listener's descriptors",
        "fails",
        "Enclave/SecureEnclaveTests/UntakenChannelsTests.swift",
        "Wire/EnclaveWireTests/Agent/SessionAgentTests.swift",
    ),
    (
        "starts the session agent on a display of its own, to choose the password of an item that is being made",
        "fails",
        "Enclave/SecureEnclaveTests/AgentRouterTests.swift",
        "Agent/UserPresenceTests/SessionPresenceTests.swift",
    ),
    (
        "has another program show the session agent's window: pinentry-gnome3 under another name",
        "fails",
        "Agent/UserPresenceTests/SessionPresenceTests.swift",
    ),
    (
        "an enclave that has been taken over asks the listener for another user's session agent",
        "fails",
        "Enclave/SecureEnclaveTests/SessionSeatsTests.swift",
    ),
    (
        "a session agent says that a finger matched, or is shown a code",
        "fails",
        "Enclave/SecureEnclaveTests/AgentRouterTests.swift",
    ),
]
