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

        package init(key: String, value: PropertyList) { (self.key, self.value) = (key, value) }
    }

    /// The fault of a file, and its line; 0 where the fault is the whole file's.
    package struct Malformed: Error {
        package let problem: String
        package let line: Int

        init(_ problem: String, line: Int = 0) { (self.problem, self.line) = (problem, line) }
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
    /// - Parameter most: the most bytes that the file may have.
    package init(xml bytes: [UInt8], atMost most: Int = mostBytes) throws(Malformed) {
        guard bytes.count <= most else { throw Malformed("it has more than \(most >> 10) KiB") }
        let builder = PropertyListBuilder()
        let parser = try XMLParser(builder)
        try parser.parse(bytes.span)
        guard let value = builder.value else { throw Malformed("there is no <plist> in it") }
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
