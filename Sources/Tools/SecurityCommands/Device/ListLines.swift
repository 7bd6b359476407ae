import KeychainClient
import KeychainModel

/// The lines of `status` about the last changes of the default and the search list: they decide where new items go.
enum ListLines {
    private static let most = 3

    /// - Returns: no lines where nothing was changed.
    static func lines(of session: Session) throws(CommandFailure) -> [(String, String)] {
        let changes = try changes(session).suffix(most)
        return changes.enumerated().map { ($0 == 0 ? "lists:" : "", $1.text) }
    }

    static func json(_ session: Session) throws(CommandFailure) -> JSONValue {
        .array(try changes(session).map(\.json))
    }

    private static func changes(_ session: Session) throws(CommandFailure) -> [ListChange] {
        do throws(Refusal) { return try session.named?.changes() ?? [] } catch {
            throw .refused(call: "status", error)
        }
    }
}

extension ListChange {
    private static let epoch: Int64 = 978_307_200

    private var moment: String { CalendarDate(secondsSinceReferenceDate: Double(time - Self.epoch)).iso8601 }

    private var name: String { subject == .standard ? "default" : "search list" }

    fileprivate var text: String { "\(moment): \(name) is \(value.printable), by \(program.printable)" }

    fileprivate var json: JSONValue {
        .object([
            ("time", .string(moment)), ("list", .string(subject.rawValue)), ("program", .string(program)),
            ("value", .string(value)),
        ])
    }
}
