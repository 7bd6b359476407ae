package import KeychainModel
package import LinuxSystem

/// How far a verification has come: the rows of each class in turn, then the file as a whole.
///
///     cursor = class:u8 row:i64                ; class 0: only the file is left
package struct VerificationCursor: Equatable, Sendable {
    /// The class whose rows are next; nil when only the file is left.
    package let itemClass: ItemClass?
    /// The row of that class after which to go on.
    package let row: Int64

    package init(_ itemClass: ItemClass?, after row: Int64) {
        self.itemClass = itemClass
        self.row = row
    }

    /// The beginning of the walk.
    package static let start = Self(ItemClass.stored.first, after: 0)

    /// Where the walk goes on when all rows of a class were looked at.
    package static func start(after itemClass: ItemClass) -> Self {
        let following = ItemClass.stored.drop { $0 != itemClass }.dropFirst()
        return Self(following.first, after: 0)
    }

    func append(to buffer: SecretBuffer) {
        buffer.append(itemClass?.rawValue ?? 0)
        buffer.append(littleEndian: row)
    }

    init(from reader: inout WireReader) throws(Refusal) {
        let (code, row) = (try reader.integer(UInt8.self), try reader.integer(Int64.self))
        let itemClass = ItemClass(rawValue: code)
        guard code == 0 || itemClass.map(ItemClass.stored.contains) == true else { throw .malformed("a class") }
        self.init(itemClass, after: row)
    }
}

/// The findings of one page of a verification.
///
///     page = total:u64 isLast:u8 cursor report
package struct VerificationPage: Equatable, Sendable {
    package var report = VerificationReport()
    /// Where the next page begins; nil after the last.
    package var next: VerificationCursor?
    /// How many rows the store has; told on the first page, 0 on the others.
    package var total: UInt64 = 0

    package init() {}

    package func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: total)
        buffer.append(next == nil ? 1 : 0)
        (next ?? .start).append(to: buffer)
        report.append(to: buffer)
    }

    package init(from reader: inout WireReader) throws(Refusal) {
        total = try reader.integer(UInt64.self)
        let isLast = try reader.integer(UInt8.self) != 0
        let cursor = try VerificationCursor(from: &reader)
        next = isLast ? nil : cursor
        report = try VerificationReport(from: &reader)
    }
}

/// The findings of a walk over rows.
package struct VerificationReport: Equatable, Sendable {
    /// A row that does not open, by where it is, never by what is in it.
    package struct Damage: Equatable, Sendable {
        package let itemClass: ItemClass
        package let row: Int64
        package let problem: String

        package init(itemClass: ItemClass, row: Int64, problem: String) {
            self.itemClass = itemClass
            self.row = row
            self.problem = problem
        }
    }

    package var checked: UInt64 = 0
    /// Rows whose class is not open in the present device state; they were left alone.
    package var locked: UInt64 = 0
    package var damage: [Damage] = []
    /// The findings of SQLite's own check; empty when there are none.
    package var file: String = ""
    /// Whether store and vault are the newest; told on the last page.
    package var age = KeychainAge.current

    package init() {}

    /// Takes over what a later page found.
    package mutating func add(_ page: VerificationReport) {
        checked &+= page.checked
        locked &+= page.locked
        damage += page.damage
        if !page.file.isEmpty { file = page.file }
        if page.age != .current { age = page.age }
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: checked)
        buffer.append(littleEndian: locked)
        buffer.append(text: file)
        buffer.append(age.rawValue)
        buffer.append(littleEndian: UInt32(damage.count))
        for row in damage {
            buffer.append(row.itemClass.rawValue)
            buffer.append(littleEndian: row.row)
            buffer.append(text: row.problem)
        }
    }

    package init(from reader: inout WireReader) throws(Refusal) {
        checked = try reader.integer(UInt64.self)
        locked = try reader.integer(UInt64.self)
        file = try reader.text()
        age = try KeychainAge(from: &reader)
        for _ in 0..<(try reader.integer(UInt32.self)) {
            guard let itemClass = ItemClass(rawValue: try reader.integer(UInt8.self)) else {
                throw .malformed("a class")
            }
            damage.append(
                Damage(itemClass: itemClass, row: try reader.integer(Int64.self), problem: try reader.text()))
        }
    }
}
