import CertificateWire
import KeychainModel
import KeychainWire
import LinuxSystem

/// Adds certificates and keys to the keychain: all of them, or none.
struct ItemAddition {
    let items: [CertificateItem]
    let session: Session
    let call: String
    /// Whether `security export` may write the private keys.
    var isExtractable = true

    /// Adds the items. One that is there already stays as it is.
    ///
    /// - Returns: the indexes of the added items.
    /// - Throws: `errSecDuplicateItem` when all of them are there; whatever else the keychain refuses with, after the
    ///   removal of those that were added.
    func run() throws(CommandFailure) -> Set<Int> {
        var added: [(index: Int, reference: RawValue)] = []
        var duplicate: CommandFailure?
        for (index, item) in items.enumerated() {
            do throws(CommandFailure) { added.append((index, try add(item))) } catch {
                guard error.isStatus(.duplicateItem) else {
                    for (_, reference) in added { try? remove(reference) }
                    throw error
                }
                duplicate = error
            }
        }
        if added.isEmpty, let duplicate { throw duplicate }
        return Set(added.map(\.index))
    }

    private func add(_ item: CertificateItem) throws(CommandFailure) -> RawValue {
        let response = try session.send(call) { () throws(Refusal) in
            var builder = ItemRequestBuilder(.add)
            try builder.set("class", .string(item.itemClass.code))
            if item.itemClass == .key, !isExtractable { builder.fill(.isExtractable, .number(0)) }
            for entry in item.attributes where entry.id != .valueData {
                if let value = item.attributes.value(entry) { builder.fill(entry.id, value) }
            }
            try builder.fill(value: item.value)
            try builder.set("r_PersistentRef", .boolean(true))
            return try builder.build()
        }
        return response.items.first?.reference ?? .null
    }

    /// Nothing of an addition that failed stays, not even as an earlier version.
    private func remove(_ reference: RawValue) throws(CommandFailure) {
        _ = try session.send(call) { () throws(Refusal) in
            var builder = ItemRequestBuilder(.delete)
            try builder.set("v_PersistentRef", reference)
            builder.leaveNoHistory()
            return try builder.build()
        }
    }
}

/// The contents of a file, as the lines of `import` count it.
struct ImportedKinds {
    /// The indexes of the items of each identity, key and certificate.
    private var identities: [[Int]] = []
    private var keys: [[Int]] = []
    private var certificates: [[Int]] = []

    init(_ items: [CertificateItem]) {
        var taken: Set<Int> = []
        for (index, item) in items.enumerated() where item.isPrivateKey {
            let own = items.indices.first {
                items[$0].itemClass == .certificate && items[$0].keyHash == item.keyHash && !taken.contains($0)
            }
            guard let own else { continue }
            identities.append([index, own])
            taken.formUnion([index, own])
        }
        for (index, item) in items.enumerated() where !taken.contains(index) {
            if item.itemClass == .key { keys.append([index]) } else { certificates.append([index]) }
        }
    }

    /// A line for each kind of which there is any.
    ///
    /// - Parameters:
    ///   - added: the indexes that count; of an identity one is enough.
    ///   - verb: what has been done.
    func lines(_ added: Set<Int>, _ verb: String) -> [String] {
        let names = [("identity", "identities"), ("key", "keys"), ("certificate", "certificates")]
        return zip(names, [identities, keys, certificates]).compactMap { names, found in
            let count = found.count { !added.isDisjoint(with: $0) }
            return count == 0 ? nil : "\(count) \(count == 1 ? names.0 : names.1) \(verb)."
        }
    }
}
