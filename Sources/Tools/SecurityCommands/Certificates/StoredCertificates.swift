import CertificateWire
import CommandOptions
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// The certificates and keys that this command may use.
struct StoredCertificates {
    let session: Session
    let call: String
    /// The keychains to look in, as people name them, or none for the search list; nil for the session's own.
    var keychains: [Argument]?

    /// An item with the keychain that has it.
    struct Stored {
        let item: ItemResponse.Item
        let place: ChosenKeychain
    }

    /// A certificate's item with the certificate.
    struct Found {
        let stored: Stored
        let certificate: [UInt8]
    }

    /// All certificates: of one keychain after the other, the oldest first.
    func all() throws(CommandFailure) -> [Found] {
        try items(.certificate, ["r_Attributes", "r_Data", "r_PersistentRef"]).compactMap { stored in
            guard let bytes = stored.item.attributes.secret(.valueData),
                bytes.count <= CertificateLimits.certificateBytes
            else { return nil }
            return Found(stored: stored, certificate: bytes.withSpan { $0.array(0, $0.count) })
        }
    }

    /// The certificates whose private key is in one of the keychains.
    func identities() throws(CommandFailure) -> [Found] {
        let keys = try privateKeys(["r_Attributes"])
        let hashes = Set(keys.compactMap { $0.item.attributes[.applicationLabel]?.bytes })
        return hashes.isEmpty ? [] : try all().filter { $0.keyHash.map(hashes.contains) ?? false }
    }

    /// The private key of a certificate, with what is asked for; nil when there is none. A key in the certificate's own
    /// keychain comes first.
    func privateKey(of certificate: Found, _ returns: [String]) throws(CommandFailure) -> Stored? {
        let keys = try privateKeys(["r_Attributes"] + returns).filter {
            $0.item.attributes[.applicationLabel]?.bytes == certificate.keyHash
        }
        return keys.first { $0.place == certificate.stored.place } ?? keys.first
    }

    func privateKeys(_ returns: [String]) throws(CommandFailure) -> [Stored] {
        try items(.key, returns, [("kcls", .string(KeyClass.private.rawValue))])
    }

    /// All items of a class: of one keychain after the other, the oldest first.
    ///
    /// - Parameter returns: the `kSecReturn` keys.
    func items(
        _ itemClass: ItemClass, _ returns: [String], _ criteria: [(code: String, value: RawValue)] = []
    ) throws(CommandFailure) -> [Stored] {
        guard let keychains else { return try itemsHere(itemClass, returns, criteria) }
        var items: [Stored] = []
        try session.inEach(keychains, call, hasFound: { !items.isEmpty }) { () throws(CommandFailure) in
            items += try itemsHere(itemClass, returns, criteria)
        }
        return items
    }

    private func itemsHere(
        _ itemClass: ItemClass, _ returns: [String], _ criteria: [(code: String, value: RawValue)]
    ) throws(CommandFailure) -> [Stored] {
        let items = try session.items(call) { () throws(Refusal) in
            var builder = ItemRequestBuilder(.copyMatching)
            try builder.set("class", .string(itemClass.code))
            for (code, value) in criteria { try builder.set(code, value) }
            try builder.set("sync", .string("syna"))
            try builder.set("m_Limit", .string("m_LimitAll"))
            for key in returns { try builder.set(key, .boolean(true)) }
            return try builder.build()
        }
        return items.enumerated()
            .sorted { ($0.element.created, $0.offset) < ($1.element.created, $1.offset) }
            .map { Stored(item: $0.element, place: session.place) }
    }

    /// Removes an item for good as far as searches go; its history keeps it.
    func delete(_ stored: Stored) throws(CommandFailure) {
        try session.turn(to: stored.place, call)
        _ = try session.send(call) { () throws(Refusal) in
            var builder = ItemRequestBuilder(.delete)
            try builder.set("v_PersistentRef", stored.item.reference)
            return try builder.build()
        }
    }

    /// The facts about certificates, in their order.
    func facts(_ certificates: [[UInt8]]) throws(CommandFailure) -> [CertificateFacts] {
        guard !certificates.isEmpty else { return [] }
        let facts = try CertificateProgram.perform(DescribeCertificates(certificates), call).facts
        guard facts.count == certificates.count else {
            throw .refused(call: call, .malformed("the number of certificates"))
        }
        return facts
    }
}

extension StoredCertificates.Found {
    /// The digest of the public key.
    var keyHash: [UInt8]? { stored.item.attributes[.publicKeyHash]?.bytes }
    var label: String { stored.item.attributes[.label]?.string ?? "" }
}

extension ItemResponse.Item {
    /// Seconds since 2001.
    fileprivate var created: Double {
        if case .date(let seconds)? = attributes[.creationDate] { seconds } else { 0 }
    }
}
