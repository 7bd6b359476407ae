package import CommandOptions

/// The command line of `keychain-carrier`.
package enum CarrierArguments {
    package static let table = ProgramOptions(
        "keychain-carrier",
        """
        Carries the batches of a circle of machines between the keychain's daemon and the folder that the circle is \
        in.
        """,
        options: [
            ProgramOption("--once", "Look and send once, and end."),
            ProgramOption("--found", "Make the circle's folder first, which a circle has once, and then --once."),
            ProgramOption("--pair", "Carry the messages of the pairing that is under way, and end with it."),
            ProgramOption("--help", "Show this text."),
            ProgramOption("--version", "Show the release of the program."),
        ],
        notes: """
            The exit status is 0 when everything was carried, or when the keychain belongs to no circle; 1 when the \
            folder cannot be used; 69 when the daemon cannot be reached; 75 when another carrier of this keychain is \
            at it.
            """)
}
