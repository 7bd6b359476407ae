import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

@testable import KeychainBackup
@testable import KeychainEngine

/// A backup's reader takes from a file the header and the frames, and with the passphrase manifest and records. The
/// first byte says which.
func fuzzBackup(_ bytes: Span<UInt8>) {
    guard bytes.count > 0 else { return }
    let content = bytes.array(1, bytes.count - 1)
    switch bytes[0] % 4 {
    case 0: fuzzHeader(content)
    case 1: fuzzFrame(content)
    case 2: fuzzManifest(content)
    default: fuzzRecords(content)
    }
}

/// A header that is read is that of the file, and one that opens is as it was written.
private func fuzzHeader(_ content: [UInt8]) {
    guard let header = try? BackupHeader(decoding: content) else { return }
    require(header.bytes == content, "a header is read as another one")
    require(header.slots.count <= BackupHeader.mostSlots, "more slots than a header has")
    // Slots of later kinds are skipped, and are not written again.
    guard header.slots.count == Int(content[BackupFraming.headerStart + BackupKeys.saltBytes]),
        let keys = try? header.open(.recoveryCode, FuzzSeeds.code)
    else { return }
    let again = must("a header that opens") { () throws(CryptoError) in try BackupHeader(header.slots, of: keys) }
    require(again.bytes == content, "a header that opens is not as it was written")
}

private func fuzzFrame(_ content: [UInt8]) {
    if let length = try? BackupFraming.headerLength(content) {
        require(length <= BackupFraming.headerBytes, "a header longer than any")
    }
    guard let frame = BackupFraming.frame(content) else { return }
    require(frame.length <= BackupFraming.boxBytes, "a box longer than any")
    require(BackupFraming.head(frame.kind, frame.length) == content, "a frame is written as another one")
}

private func fuzzManifest(_ content: [UInt8]) {
    guard let manifest = try? BackupManifest(decoding: SecretBytes(copying: content.span)) else { return }
    require(manifest.parts <= BackupFraming.mostParts, "more parts than a file has")
    let buffer = SecretBuffer()
    manifest.append(to: buffer)
    require(buffer.withSpan { $0.array(0, $0.count) } == content, "a manifest is written as another one")
}

/// An item that is taken may leave its device, and is in a group that programs write to. A shelf is written as it was
/// read.
private func fuzzRecords(_ content: [UInt8]) {
    try? BackupEntry.read(SecretBytes(copying: content.span), "part 1", hasShelves: true) { entry in
        let record: BackupRecord
        switch entry {
        case .item(let item): record = item
        case .shelf(let shelf):
            let buffer = SecretBuffer()
            shelf.append(to: buffer)
            let written = buffer.withSpan { $0.array(0, $0.count) }
            require(content.contains(written), "a shelf is written as another one")
            return
        }
        guard let item = try? record.item() else { return }
        require(!item.accessibility.isThisDeviceOnly, "an item of another device is taken")
        require(item.sealedKey == nil && !item.isTombstone, "what is no item is taken")
        let group = item.attributes[.accessGroup]?.string ?? ""
        require(!["", AccessGroup.any, AccessGroup.token].contains(group), "an item of nobody's group is taken")
    }
}

extension FuzzSeeds {
    fileprivate static let code = SecretBytes(copying: [UInt8](1...16).span)

    static var shelf: Shelf {
        let key = SealedKey(
            backend: .software, origin: .madeInside, keyType: Shelf.keyType(.none), bits: Shelf.bits,
            binding: KeyBinding(group: "g", accessibility: .always, control: 0),
            publicKey: [UInt8](repeating: 1, count: 32), sealed: [UInt8](repeating: 2, count: 92))
        return must("a shelf") { () throws(Refusal) in try Shelf(id: ShelfID(), key: key) }
    }

    static func ofBackup() -> [[UInt8]] {
        let keys = BackupKeys()
        let header = must("a header") { () throws(CryptoError) in
            try BackupHeader([BackupSlot(.recoveryCode, code, cost: .least, holding: keys)], of: keys)
        }
        let manifest = SecretBuffer()
        var builder = BackupManifest.Builder()
        must("a hash") { () throws(CryptoError) in try builder.add([1, 2, 3]) }
        builder.manifest(created: 0).append(to: manifest)
        let records = SecretBuffer()
        for name in ["a", "b"] {
            let attributes: [(AttributeID, AttributeValue)] = [
                (.accessible, .string("ak")), (.accessGroup, .string("program:/bin/a")), (.modificationDate, .date(1)),
                (.account, .string(name)), (.valueData, .data([1])),
            ]
            let uuid = [UInt8](repeating: 1, count: 16)
            BackupRecord(itemClass: .genericPassword, uuid: uuid, list: list(attributes)).append(to: records)
        }
        BackupShelf(shelf, name: "a", made: 1).append(to: records)
        return [[0] + header.bytes, [1] + header.bytes.prefix(8), [1] + BackupFraming.head(.part, 100)]
            + [[2] + manifest.withSpan { $0.array(0, $0.count) }, [3] + records.withSpan { $0.array(0, $0.count) }]
    }
}
