package import KeychainModel
import LinuxSystem

/// A protected file, about which somebody asks why it does not open:
///
///     file = size:u64 head:bytes
package struct FileToExplain: Hashable, Sendable {
    /// The size of the file in bytes.
    package var size: UInt64
    /// Its first bytes: as much as both copies of its header have, or all of a shorter file.
    package var head: [UInt8]

    /// The size of both copies of a header in bytes.
    package static let headBytes = 8192

    package init(size: UInt64, head: [UInt8]) { (self.size, self.head) = (size, head) }

    func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: size)
        buffer.append(bytes: head.span)
    }

    init(from reader: inout WireReader) throws(Refusal) {
        let size = try reader.integer(UInt64.self)
        self.init(size: size, head: try reader.bytes(atMost: Self.headBytes))
    }
}

/// Why a protected file does not open, without its key.
///
///     explanation = status:i32 refusal program:text groups claim isShown:u8 [shelf]
///     claim       = class:u8 shelf id:16                                ; zeros where no header makes sense
package struct FileExplanation: Equatable, Sendable {
    /// The claims of a header about itself, which nobody has vouched for.
    package struct Claim: Equatable, Sendable {
        package var protection: FileProtection
        package var shelf: ShelfID

        package init(_ protection: FileProtection, _ shelf: ShelfID) {
            (self.protection, self.shelf) = (protection, shelf)
        }
    }

    /// The reason why the header does not open; nil when it does.
    package var refusal: Refusal?
    /// The program that would open it, and its groups.
    package var program: String
    package var groups: [String]
    /// Nil where no header makes sense.
    package var claim: Claim?
    /// The shelf, if it is in the keychain and may be shown to the caller.
    package var shelf: ShelfDescription?

    package init(program: String, groups: [String]) { (self.program, self.groups) = (program, groups) }

    func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: refusal?.status.rawValue ?? 0)
        (refusal ?? Refusal(.success, Refusal.Rule(rawValue: ""), "", "", do: "")).append(to: buffer)
        buffer.append(text: program)
        buffer.append(texts: groups)
        buffer.append(claim?.protection.rawValue ?? 0)
        let id = claim?.shelf ?? .zero
        buffer.append(id.bytes.span)
        buffer.append(shelf == nil ? 0 : 1)
        shelf?.append(to: buffer)
    }

    init(from reader: inout WireReader) throws(Refusal) {
        let status = try reader.integer(Int32.self)
        let refusal = try reader.refusal(status: status)
        self.init(program: try reader.text(), groups: try reader.texts(atMost: .max))
        if status != 0 { self.refusal = refusal }
        let (number, id) = (try reader.integer(UInt8.self), try reader.shelfID())
        claim = FileProtection(rawValue: number).map { Claim($0, id) }
        if try reader.integer(UInt8.self) != 0 { shelf = try ShelfDescription(from: &reader) }
    }
}
