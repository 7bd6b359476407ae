package import KeychainCrypto
import KeychainModel
import KeychainWire
package import LinuxSystem

/// The last box of a backup: what all others are. A file that was cut, or has parts of another, differs from it.
///
///     manifest = created:i64 items:u64 left:u64 parts:u32 parts*(hash:32)      ; hash: SHA-256 of a part's box
package struct BackupManifest: Sendable, Equatable {
    /// Seconds since 1970.
    package let created: Int64
    package let items: UInt64
    /// How many items of the keychain are not in it.
    package let left: UInt64
    let hashes: [UInt8]

    private static let hashBytes = 32
    package var parts: Int { hashes.count / Self.hashBytes }

    /// Collects what a manifest says, part by part.
    package struct Builder: Sendable {
        package private(set) var parts: UInt32 = 0
        package var items: UInt64 = 0
        package var left: UInt64 = 0
        private var hashes: [UInt8] = []

        package init() {}

        package mutating func add(_ box: [UInt8]) throws(CryptoError) {
            let hash = try Digest.sha256(box.span)
            hashes += hash.span.array(0, hashBytes)
            parts += 1
        }

        package func manifest(created: Int64) -> BackupManifest {
            BackupManifest(created: created, items: items, left: left, hashes: hashes)
        }
    }

    private init(created: Int64, items: UInt64, left: UInt64, hashes: [UInt8]) {
        (self.created, self.items, self.left, self.hashes) = (created, items, left, hashes)
    }

    /// Reads the content of the manifest's box.
    ///
    /// - Throws: `damaged` for bytes that are not exactly a manifest.
    package init(decoding content: SecretBytes) throws(BackupProblem) {
        var reader = WireReader(content)
        do throws(Refusal) {
            created = try reader.integer(Int64.self)
            (items, left) = (try reader.integer(UInt64.self), try reader.integer(UInt64.self))
            let count = Int(try reader.integer(UInt32.self))
            guard count <= BackupFraming.mostParts else { throw .malformed("the manifest") }
            hashes = try reader.array(count * Self.hashBytes)
            guard reader.isAtEnd else { throw .malformed("the end of the manifest") }
        } catch { throw .damaged("its manifest") }
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: created)
        buffer.append(littleEndian: items)
        buffer.append(littleEndian: left)
        buffer.append(littleEndian: UInt32(parts))
        buffer.append(hashes.span)
    }

    /// - Throws: `damaged` when the box is not this part's.
    package func check(_ box: [UInt8], isPart index: UInt32) throws(BackupProblem) {
        let start = Int(index) * Self.hashBytes
        guard start < hashes.count else { throw .damaged("part \(UInt64(index) + 1)") }
        let hash: InlineArray<32, UInt8>
        do throws(CryptoError) { hash = try Digest.sha256(box.span) } catch { throw .crypto(error) }
        guard hash.span.isEqual(to: hashes.span.extracting(start..<start + Self.hashBytes)) else {
            throw .damaged("part \(UInt64(index) + 1)")
        }
    }
}
