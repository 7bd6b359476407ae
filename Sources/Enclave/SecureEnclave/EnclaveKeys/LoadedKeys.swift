import KeychainCrypto
import KeychainModel
import LinuxSystem

/// Private keys as the cryptographic library wants them, for those that are used again and again: to load one, and to
/// check that its halves belong together, takes longer than to sign with it.
///
/// A key is found by the digest of its private bytes, so only a caller that has opened the sealed key finds it here.
final class LoadedKeys: Sendable {
    /// A service has a handful of keys; the least recently used one goes first.
    static let limit = 32

    private struct Entry {
        let digest: [UInt8]
        let key: PrivateKey
    }

    private let entries = Lock<[Entry]>([])

    /// The key with these private bytes, in their external representation.
    ///
    /// - Throws: `CryptoError.malformedKey`, `.unsupportedKeySize`, `.libraryFailure`.
    func key(_ bytes: Span<UInt8>, _ type: KeyType) throws(CryptoError) -> PrivateKey {
        let digest = try Digest.of(bytes, .sha256)
        if let known = take(digest, type) { return known }
        let key = try PrivateKey(external: bytes, type: type)
        put(Entry(digest: digest, key: key))
        return key
    }

    /// Forgets all keys, as when the device is locked.
    func forget() { entries.withLock { $0 = [] } }

    /// Finds a key and makes it the one used last.
    ///
    /// The same 32 bytes can be a key of either kind on Curve25519.
    private func take(_ digest: [UInt8], _ type: KeyType) -> PrivateKey? {
        entries.withLock { entries in
            guard let index = entries.lastIndex(where: { $0.digest == digest && $0.key.type == type }) else {
                return nil
            }
            let entry = entries.remove(at: index)
            entries.append(entry)
            return entry.key
        }
    }

    private func put(_ entry: Entry) {
        entries.withLock { entries in
            entries.append(entry)
            if entries.count > Self.limit { entries.removeFirst() }
        }
    }
}
