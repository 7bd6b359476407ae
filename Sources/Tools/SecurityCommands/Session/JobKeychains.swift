package import KeychainClient
package import KeychainModel

/// The keychains for one job, as commands see them.
package struct JobKeychains {
    /// Starts one.
    let start: (ThrowAwayKeychain.Plan) throws(Refusal) -> ThrowAwayKeychain
    /// Ends the one that the settings name.
    let stop: () throws(Refusal) -> Void
    /// Sets a variable for the programs that this one becomes.
    let export: (_ name: String, _ value: String) -> Void

    package init(
        start: @escaping (ThrowAwayKeychain.Plan) throws(Refusal) -> ThrowAwayKeychain,
        stop: @escaping () throws(Refusal) -> Void, export: @escaping (_ name: String, _ value: String) -> Void
    ) {
        (self.start, self.stop, self.export) = (start, stop, export)
    }

    /// For settings that make no sense.
    package init(refusing refusal: Refusal) {
        self.init(
            start: { _ throws(Refusal) in throw refusal }, stop: { () throws(Refusal) in throw refusal },
            export: { _, _ in })
    }

    /// Of a session that starts none.
    package static var none: JobKeychains { JobKeychains(refusing: .noSystemKeychain) }
}

extension ThrowAwayKeychain {
    /// The variables that lead a program to it.
    var variables: [(name: String, value: String)] {
        [("KEYCHAIN_SOCKET", socket), ("KEYCHAIN_CI", identifier)]
    }
}
