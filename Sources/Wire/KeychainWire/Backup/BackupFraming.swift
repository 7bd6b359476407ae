package import KeychainModel
import LinuxSystem

/// The outer form of a backup file, which takes no key to read (docs/formats/backup.md).
///
///     file   = header *part manifest
///     header = "KCBK" version:u16 length:u16 …                    ; length: of the whole header
///     frame  = kind:u8 length:u32 box:length                      ; a part, or the manifest
package enum BackupFraming {
    package static let magic = Array("KCBK".utf8)
    /// The latest version. Version 1 is the same without shelves: a backup without any has it, for older readers.
    package static let version: UInt16 = 2
    /// Bytes of the header up to its length.
    package static let headerStart = 8
    /// The slots of a header have far fewer bytes.
    package static let headerBytes = 4096
    /// Bytes before a box.
    package static let frameHead = 5
    /// The most bytes of a box: a part goes into one request, with the largest item in it.
    package static var boxBytes: Int { WireLimits.requestBody - 64 }
    /// The most bytes of the records of a part, unless it is one record: a reader has so much of a backup in memory.
    package static let partBytes = 256 << 10
    /// The most records of a part. Those of items have more bytes; what becomes of so many fits one answer.
    package static let partRecords = 4096
    /// The hashes of so many fit one frame: 4 GiB of small items, as much as a keychain may have.
    package static let mostParts = 16_384

    /// The kinds of a frame.
    package enum Kind: UInt8, Sendable {
        case part = 1
        case manifest = 2
    }

    /// The length of a header that begins with these bytes; nil when no backup begins so.
    ///
    /// - Throws: `errSecDecode` (`backup.newer`) for a version that this release does not know.
    package static func headerLength(_ start: [UInt8]) throws(Refusal) -> Int? {
        guard start.count == headerStart, start.starts(with: magic) else { return nil }
        let (found, length) = (start.span.littleEndian(UInt16.self, at: 4), start.span.littleEndian(UInt16.self, at: 6))
        guard found <= version else { throw .newerBackup(found) }
        guard found > 0, (headerStart...headerBytes).contains(Int(length)) else { return nil }
        return Int(length)
    }

    /// The kind and the length of the box behind these bytes; nil when no frame begins so.
    package static func frame(_ head: [UInt8]) -> (kind: Kind, length: Int)? {
        guard head.count == frameHead, let kind = Kind(rawValue: head[0]) else { return nil }
        let length = Int(head.span.littleEndian(UInt32.self, at: 1))
        return length <= boxBytes ? (kind, length) : nil
    }

    /// The bytes before a box.
    package static func head(_ kind: Kind, _ length: Int) -> [UInt8] {
        let length = UInt32(clamping: length)
        return [kind.rawValue] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
    }
}

extension Refusal {
    fileprivate static func newerBackup(_ version: UInt16) -> Refusal {
        Refusal(
            .decode, .newerBackup, "backup",
            "The backup has the format \(version), and this release reads \(BackupFraming.version).",
            do: "Restore it with the release that made it, or a later one.")
    }
}
