import EnclaveWire
import KeychainBackup
import KeychainCrypto
package import KeychainModel
package import KeychainWire
import LinuxSystem

/// Shelves, whose keys wrap the keys of protected files. Id and head of a shelf are associated data of its keys, under
/// the class key of its class, or under a key of the backup that it travels in.
extension SoftwareEnclave {
    package func makeShelf(
        _ protection: FileProtection, _ binding: KeyBinding, in context: AuthenticationContext?
    ) throws(Refusal) -> Shelf {
        try requireOpen(binding.accessibility)
        let pair = try library { () throws(CryptoError) in
            try PrivateKey.generate(.x25519, bits: Int(Shelf.bits))
        }
        let keys = ShelfKeys(pair)
        return try sealed(keys, as: try keys.id(protection, binding), protection, binding, in: context)
    }

    /// The keys of a shelf, if the context has the grants for it.
    func keys(of shelf: Shelf, in context: AuthenticationContext?) throws(Refusal) -> ShelfKeys {
        try ShelfKeys(decoding: try privatePart(of: shelf, in: context))
    }

    /// The first of them alone: files are opened with it, and decoding the other one takes a multiplication on its
    /// curve.
    func wrapKey(of shelf: Shelf, in context: AuthenticationContext?) throws(Refusal) -> SecretBytes {
        try ShelfKeys.wrapKey(in: try privatePart(of: shelf, in: context))
    }

    private func privatePart(
        of shelf: Shelf, in context: AuthenticationContext?
    ) throws(Refusal) -> SecretBytes {
        let inner = try openBox(of: shelf)
        let use = GuardedUse(
            identifier: shelf.key.identifier, constraint: AccessConstraint(flags: shelf.key.binding.control),
            operation: .useItem)
        return try openGuarded(inner, shelf.key.guardBinding ?? GuardBinding(), for: use, in: context)
    }

    func openBox(of shelf: Shelf) throws(Refusal) -> SecretBytes {
        try openBox(shelf.key.sealed, aad: shelf.aad, for: shelf.key.binding.accessibility)
    }

    /// A shelf with these keys under the class key of its class.
    func sealed(
        _ keys: ShelfKeys, as id: ShelfID, _ protection: FileProtection, _ binding: KeyBinding,
        in context: AuthenticationContext?
    ) throws(Refusal) -> Shelf {
        var (guardBinding, inner): (GuardBinding?, SecretBytes) = (nil, try keys.encoded())
        if AccessControl.asksTheUser(binding.control) {
            let bound = try bind(inner, to: binding.control, in: context)
            (guardBinding, inner) = (bound.0, bound.1)
        }
        let publicKey = keys.pair.publicKey.external()
        let empty = try Shelf(id: id, protection, binding, publicKey, guardBinding, sealed: [])
        let box = try seal(inner, aad: empty.aad, for: binding.accessibility)
        return try Shelf(id: id, protection, binding, publicKey, guardBinding, sealed: box)
    }
}

// MARK: - In backups

extension SoftwareEnclave {
    package func sealShelf(_ shelf: Shelf, forBackup ticket: [UInt8]) throws(Refusal) -> Shelf {
        let entry = try backup(ticket)
        let (shown, binding) = (try factors(forBackup: entry), shelf.key.binding)
        guard !binding.accessibility.isThisDeviceOnly else { throw .shelfStays }
        let inner = try openBox(of: shelf)
        guard AccessConstraint(flags: binding.control).isMetInBackup(by: shown) else { throw .guardedBeyondBackup }
        // A box of them under a password has another size than the two keys alone.
        let keys = try ShelfKeys(decoding: inner)
        func copy(_ box: [UInt8]) throws(Refusal) -> Shelf {
            try Shelf(id: shelf.id, shelf.protection, binding, shelf.key.publicKey, nil, sealed: box)
        }
        let (box, privatePart) = (ShelfBox(of: try copy([]), in: entry.proof), try keys.encoded())
        return try copy(try library { () throws(CryptoError) in try box.seal(privatePart, under: entry.keys) })
    }

    package func sealShelf(
        _ shelf: Shelf, fromBackup ticket: [UInt8], inPlaceOfDamaged isRepair: Bool
    ) throws(Refusal) -> Shelf {
        try requireUnlocked()
        let (entry, binding) = (try backup(ticket), shelf.key.binding)
        guard entry.shown == nil else { throw .noBackupUnderWay }
        guard !binding.accessibility.isThisDeviceOnly, shelf.key.guardBinding == nil, shelf.id != .zero,
            AccessConstraint(flags: binding.control).isMetInBackup(by: .passcode)
        else { throw .shelfStays }
        let keys = try ShelfKeys(decoding: try open(shelf, of: entry))
        // Files are wrapped to the public half: who opens them has to be who has the private one.
        guard keys.pair.publicKey.external() == shelf.key.publicKey else { throw .damagedKey }
        if isRepair, try keys.id(shelf.protection, binding) != shelf.id { throw .noRepair }
        return try sealed(keys, as: shelf.id, shelf.protection, binding, in: nil)
    }

    private func open(_ shelf: Shelf, of entry: OpenBackups.Entry) throws(Refusal) -> SecretBytes {
        do throws(CryptoError) { return try ShelfBox(of: shelf, in: entry.proof).open(under: entry.keys) } catch {
            let isDamage = error == .authenticationFailed || error == .boxTooShort
            throw isDamage ? Refusal(.damaged("a shelf")) : .crypto(error)
        }
    }
}

/// The two private keys of a shelf.
struct ShelfKeys {
    let wrapKey: SecretBytes
    let pair: PrivateKey

    /// With a new wrap key.
    init(_ pair: PrivateKey) { (wrapKey, self.pair) = (SecretBytes.randomKey(), pair) }

    /// - Throws: `errSecDecode` for what is no shelf's.
    init(decoding part: SecretBytes) throws(Refusal) {
        wrapKey = try Self.wrapKey(in: part)
        pair = try library { () throws(CryptoError) in
            try part.withSpan { (part) throws(CryptoError) in
                try PrivateKey(external: part.extracting(Shelf.wrapKeyBytes...), type: .x25519)
            }
        }
    }

    /// - Throws: as ``init(decoding:)``.
    static func wrapKey(in part: SecretBytes) throws(Refusal) -> SecretBytes {
        guard part.count == Shelf.wrapKeyBytes + Shelf.privateKeyBytes else { throw .damagedKey }
        return part.withSpan { SecretBytes(copying: $0.extracting(..<Shelf.wrapKeyBytes)) }
    }

    /// The id of a shelf with these keys. Nobody can make another shelf with it, so that the machines of a circle have
    /// one under each id.
    func id(_ protection: FileProtection, _ binding: KeyBinding) throws(Refusal) -> ShelfID {
        let shelf = try Shelf(id: .zero, protection, binding, pair.publicKey.external(), nil, sealed: [])
        let digest = try digest("keychain shelf 1: id", of: shelf.key.head)
        guard let id = ShelfID(digest.span.extracting(..<ShelfID.size)) else { throw .damagedKey }
        return id
    }

    /// SHA-256 of a text, what a shelf has in the clear, and its keys. These are random: nobody finds them by it.
    func digest(_ text: String, of shown: [UInt8]) throws(Refusal) -> [UInt8] {
        let message = SecretBuffer(capacity: 512)
        message.append(Array(text.utf8).span)
        message.append(shown.span)
        try encoded().withSpan { message.append($0) }
        return try library { () throws(CryptoError) in
            let digest = try message.withSpan { (span) throws(CryptoError) in try Digest.sha256(span) }
            return digest.span.array(0, digest.span.count)
        }
    }

    func encoded() throws(Refusal) -> SecretBytes {
        let buffer = SecretBuffer(capacity: 128)
        wrapKey.withSpan { buffer.append($0) }
        try library { () throws(CryptoError) in try pair.external() }.withSpan { buffer.append($0) }
        return buffer.finish()
    }
}

extension Shelf {
    fileprivate init(
        id: ShelfID, _ protection: FileProtection, _ binding: KeyBinding, _ publicKey: [UInt8],
        _ guardBinding: GuardBinding?, sealed: [UInt8]
    ) throws(Refusal) {
        let key = SealedKey(
            backend: .software, origin: .madeInside, keyType: Self.keyType(protection), bits: Self.bits,
            binding: binding, publicKey: publicKey, guardBinding: guardBinding, sealed: sealed)
        try self.init(id: id, key: key)
    }

    /// The same shelf with its keys under another seal.
    func with(sealed: [UInt8]) throws(Refusal) -> Shelf {
        try Shelf(id: id, protection, key.binding, key.publicKey, nil, sealed: sealed)
    }

    fileprivate var aad: [UInt8] {
        WrappingBinding.shelf(id.bytes, head: key.head, key.binding.accessibility)
    }
}

private func library<Result>(_ body: () throws(CryptoError) -> Result) throws(Refusal) -> Result {
    do throws(CryptoError) { return try body() } catch { throw .crypto(error) }
}

extension Refusal {
    fileprivate static let shelfStays = Refusal(
        .param, .wrongValue, "backup",
        "The shelf is of this device only, or more than the keychain's password guards it.",
        do: "Use a backup that `security backup` has made; the other items of this one are taken.")
    fileprivate static let noRepair = Refusal(
        .param, .conflict, "backup",
        "The record of the shelf is damaged here, and the one of the backup has another identifier than that of its "
            + "keys: anybody can have made it.",
        do: "Use a backup of this keychain. A shelf of an earlier release comes back with a snapshot of the store, or "
            + "with its backup in a new keychain.")
}
