package import KeychainModel
package import LinuxSystem

/// One request as it was decided: who asked what, and which rule spoke. Never a value, and no attribute but the group.
///
///     decision = number:u64 time:u64 process:i32 user:u32 program:text provenance:text anchored:u8 operation:text
///                class:u8 groups status:i32 rule:text                ; time: seconds since 2001, as a double's bits
///     groups   = count:u16 *group:text
package struct DecisionEntry: Equatable, Sendable {
    /// They are counted from 1 since the engine began.
    package var number: UInt64
    /// Seconds since 2001.
    package var time: Double
    package var process: Int32
    package var user: UInt32
    package var program: String
    /// Where the program's groups come from, in words.
    package var provenance: String
    package var isAnchored: Bool
    /// The function or command, such as `SecItemAdd`.
    package var operation: String
    package var itemClass: ItemClass?
    /// The group it named, or those it could have meant.
    package var groups: [String]
    package var status: Int32
    /// The rule that spoke; empty where none did.
    package var rule: String

    package init(
        number: UInt64, time: Double, process: Int32, user: UInt32, program: String, provenance: String,
        isAnchored: Bool, operation: String, itemClass: ItemClass?, groups: [String], status: Int32, rule: String
    ) {
        (self.number, self.time, self.process, self.user, self.program) = (number, time, process, user, program)
        (self.provenance, self.isAnchored, self.operation) = (provenance, isAnchored, operation)
        (self.itemClass, self.groups, self.status, self.rule) = (itemClass, groups, status, rule)
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: number)
        buffer.append(littleEndian: time.bitPattern)
        buffer.append(littleEndian: process)
        buffer.append(littleEndian: user)
        buffer.append(text: program)
        buffer.append(text: provenance)
        buffer.append(isAnchored ? 1 : 0)
        buffer.append(text: operation)
        buffer.append(itemClass?.rawValue ?? 0)
        buffer.append(texts: groups)
        buffer.append(littleEndian: status)
        buffer.append(text: rule)
    }

    init(from reader: inout WireReader) throws(Refusal) {
        number = try reader.integer(UInt64.self)
        time = Double(bitPattern: try reader.integer(UInt64.self))
        process = try reader.integer(Int32.self)
        user = try reader.integer(UInt32.self)
        (program, provenance) = (try reader.text(), try reader.text())
        isAnchored = try reader.integer(UInt8.self) != 0
        operation = try reader.text()
        itemClass = try reader.optionalClass()
        groups = try reader.texts(atMost: .max)
        status = try reader.integer(Int32.self)
        rule = try reader.text()
    }
}

/// The decisions after a number, as far as the caller may see them.
///
///     page = next:u64 lost:u64 count:u32 *decision
package struct DecisionPage: Equatable, Sendable {
    package var entries: [DecisionEntry]
    /// The number to ask with for what comes after.
    package var next: UInt64
    /// How many decisions of any caller left the log before they were asked for.
    package var lost: UInt64

    package init(entries: [DecisionEntry] = [], next: UInt64, lost: UInt64 = 0) {
        (self.entries, self.next, self.lost) = (entries, next, lost)
    }

    func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: next)
        buffer.append(littleEndian: lost)
        buffer.append(littleEndian: UInt32(truncatingIfNeeded: entries.count))
        for entry in entries { entry.append(to: buffer) }
    }

    init(from reader: inout WireReader) throws(Refusal) {
        (next, lost) = (try reader.integer(UInt64.self), try reader.integer(UInt64.self))
        entries = []
        for _ in 0..<(try reader.integer(UInt32.self)) { entries.append(try DecisionEntry(from: &reader)) }
    }
}
