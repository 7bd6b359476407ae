import CommandOptions
import KeychainModel
import LinuxSystem

/// `import-from macos`: the passwords in what `security dump-keychain -d` has written, on macOS or here.
struct ImportedDump {
    private var items: [ImportedItem] = []
    private var report = LoginReport()

    /// The attributes of a dump that an item may have besides its primary key, by their codes here. The kind is that
    /// of the import, and dates are those of the new item.
    private static let more: [(tag: String, code: String)] = [
        ("0x00000007", "labl"), ("0x00000008", "alis"), ("icmt", "icmt"), ("crtr", "crtr"), ("type", "type"),
        ("gena", "gena"), ("invi", "invi"), ("nega", "nega"), ("cusi", "cusi"), ("scrp", "scrp"), ("prot", "prot"),
    ]

    /// Reads the whole file.
    ///
    /// - Throws: a failure for a file that cannot be read, or is no such dump.
    static func items(
        of path: Argument, _ session: Session
    ) throws(CommandFailure) -> (items: [ImportedItem], report: LoginReport) {
        var dump = ImportedDump()
        try ExportedFile.content(path, session).withSpan { (text) throws(CommandFailure) in
            try DumpRecord.forEach(of: text) { dump.take($0) }
        }
        return (dump.items, dump.report)
    }

    private mutating func take(_ record: DumpRecord) {
        let passwords = [ItemClass.genericPassword, .internetPassword]
        let name = Self.name(of: record)
        guard let itemClass = passwords.first(where: { Array($0.code.utf8) == record.itemClass }) else {
            return report.unread.append((name, .kind))
        }
        // A value that was not shown: another program's, or one that the user has not allowed.
        guard let value = record.value, value.count > 0 else { return report.empty += 1 }
        if let kind = record.cells["desc"], kind.count > 0 { report.lost["desc", default: 0] += 1 }
        let place = AttributeTable.attributes(of: itemClass).filter { Self.key(of: itemClass).contains($0.code) }
        items.append(
            ImportedItem(
                itemClass: itemClass,
                place: place.map { ($0.code, Self.value($0, record.cells[$0.code]) ?? Self.missing($0)) },
                description: Self.description(of: itemClass, record), name: name, password: value))
    }

    private static func key(of itemClass: ItemClass) -> [String] {
        itemClass == .genericPassword
            ? ["acct", "svce"] : ["acct", "sdmn", "srvr", "ptcl", "atyp", "port", "path"]
    }

    private static func description(
        of itemClass: ItemClass, _ record: DumpRecord
    ) -> [(code: String, value: RawValue)] {
        let attributes = AttributeTable.attributes(of: itemClass)
        return more.compactMap { tag, code in
            guard let attribute = attributes.first(where: { $0.code == code }) else { return nil }
            return value(attribute, record.cells[tag]).map { (code, $0) }
        }
    }

    /// The bytes of a cell as the attribute's kind of value: numbers have four, the highest first.
    private static func value(_ attribute: ItemAttribute, _ cell: SecretBytes?) -> RawValue? {
        cell?.withSpan { bytes in
            switch attribute.kind {
            // Other commands name a protocol by its four characters too.
            case .number where attribute.id == .protocol && bytes.count == 4 && bytes[0] != 0:
                bytes.text(0, 4).map { .string($0) }
            case .number where bytes.count == 4: .number(Int64(Int32(bitPattern: bytes.bigEndian)))
            case .number: nil
            case .data: .data(bytes.array(0, bytes.count))
            default: bytes.text(0, bytes.count).map { .string($0) } ?? .data(bytes.array(0, bytes.count))
            }
        }
    }

    /// An item without an attribute of its key is not the one that has it.
    private static func missing(_ attribute: ItemAttribute) -> RawValue {
        attribute.kind == .number ? .number(0) : .string("")
    }

    private static func name(of record: DumpRecord) -> String {
        ["0x00000007", "0x00000001", "svce", "srvr", "acct"].lazy.compactMap { tag in
            record.cells[tag]?.withSpan { $0.text(0, $0.count) }
        }.first { !$0.isEmpty } ?? ""
    }
}

extension Span<UInt8> {
    /// Four bytes as a number.
    fileprivate var bigEndian: UInt32 { indices.reduce(0) { $0 << 8 | UInt32(self[$1]) } }
}
