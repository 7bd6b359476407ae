package import KeychainEngine
package import KeychainModel
import KeychainStore
import LinuxSystem

/// The records of a keychain that belongs to a circle: which of them other machines have not got.
package struct CircleRecords: Sendable {
    /// A record and the stamp of its last change here: microseconds since 1970, or 0 where the item is from before the
    /// circle, whose modification date counts.
    package struct Mark: Hashable, Sendable {
        package let itemClass: ItemClass
        package let primaryKey: [UInt8]
        package let stamp: Int64
    }

    private let engine: KeychainEngine

    package init(_ engine: KeychainEngine) { self.engine = engine }

    /// The keychain belongs to a circle from now on.
    package func enter() throws(Refusal) {
        try engine.withStoreWriter { (writer) throws(Refusal) in try writer.enterCircle() }
    }

    /// Whether it does.
    package var isEntered: Bool {
        get throws(Refusal) {
            try engine.withStoreWriter { (writer) throws(Refusal) -> Bool in
                // The writer looks at the beginning of a transaction.
                try writer.transaction { () throws(Refusal) in }
                return writer.isInCircle
            }
        }
    }

    /// It no longer does. Items stay.
    package func leave() throws(Refusal) {
        try engine.withStoreWriter { (writer) throws(Refusal) in try writer.leaveCircle() }
    }

    /// The records that other machines have not got, so many at most.
    package func marks(atMost most: Int = .max) throws(Refusal) -> [Mark] {
        try engine.withStoreWriter { (writer) throws(Refusal) in
            var found: [Mark] = []
            for itemClass in ItemClass.stored where found.count < most {
                try writer.reader.markedRows(of: itemClass, after: []) { row, stamp in
                    let primaryKey = row.withPart(.primaryKey) { $0.array(0, $0.count) }
                    found.append(Mark(itemClass: itemClass, primaryKey: primaryKey, stamp: stamp))
                    return found.count < most
                }
            }
            return found
        }
    }

    /// How many items and shelves other machines have not got.
    package func count() throws(Refusal) -> Int {
        let shelves = try engine.withStoreWriter { (writer) throws(Refusal) in try writer.reader.countMarkedShelves() }
        return try marks().count + shelves
    }

    /// Other machines have got these; those that have changed since stay marked.
    package func settle(_ marks: [Mark]) throws(Refusal) {
        try engine.withStoreWriter { (writer) throws(Refusal) in
            try writer.transaction { () throws(Refusal) in
                guard writer.isInCircle else { return }
                for mark in marks { try writer.settle(mark.primaryKey, of: mark.itemClass, at: mark.stamp) }
            }
        }
    }
}
