package import KeychainModel
import LinuxSystem

/// A value of a property list.
package indirect enum PropertyList: Hashable, Sendable {
    case string(String)
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// The text as it was written: ISO 8601.
    case date(String)
    case data([UInt8])
    case array([PropertyList])
    /// In the order of the file.
    case dictionary([Entry])

    package struct Entry: Hashable, Sendable {
        package let key: String
        package let value: PropertyList
    }

    /// More than any entitlements file needs. The file is read for every program that connects.
    package static let mostBytes = 64 << 10
    /// The maximum depth of nested arrays and dictionaries.
    package static let mostLevels = 16

    /// Reads a property list in Apple's XML format (`PropertyList-1.0.dtd`), in UTF-8.
    ///
    /// Refuses everything that two readers could read differently: a key given twice, elements of other formats, other
    /// encodings. It also refuses entity declarations, so that the text cannot grow while it is read.
    ///
    /// - Throws: `errSecMissingEntitlement` (`entitlements.malformed`), with the line.
    package init(xml bytes: [UInt8]) throws(Refusal) {
        guard bytes.count <= Self.mostBytes else {
            throw .malformedEntitlements("it has more than \(Self.mostBytes >> 10) KiB", line: 0)
        }
        let builder = PropertyListBuilder()
        let parser = try XMLParser(builder)
        try parser.parse(bytes.span)
        guard let value = builder.value else { throw .malformedEntitlements("there is no <plist> in it", line: 0) }
        self = value
    }

    /// The entry of a dictionary; nil when there is none, or this is not a dictionary.
    package subscript(key: String) -> PropertyList? {
        guard case .dictionary(let entries) = self else { return nil }
        return entries.first { $0.key == key }?.value
    }

    package var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }
}

extension Refusal {
    static func malformedEntitlements(_ what: String, line: Int) -> Refusal {
        let place = line > 0 ? " (line \(line))" : ""
        return Refusal(
            .missingEntitlement, .malformedEntitlements, "entitlements",
            "The entitlements cannot be read: \(what)\(place).",
            do: "Write a property list in XML whose root is a dictionary, as Xcode does.")
    }
}
