import CYardstick
import Foundation
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import Security

/// A key of the product compared with one of OpenSSL's of the same kind.
@safe private final class KeyPair {
    let ours: SecKey
    let publicKey: SecKey
    let signature: NSData
    let algorithm: SecKeyAlgorithm
    let digest = Data(count: 32) as NSData
    private let floor: OpaquePointer

    init(_ type: CFString, bits: Int, _ floor: String, _ algorithm: SecKeyAlgorithm) throws {
        let attributes: NSDictionary = [kSecAttrKeyType: type, kSecAttrKeySizeInBits: bits]
        guard let key = SecKeyCreateRandomKey(attributes, nil), let publicKey = SecKeyCopyPublicKey(key),
            let signature = SecKeyCreateSignature(key, algorithm, digest, nil)
        else { throw BenchError("No key can be made.") }
        (ours, self.publicKey, self.signature, self.algorithm) = (key, publicKey, signature, algorithm)
        unsafe self.floor = yardstick_key_make(floor)
    }

    deinit { unsafe yardstick_key_free(floor) }

    static func ec() throws -> KeyPair {
        try KeyPair(kSecAttrKeyTypeECSECPrimeRandom, bits: 256, "EC", .ecdsaSignatureDigestX962SHA256)
    }

    static func rsa() throws -> KeyPair {
        try KeyPair(kSecAttrKeyTypeRSA, bits: 2048, "RSA", .rsaSignatureDigestPKCS1v15SHA256)
    }

    func sign() throws {
        guard SecKeyCreateSignature(ours, algorithm, digest, nil) != nil else {
            throw BenchError("A key does not sign.")
        }
    }

    func verify() throws {
        guard SecKeyVerifySignature(publicKey, algorithm, digest, signature, nil) else {
            throw BenchError("A signature is not recognised.")
        }
    }

    func agree() throws {
        let parameters = NSDictionary()
        guard SecKeyCopyKeyExchangeResult(ours, .ecdhKeyExchangeStandard, publicKey, parameters, nil) != nil
        else { throw BenchError("No secret is agreed on.") }
    }

    func signInC() throws { try require(unsafe yardstick_key_sign(floor)) }
    func verifyInC() throws { try require(unsafe yardstick_key_verify(floor)) }
    func agreeInC() throws { try require(unsafe yardstick_key_agree(floor)) }

    private func require(_ result: CInt) throws {
        guard result == 1 else { throw BenchError("The yardstick's key does not work.") }
    }
}

extension Bench {
    func measureSigning() throws -> Measurement {
        let key = try KeyPair.ec()
        return try compare(ours: { _ in try key.sign() }, floor: { _ in try key.signInC() })
    }

    func measureVerifying() throws -> Measurement {
        let key = try KeyPair.ec()
        return try compare(ours: { _ in try key.verify() }, floor: { _ in try key.verifyInC() })
    }

    func measureKeyExchange() throws -> Measurement {
        let key = try KeyPair.ec()
        return try compare(ours: { _ in try key.agree() }, floor: { _ in try key.agreeInC() })
    }

    func measureRSASigning() throws -> Measurement {
        let key = try KeyPair.rsa()
        return try compare(ours: { _ in try key.sign() }, floor: { _ in try key.signInC() })
    }

    func measureRSAVerifying() throws -> Measurement {
        let key = try KeyPair.rsa()
        return try compare(ours: { _ in try key.verify() }, floor: { _ in try key.verifyInC() })
    }

    /// A key of the enclave compared with one of the program's, plus a call that goes the same way and does nothing.
    func measureEnclaveSigning() throws -> Measurement {
        let daemon = try keychaind(items: sizes.few)
        SwiftClient.use(socket: daemon.socket)
        let (inside, outside) = (try enclaveKey(), try KeyPair.ec())
        let connection = try KeychainSession.current()
        return try compare(
            ours: { _ in
                let (algorithm, digest) = (SecKeyAlgorithm.ecdsaSignatureDigestX962SHA256, outside.digest)
                guard SecKeyCreateSignature(inside, algorithm, digest, nil) != nil else {
                    throw BenchError("The enclave does not sign.")
                }
            },
            floor: { _ in
                try outside.sign()
                _ = try connection.device(.status, passcodes: [])
            })
    }

    private func enclaveKey() throws -> SecKey {
        let attributes: NSDictionary = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecPrivateKeyAttrs: [kSecAttrIsPermanent: false],
        ]
        guard let key = SecKeyCreateRandomKey(attributes, nil) else {
            throw BenchError("The enclave makes no key.")
        }
        return key
    }

    private func compare(
        ours: @escaping (Int) throws -> Void, floor: @escaping (Int) throws -> Void
    ) throws -> Measurement {
        let comparison = try Comparison(
            rounds: rounds(40), ours: medianTime(of: 200, ours), floor: medianTime(of: 200, floor))
        return Measurement(comparison, in: .microseconds)
    }
}
