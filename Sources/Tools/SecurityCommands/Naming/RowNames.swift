import KeychainClient
import KeychainModel
import KeychainWire

/// The numbers of rows as names of items. The daemon keeps the rows, for each session at a terminal.
extension Session {
    /// Has the daemon keep the rows of a list that was shown. A daemon that cannot, does without.
    func keepRows(of items: [ListedItem], _ call: String) throws(CommandFailure) {
        let rows = items.prefix(ListedRow.most).map {
            ListedRow(keychain: $0.keychain.rowName, reference: $0.reference, changed: $0.changed ?? 0)
        }
        try turn(to: .login, call)
        do throws(CommandFailure) { _ = try access(.keepRows(rows), call) } catch {
            explain("The rows have no numbers: \(error.explanation.cause)")
        }
    }

    /// The row of the last list at this terminal.
    ///
    /// - Throws: ``CommandFailure/usage(_:nearest:)`` without a terminal; `errSecItemNotFound` for no row.
    func row(_ number: UInt32, _ call: String) throws(CommandFailure) -> ListedRow {
        try turn(to: .login, call)
        do throws(CommandFailure) {
            guard case .row(let row) = try access(.row(number), call) else {
                throw .refused(call: call, .malformed("the row"))
            }
            return row
        } catch {
            guard error.isWithoutTerminal else { throw error }
            throw .usage("#\(number) names a row of a list at a terminal, and there is none")
        }
    }
}

extension CommandFailure {
    fileprivate var isWithoutTerminal: Bool {
        if case .refused(_, let refusal) = self { refusal.rule == .rowsWithoutTerminal } else { false }
    }
}

extension ChosenKeychain {
    /// The keychain's lasting name in a row.
    fileprivate var rowName: String {
        switch self {
        case .login: ""
        case .unusable(let keychain): keychain.path
        case .named(let keychain): keychain.identifier.description
        }
    }
}

extension ListedItem {
    /// Whether a row is this item, in whatever version.
    func isMeant(by row: ListedRow) -> Bool { reference == row.reference && keychain.rowName == row.keychain }
}
