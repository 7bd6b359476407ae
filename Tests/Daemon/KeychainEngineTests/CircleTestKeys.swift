import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncMerging
import SyncStore

/// The keys of a machine in a circle, with the cryptography of sync.md over KeychainCrypto. A test has no enclave to
/// keep them.
final class CircleTestKeys: CircleKeys {
    private struct Held {
        let number: UInt32
        /// Ka, Kc and the record key.
        let keys: [UInt8]
    }

    let own: MemberKeys
    var isUnlocked = true
    /// Whether the enclave that a machine would have does not answer.
    var fails = false
    var failure: Refusal? { fails ? .malformed("the enclave's answer") : nil }
    private let signing, agreement: PrivateKey
    private var held: [GenerationID: Held] = [:]
    private let hpke = HPKE(.p256)
    private static let domain: [UInt8] = Array("keychain sync 1: generation".utf8)

    init() throws {
        signing = try PrivateKey.generate(.ecSECPrimeRandom, bits: 256)
        agreement = try PrivateKey.generate(.ecSECPrimeRandom, bits: 256)
        own = MemberKeys(signing: signing.publicKey.external(), agreement: agreement.publicKey.external())
    }

    var id: MemberID { member(own) }

    // MARK: - Signatures

    func hash(_ bytes: [UInt8]) -> BatchHash { BatchHash((try? Digest.of(bytes.span, .sha256)) ?? []) }

    private static let algorithm = KeyAlgorithm(constant: "ECDSASignatureMessageRFC4754SHA256")

    func sign(_ bytes: [UInt8]) -> [UInt8] {
        guard let algorithm = Self.algorithm, let made = try? signing.sign(bytes.span, algorithm) else { return [] }
        return made
    }

    /// Signatures that were checked, calls about records, and the records of these.
    struct Work: Equatable {
        var signatures = 0
        var calls = 0
        var records = 0
    }

    private(set) var work = Work()

    private func note(_ records: Int) {
        if records > 0 { (work.calls, work.records) = (work.calls + 1, work.records + records) }
    }

    func isSignature(_ signature: [UInt8], of bytes: [UInt8], by signingKey: [UInt8]) -> Bool {
        work.signatures += 1
        guard let algorithm = Self.algorithm,
            let key = try? PublicKey(external: signingKey.span, type: .ecSECPrimeRandom)
        else { return false }
        return (try? key.verify(signature.span, of: bytes.span, algorithm)) == true
    }

    func makeSalt() -> BatchHash { BatchHash(Randomness.bytes(32)) }

    // MARK: - Generations

    func number(of generation: GenerationID) -> UInt32? { held[generation]?.number }

    func makeGeneration(_ number: UInt32, for recipients: [MemberID: MemberKeys]) -> Generation? {
        // The record key never changes.
        let recordKey = held.values.first.map { Array($0.keys.suffix(32)) } ?? Randomness.bytes(32)
        let keys = Randomness.bytes(64) + recordKey
        let commitment = commitment(number, keys)
        held[GenerationID(commitment.bytes)] = Held(number: number, keys: keys)
        let shares = recipients.sorted { $0.key < $1.key }.map { share(keys, with: $0.key, $0.value) }
        return Generation(number: number, commitment: commitment, shares: shares)
    }

    private func commitment(_ number: UInt32, _ keys: [UInt8]) -> BatchHash {
        hash(Self.domain + (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } + keys)
    }

    private func share(_ secret: [UInt8], with recipient: MemberID, _ keys: MemberKeys) -> KeyShare {
        let key = try? PublicKey(external: keys.agreement.span, type: .ecSECPrimeRandom)
        let none: [UInt8] = []
        let sealed = key.flatMap { try? hpke.seal(content: secret.span, to: $0, info: none.span, aad: none.span) } ?? []
        return KeyShare(
            recipient: recipient, encapsulated: Array(sealed.prefix(MemberKeys.pointSize)),
            box: Array(sealed.dropFirst(MemberKeys.pointSize)))
    }

    func share(_ generation: GenerationID, with recipients: [MemberID: MemberKeys]) -> Generation? {
        guard let secret = held[generation] else { return nil }
        let shares = recipients.sorted { $0.key < $1.key }.map { share(secret.keys, with: $0, $1) }
        let commitment = commitment(secret.number, secret.keys)
        return Generation(number: secret.number, commitment: commitment, shares: shares)
    }

    func take(_ batch: SyncBatch, _ standing: BatchStanding) -> Bool {
        for made in batch.statements.compactMap(\.madeKeys) where !holds(made.id) {
            _ = made.shares.contains { $0.recipient == id && take($0, of: made) }
        }
        return true
    }

    private func take(_ share: KeyShare, of generation: Generation) -> Bool {
        let message = share.encapsulated + share.box
        let none: [UInt8] = []
        guard let opened = try? hpke.open(message: message.span, with: agreement, info: none.span, aad: none.span)
        else { return false }
        let keys = opened.withSpan { $0.array(0, $0.count) }
        guard commitment(generation.number, keys) == generation.commitment else { return false }
        held[generation.id] = Held(number: generation.number, keys: keys)
        return true
    }

    // MARK: - Contents

    private func cipher(_ header: SyncHeader, _ half: Range<Int>, _ purpose: [UInt8]) -> AESGCM? {
        guard let keys = held[header.generation]?.keys else { return nil }
        let (key, info) = (Array(keys[half]), purpose + header.device.bytes)
        guard let derived = try? HKDF.derive(from: key.span, salt: header.salt.bytes.span, info: info.span, count: 32)
        else { return nil }
        return derived.withSpan { try? AESGCM(key: $0) }
    }

    func seal(_ content: SecretBytes, _ header: SyncHeader, associated: (Int) -> [UInt8]) -> [UInt8] {
        let aad = associated(content.count + AESGCM.overhead)
        let cipher = cipher(header, 32..<64, Array("batch".utf8))
        return content.withSpan { plain in cipher.flatMap { try? $0.seal(plain, aad: aad.span) } } ?? []
    }

    func open(_ sealed: [UInt8], _ header: SyncHeader, associated: [UInt8]) -> SecretBytes? {
        Self.open(sealed, cipher(header, 32..<64, Array("batch".utf8)), associated)
    }

    private static func open(_ sealed: [UInt8], _ cipher: AESGCM?, _ aad: [UInt8]) -> SecretBytes? {
        let output = SecretBuffer(capacity: sealed.count)
        guard let cipher, (try? cipher.open(sealed.span, aad: aad.span, into: output)) != nil else { return nil }
        return output.finish()
    }

    func box(_ records: [SyncRecord], _ header: SyncHeader) -> [SyncRecord]? {
        note(records.count)
        let boxed = records.compactMap { box($0, header) }
        return boxed.count == records.count ? boxed : nil
    }

    private func box(_ record: SyncRecord, _ header: SyncHeader) -> SyncRecord? {
        guard isUnlocked, let cipher = cipher(header, 0..<32, Array("record".utf8) + record.rid.bytes),
            let sealed = record.withBody({ try? cipher.seal($0, aad: record.rid.bytes.span) })
        else { return nil }
        return record.with(body: SecretBytes(copying: sealed.span), isBoxed: true)
    }

    func unbox(_ boxes: [(record: SyncRecord, header: SyncHeader)]) -> [SyncRecord?] {
        note(boxes.count)
        return boxes.map { unbox($0.record, $0.header) }
    }

    private func unbox(_ record: SyncRecord, _ header: SyncHeader) -> SyncRecord? {
        let sealed = record.withBody { $0.array(0, $0.count) }
        let cipher = cipher(header, 0..<32, Array("record".utf8) + record.rid.bytes)
        guard isUnlocked, let body = Self.open(sealed, cipher, record.rid.bytes) else { return nil }
        return record.with(body: body, isBoxed: false)
    }

    func recordIDs(of records: [SyncRecord]) -> [RecordID?] {
        note(records.count)
        return records.map(recordID)
    }

    private func recordID(of record: SyncRecord) -> RecordID? {
        guard let named = record.named, let key = held.values.first?.keys.suffix(32) else { return nil }
        let recordKey = Array(key)
        guard let mac = try? KeyedDigest(key: recordKey.span),
            let digest = named.withSpan({ try? mac.digest($0) })
        else { return nil }
        return RecordID(digest.span.array(0, 32))
    }
}
