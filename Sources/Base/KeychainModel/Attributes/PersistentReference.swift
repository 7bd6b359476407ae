/// A lasting name for an item: its class and its UUID (rule persistent-references.form.twenty). It survives updates and
/// becomes invalid with the item.
package struct PersistentReference: Hashable, Sendable {
    package let itemClass: ItemClass
    package let item: Item

    package enum Item: Hashable, Sendable {
        case uuid([UInt8])
        /// The old 12-byte form, which is still accepted.
        case row(Int64)
    }

    package init(_ itemClass: ItemClass, uuid: [UInt8]) {
        self.itemClass = itemClass
        item = .uuid(uuid)
    }

    /// Parses the 20-byte form, or the old one of 12 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 20 || bytes.count == 12, let code = String(validating: bytes[..<4], as: UTF8.self),
            let itemClass = ItemClass(code: code)
        else { return nil }
        self.itemClass = itemClass
        let rest = bytes[4...]
        item = bytes.count == 20 ? .uuid(Array(rest)) : .row(rest.reduce(0) { $0 << 8 | Int64($1) })
    }

    /// The 20-byte form; nil for a reference in the old form.
    package var bytes: [UInt8]? {
        guard case .uuid(let uuid) = item else { return nil }
        return Array(itemClass.code.utf8) + uuid
    }
}
