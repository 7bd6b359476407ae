package import KeychainModel
import LinuxSystem

/// Items that are to have another group: of a class, or of all.
///
///     move = class:u8 isRename:u8 from:text to:text statement:bytes
package struct GroupMove: Equatable, Sendable {
    package var from: String
    package var to: String
    /// Nil for all classes.
    package var itemClass: ItemClass?
    /// The group as a whole gets the other name: nothing may be in that one yet.
    package var isRename: Bool
    /// By which the old group's team hands it over to the new one; empty for none.
    package var statement: [UInt8]

    /// The longest statement.
    package static let statementBytes = 8192

    package init(
        from: String, to: String, itemClass: ItemClass? = nil, isRename: Bool = false, statement: [UInt8] = []
    ) {
        (self.from, self.to, self.itemClass) = (from, to, itemClass)
        (self.isRename, self.statement) = (isRename, statement)
    }

    func append(to buffer: SecretBuffer) {
        buffer.append(itemClass?.rawValue ?? 0)
        buffer.append(isRename ? 1 : 0)
        buffer.append(text: from)
        buffer.append(text: to)
        buffer.append(bytes: statement.span)
    }

    init(from reader: inout WireReader) throws(Refusal) {
        itemClass = try reader.optionalClass()
        isRename = try reader.integer(UInt8.self) != 0
        (from, to) = (try reader.name(), try reader.name())
        statement = try reader.bytes(atMost: Self.statementBytes)
    }
}

/// The result of a move: all items, or none and the reason.
///
///     report   = moved:u64 damaged:u64 conflicts:u64 count:u32 *conflict
///     conflict = class:u8 rule:text name:text
package struct MoveReport: Equatable, Sendable {
    /// A reason why nothing was moved.
    package struct Conflict: Equatable, Sendable {
        package var itemClass: ItemClass
        package var rule: Refusal.Rule
        /// The item's name for people.
        package var name: String

        package init(itemClass: ItemClass, rule: Refusal.Rule, name: String) {
            (self.itemClass, self.rule, self.name) = (itemClass, rule, name)
        }
    }

    /// 0 when there are conflicts.
    package var moved: UInt64 = 0
    /// Rows that do not open; they stay where they are.
    package var damaged: UInt64 = 0
    /// How many conflicts there are; ``conflicts`` has the first of them.
    package var conflictCount: UInt64 = 0
    package var conflicts: [Conflict] = []

    /// More than these are counted and not told.
    package static let mostConflicts = 100

    package init() {}

    package mutating func note(_ conflict: Conflict) {
        conflictCount += 1
        if conflicts.count < Self.mostConflicts { conflicts.append(conflict) }
    }

    func append(to buffer: SecretBuffer) {
        for number in [moved, damaged, conflictCount] { buffer.append(littleEndian: number) }
        buffer.append(littleEndian: UInt32(truncatingIfNeeded: conflicts.count))
        for conflict in conflicts {
            buffer.append(conflict.itemClass.rawValue)
            buffer.append(text: conflict.rule.rawValue)
            buffer.append(text: conflict.name)
        }
    }

    init(from reader: inout WireReader) throws(Refusal) {
        (moved, damaged) = (try reader.integer(UInt64.self), try reader.integer(UInt64.self))
        conflictCount = try reader.integer(UInt64.self)
        for _ in 0..<(try reader.integer(UInt32.self)) {
            guard let itemClass = try reader.optionalClass() else { throw .malformed("a conflict") }
            let rule = Refusal.Rule(rawValue: try reader.text())
            conflicts.append(Conflict(itemClass: itemClass, rule: rule, name: try reader.text()))
        }
    }
}

/// The state of a group's items when all of its programs are gone (rule access-groups.removal.policy).
package enum GroupPolicy: UInt8, Sendable, CaseIterable {
    /// They stay, as on iOS: a program that comes back finds them.
    case keep = 0
    /// They go when the last program's removal is told.
    case purge = 1

    init(from reader: inout WireReader) throws(Refusal) {
        guard let policy = Self(rawValue: try reader.integer(UInt8.self)) else { throw .malformed("a group's policy") }
        self = policy
    }
}

/// A group with items whose programs are gone.
///
///     orphan = policy:u8 items:u64 seen:u32 group:text programs       ; seen: in days since 2001, 0 for never
package struct OrphanGroup: Equatable, Sendable {
    package var group: String
    package var policy: GroupPolicy
    package var items: UInt64
    /// When one of its programs was seen last: days since 2001; 0 when none was.
    package var lastSeen: UInt32
    /// The programs that had the group, all of them gone.
    package var programs: [String]

    package init(group: String, policy: GroupPolicy, items: UInt64, lastSeen: UInt32, programs: [String]) {
        (self.group, self.policy, self.items) = (group, policy, items)
        (self.lastSeen, self.programs) = (lastSeen, programs)
    }

    func append(to buffer: SecretBuffer) {
        buffer.append(policy.rawValue)
        buffer.append(littleEndian: items)
        buffer.append(littleEndian: lastSeen)
        buffer.append(text: group)
        buffer.append(texts: programs)
    }

    init(from reader: inout WireReader) throws(Refusal) {
        policy = try GroupPolicy(from: &reader)
        (items, lastSeen) = (try reader.integer(UInt64.self), try reader.integer(UInt32.self))
        (group, programs) = (try reader.text(), try reader.texts(atMost: .max))
    }
}
