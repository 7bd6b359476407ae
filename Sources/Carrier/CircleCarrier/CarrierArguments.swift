package import CommandOptions

/// The command line of `keychain-carrier`.
package enum CarrierArguments {
    package static let table = ProgramOptions(
        "keychain-carrier",
        """
        Carries the batches of a circle of machines between the keychain's daemon and the folder or the server that \
        the circle is at.
        """,
        options: [
            ProgramOption("--once", "Look and send once, and end."),
            ProgramOption("--found", "Make the circle's place first, which a circle has once, and then --once."),
            ProgramOption("--pair", "Carry the messages of the pairing that is under way, and end with it."),
            ProgramOption(
                "--prepare", "For security sync: try the place in standard input, and keep what is shown there."),
            ProgramOption("--admit", "For security sync: let the machine in standard input in at the place."),
            ProgramOption("--forget", "For security sync: forget what was shown at the place."),
            ProgramOption(
                "--recover",
                "For security sync: give the daemon what the place in standard input has, for a recovery key."),
            ProgramOption("--help", "Show this text."),
            ProgramOption("--version", "Show the release of the program."),
        ],
        notes: """
            The exit status is 0 when everything was carried, or when the keychain belongs to no circle; 1 when the \
            place cannot be used; 69 when the daemon cannot be reached; 75 when another carrier of this keychain is \
            at it.
            """)
}
