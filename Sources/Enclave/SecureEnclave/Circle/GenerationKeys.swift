import KeychainCrypto
import KeychainModel
import LinuxSystem
import SyncFormat

/// The keys of a generation in the clear, and the record key, which is the same in all.
///
///     commitment = SHA-256("keychain sync 1: generation" ‖ circle ‖ number:u32 ‖ Ka ‖ Kc ‖ record key)
///     share      = HPKE(Ka ‖ Kc ‖ record key), info: "keychain sync 1: share" ‖ circle ‖ generation ‖ recipient
struct GenerationKeys {
    static let keySize = 32
    private static let suite = HPKE(.p256)

    /// Of records that only an unlocked machine reads.
    let unlocked: SecretBytes
    /// Of everything else.
    let common: SecretBytes
    /// Names records.
    let record: SecretBytes

    /// New keys.
    ///
    /// - Parameter record: the circle's record key; nil for the first generation of a circle.
    init(record: SecretBytes?) {
        (unlocked, common, self.record) = (Self.random(), Self.random(), record ?? Self.random())
    }

    init(unlocked: SecretBytes, common: SecretBytes, record: SecretBytes) {
        (self.unlocked, self.common, self.record) = (unlocked, common, record)
    }

    private static func random() -> SecretBytes {
        let key = SecretBytes(count: keySize)
        key.withMutableSpan { Randomness.fill(&$0) }
        return key
    }

    private var joined: SecretBytes {
        let buffer = SecretBuffer(capacity: 3 * Self.keySize)
        for key in [unlocked, common, record] { key.withSpan { buffer.append($0) } }
        return buffer.finish()
    }

    private init(joined: SecretBytes) {
        let keys = (0..<3).map { number in
            joined.withSpan { SecretBytes(copying: $0.extracting(number * Self.keySize..<(number + 1) * Self.keySize)) }
        }
        self.init(unlocked: keys[0], common: keys[1], record: keys[2])
    }

    /// The commitment to the keys under a number, which every recipient checks.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    func commitment(in circle: CircleID, _ number: UInt32) throws(CryptoError) -> BatchHash {
        let buffer = SecretBuffer(capacity: 160)
        let head = Array("keychain sync 1: generation".utf8) + circle.bytes
        buffer.append(head.span)
        buffer.append(littleEndian: number)
        joined.withSpan { buffer.append($0) }
        return try buffer.withSpan { (bytes) throws(CryptoError) in try BatchHash(sha256: bytes) }
    }

    // MARK: - Shares

    private static func info(_ circle: CircleID, _ generation: GenerationID, _ recipient: MemberID) -> [UInt8] {
        Array("keychain sync 1: share".utf8) + circle.bytes + generation.bytes + recipient.bytes
    }

    /// Encrypts the keys for a member.
    ///
    /// - Throws: `CryptoError.malformedKey` for an agreement key that is no point of the curve; `.libraryFailure`.
    func share(
        of generation: GenerationID, in circle: CircleID, for recipient: MemberID, _ keys: MemberKeys
    ) throws(CryptoError) -> KeyShare {
        let publicKey = try PublicKey(external: keys.agreement.span, type: .ecSECPrimeRandom)
        let info = Self.info(circle, generation, recipient)
        let message = try joined.withSpan { (content) throws(CryptoError) in
            try Self.suite.seal(content: content, to: publicKey, info: info.span, aad: Span())
        }
        return KeyShare(
            recipient: recipient, encapsulated: Array(message.prefix(MemberKeys.pointSize)),
            box: Array(message.dropFirst(MemberKeys.pointSize)))
    }

    /// Opens a share, and checks that its keys are those of the generation, which has its name from them.
    ///
    /// - Parameter sharedX: what the recipient's key shares with the encapsulated key.
    /// - Returns: nil when the share does not open, or has other keys.
    init?(
        opening share: KeyShare, of generation: GenerationID, _ number: UInt32, in circle: CircleID, _ own: MemberKeys,
        sharedX: SecretBytes
    ) {
        let message = share.encapsulated + share.box
        let info = Self.info(circle, generation, share.recipient)
        guard let publicKey = try? PublicKey(external: own.agreement.span, type: .ecSECPrimeRandom),
            let content = try? Self.suite.open(
                message: message.span, sharedX: sharedX, recipient: publicKey, info: info.span, aad: Span()),
            content.count == 3 * Self.keySize
        else { return nil }
        self.init(joined: content)
        guard let commitment = try? commitment(in: circle, number), GenerationID(commitment.bytes) == generation else {
            return nil
        }
    }
}

/// Boxes under keys that serve once: HKDF-SHA256 of a generation's key, with the batch's salt.
enum CircleCipher {
    /// The content of a box, which goes into its key.
    enum Purpose: String {
        /// The sealed part of a batch or of a snapshot's part; its place is the header.
        case batch = "keychain sync 1: batch"
        /// A record's body; its place is ``BoxedRecord``.
        case record = "keychain sync 1: record"
        /// A shelf's body, with its keys in the clear; its place is ``BoxedRecord``. No daemon sees what is inside.
        case shelf = "keychain sync 1: shelf"
        /// A machine's name; its place is the circle and the machine.
        case name = "keychain sync 1: name"
        /// The contents of a pairing; their place is the head of the message, the salt the session.
        case pair = "keychain sync 1: pair"
    }

    static func seal(
        _ content: SecretBytes, _ purpose: Purpose, under key: SecretBytes, salt: [UInt8], place: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        let cipher = try cipher(purpose, key, salt, place)
        return try content.withSpan { (content) throws(CryptoError) in try cipher.seal(content, aad: Span()) }
    }

    /// - Throws: `CryptoError.authenticationFailed`, `.boxTooShort`, `.libraryFailure`.
    static func open(
        _ box: Span<UInt8>, _ purpose: Purpose, under key: SecretBytes, salt: [UInt8], place: [UInt8]
    ) throws(CryptoError) -> SecretBytes {
        guard box.count >= AESGCM.overhead else { throw .boxTooShort }
        let cipher = try cipher(purpose, key, salt, place)
        let content = SecretBytes(count: box.count - AESGCM.overhead)
        try content.withMutableSpan { (span) throws(CryptoError) in try cipher.open(box, aad: Span(), into: &span) }
        return content
    }

    private static func cipher(
        _ purpose: Purpose, _ key: SecretBytes, _ salt: [UInt8], _ place: [UInt8]
    ) throws(CryptoError) -> AESGCM {
        let info = Array(purpose.rawValue.utf8) + place
        let once = try key.withSpan { (key) throws(CryptoError) in
            try HKDF.derive(from: key, salt: salt.span, info: info.span, count: AESGCM.keySize)
        }
        return try once.withSpan { (once) throws(CryptoError) in try AESGCM(key: once) }
    }
}

extension BatchHash {
    /// SHA-256 of the bytes.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    init(sha256 bytes: Span<UInt8>) throws(CryptoError) {
        let digest = try Digest.sha256(bytes)
        self.init(digest.span.array(0, Self.size))
    }
}

extension MemberKeys {
    /// The identifier of the member with these keys.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    func identifier() throws(CryptoError) -> MemberID {
        let keys = bytes
        return MemberID(try BatchHash(sha256: keys.span).bytes)
    }

    /// Whether the private half of the signing key made a signature of these bytes. Keys that are no points of the
    /// curve made none.
    ///
    /// - Throws: what a library that fails is told as: no signature is wrong for that.
    func hasSigned(_ signature: [UInt8], of bytes: [UInt8]) throws(Refusal) -> Bool {
        guard let method = Self.signature else { return false }
        do throws(CryptoError) {
            let key = try PublicKey(external: signing.span, type: .ecSECPrimeRandom)
            return try key.verify(signature.span, of: bytes.span, method)
        } catch {
            guard error != .libraryFailure else { throw .crypto(error) }
            return false
        }
    }

    /// Whether a batch has the signature of a machine with these keys.
    ///
    /// - Throws: as ``hasSigned(_:of:)``.
    func isAuthor(of batch: SyncBatch) throws(Refusal) -> Bool {
        try hasSigned(batch.signature, of: batch.signed)
    }

    private static let signature = KeyAlgorithm(name: "algid:sign:ECDSA:message-RFC4754:SHA256")
}
