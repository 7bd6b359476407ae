public import Foundation
internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem
internal import Security

extension SecureEnclave.P256.KeyAgreement {
    /// The secret that two keys share: the X coordinate of the agreed point, 32 bytes, in memory that is wiped.
    ///
    /// It is not evenly distributed: derive keys from it, and never use it as a key.
    public struct SharedSecret: Sendable {
        private let secret: SecretBytes

        init(_ secret: Data) { self.secret = SecretBytes(secret) }

        /// Derives a key by ANSI X9.63 (SEC 1, 3.6.1), as `ecdhKeyExchangeStandardX963SHA256` and its variants do.
        ///
        /// - Parameters:
        ///   - hash: the hash function of the derivation.
        ///   - sharedInfo: data that both sides bind into the key; may be empty.
        ///   - outputByteCount: the size of the key, 1 to 65,536 bytes.
        /// - Throws: ``EnclaveKeyError`` with `errSecParam` for another size.
        public func x963DerivedSymmetricKey(
            using hash: DerivationHash, sharedInfo: some DataProtocol, outputByteCount: Int
        ) throws(EnclaveKeyError) -> SecureEnclave.SymmetricKey {
            let parameters = KeyParameters(requestedSize: outputByteCount, sharedInfo: Array(sharedInfo))
            return try derived(outputByteCount) { () throws(CryptoError) in
                guard let algorithm = KeyAlgorithm(name: String(describing: hash.algorithm.rawValue)) else {
                    throw .unsupportedAlgorithm
                }
                return try KeyAgreement.finish(sharedX: secret, algorithm, parameters: parameters)
            }
        }

        /// Derives a key with HKDF-SHA256 (RFC 5869).
        ///
        /// - Parameters:
        ///   - salt: public; may be empty.
        ///   - sharedInfo: the purpose of the key, which is bound into it; may be empty.
        ///   - outputByteCount: the size of the key, 1 to 8,160 bytes.
        /// - Throws: ``EnclaveKeyError`` with `errSecParam` for another size.
        public func hkdfDerivedSymmetricKey(
            salt: some DataProtocol, sharedInfo: some DataProtocol, outputByteCount: Int
        ) throws(EnclaveKeyError) -> SecureEnclave.SymmetricKey {
            let (salt, info) = (Array(salt), Array(sharedInfo))
            return try derived(outputByteCount) { () throws(CryptoError) in
                try secret.withSpan { (secret) throws(CryptoError) in
                    try HKDF.derive(from: secret, salt: salt.span, info: info.span, count: outputByteCount)
                }
            }
        }

        private func derived(
            _ size: Int, _ derive: () throws(CryptoError) -> SecretBytes
        ) throws(EnclaveKeyError) -> SecureEnclave.SymmetricKey {
            do throws(CryptoError) { return SecureEnclave.SymmetricKey(try derive()) } catch {
                throw EnclaveKeyError(
                    status: errSecParam,
                    description: "A key of \(size) bytes cannot be derived. Ask for 16, 24, 32 or 64 bytes.")
            }
        }
    }

    /// The hash functions of key derivations.
    public enum DerivationHash: Sendable, CaseIterable {
        case sha256, sha384, sha512

        fileprivate var algorithm: SecKeyAlgorithm {
            switch self {
            case .sha256: .ecdhKeyExchangeStandardX963SHA256
            case .sha384: .ecdhKeyExchangeStandardX963SHA384
            case .sha512: .ecdhKeyExchangeStandardX963SHA512
            }
        }
    }
}

extension SecureEnclave {
    /// A key for a symmetric cipher, in memory that is wiped.
    public struct SymmetricKey: Sendable, Equatable, ContiguousBytes {
        private let bytes: SecretBytes

        init(_ bytes: SecretBytes) { self.bytes = bytes }

        /// The size of the key.
        public var bitCount: Int { bytes.count * 8 }

        /// Lends the key.
        public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            try bytes.withSpan { span in
                try unsafe span.withUnsafeBytes { bytes in try unsafe body(bytes) }
            }
        }

        /// Whether two keys are the same. The comparison takes constant time.
        public static func == (one: SymmetricKey, other: SymmetricKey) -> Bool { one.bytes.isEqual(to: other.bytes) }
    }
}

extension SecretBytes {
    fileprivate convenience init(_ data: Data) {
        self.init(count: data.count)
        withMutableSpan { span in
            for (index, byte) in data.enumerated() { span[index] = byte }
        }
    }
}
