import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

/// Makes and uses the enclave's keys in its process. The private part is the key's external representation.
struct SoftwareKeyStore: EnclaveKeyStore {
    private static let plainSignature = KeyAlgorithm(name: "algid:sign:ECDSA:digest-RFC4754")
    private let loaded: LoadedKeys

    /// - Parameter loaded: where keys are kept that are used again and again.
    init(_ loaded: LoadedKeys) { self.loaded = loaded }

    var backend: SealedKey.Backend { .software }

    func makeKey() throws(Refusal) -> (privatePart: SecretBytes, publicKey: [UInt8]) {
        do throws(CryptoError) {
            let key = try PrivateKey.generate(.ecSECPrimeRandom, bits: 256)
            return (try key.external(), key.publicKey.external())
        } catch { throw error.refusal("key") }
    }

    func sign(digest: Span<UInt8>, with privatePart: Span<UInt8>) throws(Refusal) -> [UInt8] {
        do throws(CryptoError) {
            guard let plain = Self.plainSignature else { throw .unsupportedAlgorithm }
            return try loaded.key(privatePart, .ecSECPrimeRandom).sign(digest, plain)
        } catch { throw error.refusal("key") }
    }

    func agree(with point: Span<UInt8>, using privatePart: Span<UInt8>) throws(Refusal) -> SecretBytes {
        do throws(CryptoError) {
            let peer = try PublicKey(external: point, type: .ecSECPrimeRandom)
            return try loaded.key(privatePart, .ecSECPrimeRandom).sharedX(with: peer)
        } catch { throw error.refusal("key") }
    }
}
