import LinuxSystem

@testable import KeychainCrypto
@testable import KeychainModel
@testable import ObjectTransport
@testable import SyncFormat

/// Bytes from a transport are a batch, a part, a content or an item, or an error; what is read is written as it was. A
/// store's list is read without an error.
///
/// The first byte says what the rest is.
func fuzzSync(_ bytes: Span<UInt8>) {
    guard !bytes.isEmpty else { return }
    let body = bytes.array(1, bytes.count - 1)
    guard let again = readAgain(bytes[0] % 12, body) else { return }
    require(again == body, "a value of synchronisation has two spellings")
}

private func sha256(_ bytes: [UInt8]) -> BatchHash {
    BatchHash(must("a digest") { () throws(CryptoError) in try Digest.sha256(bytes.span) }.span.array(0, 32))
}

private func readAgain(_ form: UInt8, _ body: [UInt8]) -> [UInt8]? {
    switch form {
    case 0: return (try? SyncBatch(decoding: body, hash: sha256))?.bytes
    case 1: return (try? SyncBatch(carried: body))?.carried
    case 2: return (try? SnapshotPart(decoding: body))?.bytes
    case 3: return (try? SnapshotManifest(decoding: body.span))?.encoded().array
    case 4: return (try? SyncItem(decoding: body.span))?.encoded().array
    case 5: return (try? SyncContent(decoding: SecretBytes(body)))?.encoded().array
    case 7: return (try? PairingMessage(decoding: body))?.bytes
    case 8: return (try? PairingWelcome(decoding: SecretBytes(body)))?.encoded().array
    case 9: return (try? PairingIntroduction(decoding: body))?.bytes
    case 10: return (try? SyncShelf(decoding: body.span))?.encoded().array
    case 11:
        readList(body)
        return nil
    default:
        let text = String(decoding: body, as: UTF8.self)
        if let slot = try? SyncSlot(text) { require(slot.text == text, "a slot has two spellings") }
        if let slot = try? PairingSlot(text) { require(slot.text == text, "a slot of a pairing has two spellings") }
        return nil
    }
}

/// A page of an object store's list: its texts are parts of it, and none goes on behind its element.
private func readList(_ body: [UInt8]) {
    let list = ObjectList(body)
    for element in ["Key", "IsTruncated", "NextContinuationToken", "Message", "Code"] {
        let texts = list.values(of: element)
        require(texts.allSatisfy { !$0.contains("</\(element)>") }, "a text goes on behind its element")
        require(texts.reduce(0) { $0 + $1.utf8.count } <= 3 * body.count, "a list has more texts than bytes")
    }
}

extension FuzzSeeds {
    private static func list(_ slot: SyncSlot) -> [UInt8] {
        let page = "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>"
        return Array("<ListBucketResult>\(page)<Key>\(slot.text)</Key></ListBucketResult>".utf8)
    }

    static func ofSync() -> [[UInt8]] {
        let slot = SyncSlot(circle: CircleID(number: 1), device: MemberID(number: 2), seq: 3)
        let part = SyncSlot(circle: slot.circle, device: slot.device, seq: 3, part: 1)
        let batches = [syncBatch(sealed: [1, 2, 3]), syncBatch(sealed: [])]
        let position = SyncPosition(device: slot.device, seq: 3, hash: 4)
        let log = SnapshotManifest.Log(
            device: slot.device, seq: 3, hash: sha256([5]), floor: 8, said: [.init(device: slot.device, seq: 3)])
        let manifest = SnapshotManifest(logs: [log], parts: [.init(size: 5, hash: sha256([]))])
        let content = SyncContent(
            positions: [position], floor: 9,
            records: [
                SyncRecord(kind: 1, itemClass: 1, protection: 2, hlc: 9, body: syncItem.encoded()),
                SyncRecord(
                    kind: 3, isBoxed: true, hlc: 9, origin: .init(device: slot.device, seq: 3),
                    body: manifest.encoded()),
            ])
        let snapshot = SnapshotPart(batches[0].header, carried: batches, sealed: [1])
        return batches.flatMap { [[0] + ($0.bytes ?? []), [1] + $0.carried] } + [
            [2] + snapshot.bytes, [3] + manifest.encoded().array, [4] + syncItem.encoded().array,
            [5] + content.encoded().array, [10] + syncShelf.encoded().array, [6] + Array(slot.text.utf8),
            [6] + Array(part.text.utf8), [11] + list(slot),
        ] + pairings(position)
    }

    private static func pairings(_ position: SyncPosition) -> [[UInt8]] {
        let (session, versions) = (PairingID(number: 6), PairingVersions())
        let messages = PairingSlot.Step.allCases.map { step in
            PairingMessage(
                PairingSlot(session, step), versions, share: step.rawValue < 2 ? point : [],
                confirmation: step == .answer || step == .welcome ? [UInt8](repeating: 2, count: 32) : [],
                box: step.rawValue > 1 ? [3, 4] : [])
        }
        let welcome = PairingWelcome(
            CircleID(number: 1), position.device, name: [6], positions: [position], token: SecretBytes([7]))
        let introduction = PairingIntroduction(
            MemberKeys(signing: point, agreement: point), name: [8], signature: [UInt8](repeating: 9, count: 64))
        return messages.map { [7] + $0.bytes } + messages.map { [6] + Array($0.slot.text.utf8) } + [
            [8] + welcome.encoded().array, [9] + introduction.bytes,
        ]
    }

    private static var syncShelf: SyncShelf {
        let bytes = [UInt8](repeating: 7, count: ShelfID.size)
        return SyncShelf(
            id: ShelfID(bytes.span) ?? ShelfID(), made: 8, name: "n", commitment: sha256([9]).bytes,
            key: SecretBytes([1, 2]))
    }

    private static var syncItem: SyncItem {
        let ties = SyncItem.Ties(previous: RecordID(number: 5), base: 6)
        return SyncItem(list([(.account, .string("a"))]), ties, value: SecretBytes([1, 2]))
    }

    private static func syncBatch(sealed: [UInt8]) -> SyncBatch {
        let keys = MemberKeys(signing: point, agreement: point)
        let share = KeyShare(
            recipient: MemberID(number: 2), encapsulated: point, box: Array(repeating: 1, count: KeyShare.boxSize))
        let made = Generation(number: 1, commitment: sha256([]), shares: [share])
        let header = SyncHeader(
            circle: CircleID(number: 1), device: MemberID(number: 2), seq: 3, previous: sha256([1]),
            generation: sealed.isEmpty ? .none : made.id, salt: sha256([2]))
        let statements: [SyncStatement] = [
            .genesis(keys, random: sha256([3])), .add(Addition(keys, name: [1])),
            .remove(MemberID(number: 2), .user, kept: [MemberID(number: 3)]), .generation(made), .share(made),
            .recovery(keys, announcement: sha256([4])), .want(made.id),
            .endorse(SyncPosition(device: MemberID(number: 2), seq: 1, hash: 9)), .unknown(type: 99, body: [1]),
        ]
        return SyncBatch(header, statements, sealed: sealed, sealedHash: sha256(sealed)) { _ in
            [UInt8](repeating: 1, count: SyncBatch.signatureSize)
        }
    }

    private static let point = [UInt8](repeating: 4, count: MemberKeys.pointSize)
}
