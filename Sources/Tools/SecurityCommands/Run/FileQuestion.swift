import KeychainClient
import LinuxSystem

/// The question about a file before its first use, as rows of a terminal.
///
/// Everything that a yes allows stands on the screen with the answer, or the question is not asked: text of the file is
/// never cut, and continues in the next row.
struct FileQuestion {
    /// The receiver of the values.
    var receiver: [String] = []
    /// The words of the user's own; they are shortened to one row.
    var command: String?
    /// All that the file sets and names, the items last.
    var contents: [String]

    /// A terminal that does not say its size has as much.
    static let usualSize = (rows: 24, columns: 80)
    private static let fewestColumns = 8
    /// More than a file has, with its marks for characters that are not shown.
    private static let longestBytes = UntrustedFile.longestBytes * 8
    /// No terminal gives a character more. Terminals differ in which ones they give as much, so all but those of ASCII
    /// count for two.
    private static let widest = 2

    /// The rows of the question; nil where they and the answer's do not fit on the terminal.
    func rows(on size: (rows: Int, columns: Int), above prompt: String) -> [String]? {
        // A character in the last column moves some terminals to the next row.
        let columns = max(size.columns - 1, Self.fewestColumns)
        var rows = receiver.flatMap { Self.rows(of: $0, columns) }
        if let command { rows.append(ForeignText.shown(command, limit: columns)) }
        rows += contents.flatMap { Self.rows(of: $0, columns) }
        return rows.count + Self.rows(of: prompt, columns).count <= size.rows ? rows : nil
    }

    /// A value as it stands in the question, whole.
    static func quoted(_ value: SecretBytes) -> String {
        let text = value.withSpan { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
        return "\"\(ForeignText.shown(text, limit: longestBytes, inQuotes: true))\""
    }

    /// A reference as it stands in the question, with the names that people know the item by.
    static func item(_ reference: ItemReference) -> String {
        let names = reference.service + (reference.account.map { "/\($0)" } ?? "")
        let isReadable = reference.text.utf8.starts(with: (ItemReference.scheme + names).utf8)
        return isReadable ? reference.text : "\(reference.text) (\(names))"
    }

    /// The same with the keychain that has the item, where that is not the login keychain.
    static func item(
        _ reference: ItemReference, _ places: [ItemReference: ChosenKeychain], _ session: Session
    ) -> String {
        guard case .named(let keychain)? = places[reference] else { return item(reference) }
        return "\(item(reference)), \(session.text("in the keychain \(keychain.path.quoted)"))"
    }

    /// The text in rows of so many columns. Characters are counted one by one: not every terminal draws several as one.
    static func rows(of text: String, _ columns: Int) -> [String] {
        let indent = "    "
        var (rows, row, used) = ([String](), String.UnicodeScalarView(), 0)
        for scalar in ForeignText.shown(text, limit: longestBytes).unicodeScalars {
            let own = scalar.isASCII ? 1 : widest
            if used + own > columns {
                rows.append(String(row))
                (row, used) = (indent.unicodeScalars, indent.count)
            }
            row.append(scalar)
            used += own
        }
        return rows + [String(row)]
    }
}
