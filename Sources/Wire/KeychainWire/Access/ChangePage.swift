package import KeychainModel
import LinuxSystem

/// Which items have changed since a number, as far as the caller may know.
///
///     page    = next:u64 state:u8 count:u32 *item
///     item    = class:u8 uuid:bytes
package struct ChangePage: Equatable, Sendable {
    /// How complete the page is.
    package enum State: UInt8, Sendable {
        /// All changes since then are named.
        case whole = 0
        /// More has changed than was kept, or the daemon is another one: read everything again.
        case lost = 1
        /// Other processes write to the store too, of whose changes the daemon knows nothing.
        case shared = 2
    }

    /// The number to ask with for what comes after.
    package var next: UInt64
    package var state: State
    /// Items that were added, changed or deleted, each once.
    package var items: [PersistentReference]

    package init(next: UInt64, state: State = .whole, items: [PersistentReference] = []) {
        (self.next, self.state, self.items) = (next, state, items)
    }

    func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: next)
        buffer.append(state.rawValue)
        buffer.append(littleEndian: UInt32(truncatingIfNeeded: items.count))
        for item in items {
            buffer.append(item.itemClass.rawValue)
            if case .uuid(let uuid) = item.item { buffer.append(bytes: uuid.span) }
        }
    }

    private static let uuidBytes = 16

    init(from reader: inout WireReader) throws(Refusal) {
        next = try reader.integer(UInt64.self)
        guard let state = State(rawValue: try reader.integer(UInt8.self)) else { throw .malformed("the changes") }
        self.state = state
        items = []
        for _ in 0..<(try reader.integer(UInt32.self)) {
            guard let itemClass = try reader.optionalClass() else { throw .malformed("the class of a change") }
            let uuid = try reader.bytes(atMost: Self.uuidBytes)
            guard uuid.count == Self.uuidBytes else { throw .malformed("the name of a changed item") }
            items.append(PersistentReference(itemClass, uuid: uuid))
        }
    }
}
