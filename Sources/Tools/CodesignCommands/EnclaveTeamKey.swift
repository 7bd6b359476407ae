import CodeSignature
import KeychainClient
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem
import SecurityCommands

/// A team's key that never leaves the Secure Enclave: a P-256 key, kept as an item of this program's own group.
struct EnclaveTeamKey: TeamSigner {
    let publicKey: TeamPublicKey
    private let key: SealedKey
    private let keychain: any KeychainConnection

    /// The attribute that sets these keys apart from other items.
    private static let tag = "keychain team key"

    private init(_ key: SealedKey, _ keychain: any KeychainConnection) throws(Refusal) {
        (self.key, self.keychain) = (key, keychain)
        publicKey = try TeamPublicKey(Self.publicKey(of: key))
    }

    private static func publicKey(of key: SealedKey) throws(Refusal) -> PublicKey {
        do throws(CryptoError) { return try PublicKey(external: key.publicKey.span, type: .ecSECPrimeRandom) } catch {
            throw error.refusal("key")
        }
    }

    func sign(_ message: [UInt8]) throws(Refusal) -> [UInt8] {
        let digest: [UInt8]
        do throws(CryptoError) { digest = try Digest.of(message.span, .sha256) } catch { throw error.refusal("digest") }
        let use = KeyUse("algid:sign:ECDSA:digest-X962:SHA256", digest)
        guard case .output(let signature) = try keychain.key(.use(key, use)) else {
            throw .malformed("the answer to a key request")
        }
        do throws(CryptoError) {
            return try signature.withSpan { (bytes) throws(CryptoError) in
                try ECDSASignature(x962: bytes).plain(bits: 256)
            }
        } catch { throw error.refusal("signature") }
    }

    // MARK: - In the keychain

    /// Finds the key with this label.
    static func find(_ label: String, _ session: Session) throws(CommandFailure) -> EnclaveTeamKey {
        guard let key = try search(label, session) else {
            throw .failed("enclave:\(label): there is no such key. Make it with --create-team-key enclave:\(label)")
        }
        return key
    }

    private static func search(_ label: String, _ session: Session) throws(CommandFailure) -> EnclaveTeamKey? {
        do throws(Refusal) {
            var builder = ItemRequestBuilder(.copyMatching)
            try builder.set("class", .string(ItemClass.key.code))
            try builder.set("labl", .string(label))
            try builder.set("atag", .string(tag))
            try builder.set("r_Ref", .boolean(true))
            let keychain = try session.connection()
            guard let key = try keychain.send(builder.build()).items.first?.attributes.sealedKey() else { return nil }
            return try EnclaveTeamKey(key, keychain)
        } catch  where error.status == .itemNotFound { return nil } catch {
            throw CommandFailure("enclave:\(label)", error)
        }
    }

    /// Makes a key with this label.
    static func make(_ label: String, _ session: Session) throws(CommandFailure) -> EnclaveTeamKey {
        guard try search(label, session) == nil else {
            throw .failed("enclave:\(label): there is such a key already. Choose another label.")
        }
        do throws(Refusal) {
            let keychain = try session.connection()
            let binding = KeyBinding(
                group: "", accessibility: ItemClass.key.defaultAccessibility, control: AccessControl.privateKeyUsage)
            guard case .key(let key) = try keychain.key(.make(binding)) else {
                throw .malformed("the answer to a key request")
            }
            _ = try keychain.send(try addition(of: key, label))
            return try EnclaveTeamKey(key, keychain)
        } catch { throw CommandFailure("enclave:\(label)", error) }
    }

    private static func addition(of key: SealedKey, _ label: String) throws(Refusal) -> ItemRequest {
        let publicKey = try publicKey(of: key)
        var builder = ItemRequestBuilder(.add)
        try builder.set("class", .string(ItemClass.key.code))
        try builder.set("labl", .string(label))
        try builder.set("atag", .string(tag))
        try builder.set("kcls", .number(1))
        try builder.set("type", .string(KeyType.ecSECPrimeRandom.rawValue))
        try builder.set("bsiz", .number(256))
        try builder.set("tkid", .string("com.apple.setoken"))
        do throws(CryptoError) {
            builder.fill(.applicationLabel, .data(try publicKey.applicationLabel()))
        } catch { throw error.refusal("key") }
        builder.fill(.sealedKey, .data(key.bytes))
        return try builder.build()
    }
}
