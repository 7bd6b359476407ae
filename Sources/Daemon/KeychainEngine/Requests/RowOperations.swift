import EnclaveWire
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem

/// Requests about the rows of lists at terminals.
extension KeychainEngine {
    /// Keeps the rows that the keychain's own command has shown at its terminal.
    ///
    /// - Throws: `errSecMissingEntitlement` for every other program; `errSecParam` (`rows.no-terminal`) without a
    ///   terminal.
    func keep(_ shown: [ListedRow], for caller: CallerIdentity) throws(Refusal) {
        rows.keep(shown, at: try place(of: caller), in: enclave.epoch.value)
    }

    /// The row with a number of the last list at the caller's terminal.
    ///
    /// - Throws: as ``keep(_:for:)``; `errSecItemNotFound` (`rows.none`) when there is none.
    func row(_ number: UInt32, for caller: CallerIdentity) throws(Refusal) -> ListedRow {
        guard let row = rows.row(number, at: try place(of: caller), in: enclave.epoch.value) else {
            throw .noSuchRow(number)
        }
        return row
    }

    private func place(of caller: CallerIdentity) throws(Refusal) -> ListedRows.Place {
        try AccessPolicy.requireInspector(caller)
        guard let session = TerminalSession(of: caller.process) else { throw .noTerminal }
        return ListedRows.Place(user: caller.user, session: session)
    }
}

extension Refusal {
    fileprivate static let noTerminal = Refusal(
        .param, .rowsWithoutTerminal, "row", "The program has no terminal, and so no list to take a row of.",
        do: "Name the item by its words or its reference.")

    fileprivate static func noSuchRow(_ number: UInt32) -> Refusal {
        Refusal(
            .itemNotFound, .noSuchRow, "row",
            "The last `security list` on this terminal has no row \(number), or the keychain was locked since.",
            do: "List the items again: security list")
    }
}
