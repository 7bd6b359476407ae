package import KeychainModel
package import LinuxSystem

/// The state of an access group, as a number. Another number means that items of the group may have changed.
///
///     number = group:text number:u64                     ; 0 for a group of which nothing is known
package struct GroupNumber: Hashable, Sendable {
    package let group: String
    /// Below 2^63, so that every language can keep it. It says nothing of other groups.
    package let number: UInt64

    package init(group: String, number: UInt64 = 0) { (self.group, self.number) = (group, number) }

    package func append(to buffer: SecretBuffer) {
        buffer.append(text: group)
        buffer.append(littleEndian: number)
    }

    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(group: try reader.name(), number: try reader.integer(UInt64.self))
    }

    /// Groups are compared by the bytes of their names.
    package static func == (one: GroupNumber, other: GroupNumber) -> Bool {
        one.number == other.number && one.group.hasBytes(of: other.group)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension [GroupNumber] {
    /// Appends several with their number before them.
    package func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: UInt16(truncatingIfNeeded: count))
        for number in self { number.append(to: buffer) }
    }

    /// - Throws: `errSecParam` (`wire.malformed`) when they cannot be read, or are too many.
    package init(from reader: inout WireReader) throws(Refusal) {
        let count = Int(try reader.integer(UInt16.self))
        guard count <= GroupWatch.mostGroups else { throw .malformed("the number of groups") }
        self = []
        for _ in 0..<count { append(try GroupNumber(from: &reader)) }
    }
}

/// A program's wait for a change in access groups of its own.
///
///     watch = milliseconds:u32 count:u16 *number
package struct GroupWatch: Equatable, Sendable {
    /// The groups that the program means, each once, with the numbers that it knows; empty for all of its groups, which
    /// is answered at once.
    package var seen: [GroupNumber]
    /// How long to wait for another number than these.
    package var milliseconds: UInt32

    /// How many groups one request names.
    package static let mostGroups = 1024

    package init(_ seen: [GroupNumber], milliseconds: UInt32 = 0) {
        (self.seen, self.milliseconds) = (seen, milliseconds)
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: milliseconds)
        seen.append(to: buffer)
    }

    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read, or names a group twice.
    package init(from reader: inout WireReader) throws(Refusal) {
        milliseconds = try reader.integer(UInt32.self)
        seen = try [GroupNumber](from: &reader)
        guard Set(seen.map { ExactText($0.group) }).count == seen.count else { throw .malformed("the groups") }
    }
}
