package import KeychainModel
package import LinuxSystem

/// The answer to a ``BackupRequest``.
package enum BackupReply: Equatable, Sendable {
    case survey(BackupSurvey)
    case begun(BackupBeginning)
    case piece(BackupPiece)
    case opened(BackupContents)
    case taken([RestoredItem])
    case dates(BackupDates)
    case done

    package func append(to buffer: SecretBuffer) {
        switch self {
        case .survey(let survey): survey.append(to: buffer)
        case .begun(let beginning): beginning.append(to: buffer)
        case .piece(let piece): piece.append(to: buffer)
        case .opened(let contents): contents.append(to: buffer)
        case .taken(let items):
            buffer.append(littleEndian: UInt32(items.count))
            for item in items { item.append(to: buffer) }
        case .dates(let dates): dates.append(to: buffer)
        case .done: break
        }
    }

    /// Reads the answer to a request.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package init(to request: BackupRequest, from reader: inout WireReader) throws(Refusal) {
        switch request {
        case .survey: self = .survey(try BackupSurvey(from: &reader))
        case .begin: self = .begun(try BackupBeginning(from: &reader))
        case .next: self = .piece(try BackupPiece(from: &reader))
        case .open: self = .opened(try BackupContents(from: &reader))
        case .take:
            var items: [RestoredItem] = []
            for _ in 0..<(try reader.integer(UInt32.self)) { items.append(try RestoredItem(from: &reader)) }
            self = .taken(items)
        case .end: self = .done
        case .dates: self = .dates(try BackupDates(from: &reader))
        }
    }
}

/// An item or a shelf that a backup does not have, and why.
///
///     item = class:u8 reason:u8 group:text name:text
package struct StayingItem: Equatable, Sendable {
    package enum Reason: UInt8, Sendable, CaseIterable {
        /// Its protection class keeps it on this device.
        case thisDeviceOnly = 1
        /// A private key that the enclave does not give out.
        case sealedKey = 2
        /// More than the keychain's password guards it: a finger, a password of its own, or an anchored program.
        case guarded = 3
        /// It comes from a token.
        case token = 4
        /// It does not open.
        case damaged = 5
        /// It is larger than a part.
        case tooLarge = 6
    }

    package let recordClass: BackupClass
    package let reason: Reason
    package let group, name: String

    package init(_ recordClass: BackupClass, _ reason: Reason, group: String, name: String) {
        (self.recordClass, self.reason) = (recordClass, reason)
        (self.group, self.name) = (group.shortened, name.shortened)
    }

    /// So many bytes it takes in a message.
    package var size: Int { 10 + group.utf8.count + name.utf8.count }

    func append(to buffer: SecretBuffer) {
        buffer.append([recordClass.number, reason.rawValue].span)
        buffer.append(text: group)
        buffer.append(text: name)
    }

    init(from reader: inout WireReader) throws(Refusal) {
        let recordClass = try BackupClass(from: &reader)
        guard let reason = Reason(rawValue: try reader.integer(UInt8.self)) else {
            throw .malformed("an item that stays")
        }
        self.init(recordClass, reason, group: try reader.name(), name: try reader.name())
    }

    static func list(from reader: inout WireReader) throws(Refusal) -> [StayingItem] {
        var items: [StayingItem] = []
        for _ in 0..<(try reader.integer(UInt32.self)) { items.append(try StayingItem(from: &reader)) }
        return items
    }
}

extension [StayingItem] {
    fileprivate func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: UInt32(count))
        for item in self { item.append(to: buffer) }
    }
}

extension String {
    /// As much of a name as a person reads.
    fileprivate var shortened: String {
        utf8.count <= 512 ? self : String(decoding: utf8.prefix(509), as: UTF8.self) + "…"
    }
}

/// A page of what a backup would have.
///
///     survey = travelling:u64 shelves:u64 isLast:u8 cursor count:u32 *item
package struct BackupSurvey: Equatable, Sendable {
    /// How many items and shelves would travel, and how many of them are shelves.
    package var travelling, shelves: UInt64
    package var staying: [StayingItem] = []
    /// Where the next page begins; nil after the last.
    package var next: BackupCursor?

    package init() { (travelling, shelves) = (0, 0) }

    func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: travelling)
        buffer.append(littleEndian: shelves)
        buffer.append(next == nil ? 1 : 0)
        (next ?? .start).append(to: buffer)
        staying.append(to: buffer)
    }

    init(from reader: inout WireReader) throws(Refusal) {
        (travelling, shelves) = (try reader.integer(UInt64.self), try reader.integer(UInt64.self))
        let isLast = try reader.integer(UInt8.self) != 0
        let cursor = try BackupCursor(from: &reader)
        next = isLast ? nil : cursor
        staying = try StayingItem.list(from: &reader)
    }
}

/// A backup that has begun: `ticket:16 rows:u64 header:bytes`.
package struct BackupBeginning: Equatable, Sendable {
    package let ticket: [UInt8]
    /// How many rows there are to look at.
    package let rows: UInt64
    package let header: [UInt8]

    package init(ticket: [UInt8], rows: UInt64, header: [UInt8]) {
        (self.ticket, self.rows, self.header) = (ticket, rows, header)
    }

    func append(to buffer: SecretBuffer) {
        buffer.append(ticket.span)
        buffer.append(littleEndian: rows)
        buffer.append(bytes: header.span)
    }

    init(from reader: inout WireReader) throws(Refusal) {
        self.init(
            ticket: try reader.array(BackupTicket.bytes), rows: try reader.integer(UInt64.self),
            header: try reader.bytes(atMost: BackupFraming.headerBytes))
    }
}

/// A part of a backup, or its manifest: `kind:u8 items:u64 shelves:u64 rows:u64 box:bytes count:u32 *item`.
package struct BackupPiece: Equatable, Sendable {
    package let kind: BackupFraming.Kind
    /// How many items and shelves are in it, how many of them are shelves, and how many rows were looked at for it.
    package let items, shelves, rows: UInt64
    package let box: [UInt8]
    package let staying: [StayingItem]

    package init(
        _ kind: BackupFraming.Kind, items: UInt64, shelves: UInt64, rows: UInt64, box: [UInt8], staying: [StayingItem]
    ) {
        (self.kind, self.items, self.shelves, self.rows) = (kind, items, shelves, rows)
        (self.box, self.staying) = (box, staying)
    }

    func append(to buffer: SecretBuffer) {
        buffer.append(kind.rawValue)
        for number in [items, shelves, rows] { buffer.append(littleEndian: number) }
        buffer.append(bytes: box.span)
        staying.append(to: buffer)
    }

    init(from reader: inout WireReader) throws(Refusal) {
        guard let kind = BackupFraming.Kind(rawValue: try reader.integer(UInt8.self)) else {
            throw .malformed("a piece of a backup")
        }
        let (items, shelves) = (try reader.integer(UInt64.self), try reader.integer(UInt64.self))
        self.init(
            kind, items: items, shelves: shelves, rows: try reader.integer(UInt64.self),
            box: try reader.bytes(atMost: BackupFraming.boxBytes),
            staying: try StayingItem.list(from: &reader))
    }
}

/// A backup that was opened: `ticket:16 created:i64 items:u64 left:u64 parts:u32`.
package struct BackupContents: Equatable, Sendable {
    package let ticket: [UInt8]
    /// Seconds since 1970.
    package let created: Int64
    package let items, left: UInt64
    package let parts: UInt32

    package init(ticket: [UInt8], created: Int64, items: UInt64, left: UInt64, parts: UInt32) {
        (self.ticket, self.created, self.items, self.left, self.parts) = (ticket, created, items, left, parts)
    }

    func append(to buffer: SecretBuffer) {
        buffer.append(ticket.span)
        buffer.append(littleEndian: created)
        buffer.append(littleEndian: items)
        buffer.append(littleEndian: left)
        buffer.append(littleEndian: parts)
    }

    init(from reader: inout WireReader) throws(Refusal) {
        self.init(
            ticket: try reader.array(BackupTicket.bytes), created: try reader.integer(Int64.self),
            items: try reader.integer(UInt64.self), left: try reader.integer(UInt64.self),
            parts: try reader.integer(UInt32.self))
    }
}

/// An item or a shelf of a backup, and what became of it: `class:u8 outcome:u8 group:text name:text why:text`.
package struct RestoredItem: Equatable, Sendable {
    package enum Outcome: UInt8, Sendable, CaseIterable {
        /// It was not there.
        case added = 1
        /// It is later than what was there, which is in the history now.
        case replaced = 2
        /// The item that is there is later.
        case kept = 3
        /// It was there, with the same modification date.
        case same = 4
        case refused = 5
    }

    package let recordClass: BackupClass
    package let outcome: Outcome
    package let group, name: String
    /// Of a refused one: why, and what to do.
    package let why: String

    package init(_ recordClass: BackupClass, _ outcome: Outcome, group: String, name: String, why: String = "") {
        (self.recordClass, self.outcome, self.why) = (recordClass, outcome, why)
        (self.group, self.name) = (group.shortened, name.shortened)
    }

    func append(to buffer: SecretBuffer) {
        buffer.append([recordClass.number, outcome.rawValue].span)
        for text in [group, name, why] { buffer.append(text: text) }
    }

    init(from reader: inout WireReader) throws(Refusal) {
        let recordClass = try BackupClass(from: &reader)
        guard let outcome = Outcome(rawValue: try reader.integer(UInt8.self)) else {
            throw .malformed("an item of a backup")
        }
        self.init(
            recordClass, outcome, group: try reader.name(), name: try reader.name(), why: try reader.name())
    }
}
