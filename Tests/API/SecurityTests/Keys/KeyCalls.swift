import Security

/// The outcome of a function with an error parameter.
struct Outcome<Value> {
    let value: Value?
    /// The error's code; nil when there was none.
    let code: Int?
    let explanation: String?
}

func outcome<Value>(_ body: (UnsafeMutablePointer<Unmanaged<CFError>?>?) -> Value?) -> Outcome<Value> {
    var error: Unmanaged<CFError>?
    let value = unsafe body(&error)
    let object = unsafe error?.takeRetainedValue()
    return Outcome(value: value, code: object?.code, explanation: object?.localizedDescription)
}

func makeKey(_ parameters: Attributes) -> Outcome<SecKey> {
    unsafe outcome { unsafe SecKeyCreateRandomKey(parameters as CFDictionary, $0) }
}

func makeKey(_ type: CFString, _ bits: Int) -> Outcome<SecKey> {
    makeKey([kSecAttrKeyType: type, kSecAttrKeySizeInBits: bits])
}

func importKey(_ data: Data, _ type: CFString, _ half: CFString) -> Outcome<SecKey> {
    let attributes: Attributes = [kSecAttrKeyType: type, kSecAttrKeyClass: half]
    return unsafe outcome { unsafe SecKeyCreateWithData(data as CFData, attributes as CFDictionary, $0) }
}

func external(_ key: SecKey) -> Data? { SecKeyCopyExternalRepresentation(key, nil) as Data? }

func sign(_ key: SecKey, _ algorithm: SecKeyAlgorithm, _ input: Data) -> Outcome<Data> {
    unsafe outcome { unsafe SecKeyCreateSignature(key, algorithm, input as CFData, $0) as Data? }
}

/// The value is nil when the signature is refused.
func verify(_ key: SecKey, _ algorithm: SecKeyAlgorithm, _ input: Data, _ signature: Data) -> Outcome<Bool> {
    unsafe outcome {
        unsafe SecKeyVerifySignature(key, algorithm, input as CFData, signature as CFData, $0) ? true : nil
    }
}

func encrypt(_ key: SecKey, _ algorithm: SecKeyAlgorithm, _ input: Data) -> Outcome<Data> {
    unsafe outcome { unsafe SecKeyCreateEncryptedData(key, algorithm, input as CFData, $0) as Data? }
}

func decrypt(_ key: SecKey, _ algorithm: SecKeyAlgorithm, _ input: Data) -> Outcome<Data> {
    unsafe outcome { unsafe SecKeyCreateDecryptedData(key, algorithm, input as CFData, $0) as Data? }
}

func exchange(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ peer: SecKey, _ parameters: [String: Any] = [:]
) -> Outcome<Data> {
    unsafe outcome {
        unsafe SecKeyCopyKeyExchangeResult(key, algorithm, peer, parameters as CFDictionary, $0) as Data?
    }
}

func publicKey(_ key: SecKey) -> SecKey { SecKeyCopyPublicKey(key)! }

/// One pair of every type and size that the tests use, made once because RSA is slow.
enum Keys {
    static let rsa1024 = made(kSecAttrKeyTypeRSA, 1024)
    static let rsa2048 = made(kSecAttrKeyTypeRSA, 2048)
    static let p256 = made(kSecAttrKeyTypeECSECPrimeRandom, 256)
    static let p384 = made(kSecAttrKeyTypeECSECPrimeRandom, 384)
    static let p521 = made(kSecAttrKeyTypeECSECPrimeRandom, 521)
    static let ed25519 = made(kSecAttrKeyTypeEd25519, 256)
    static let x25519 = made(kSecAttrKeyTypeX25519, 256)
    static let all = [rsa1024, rsa2048, p256, p384, p521, ed25519, x25519]
    static let curves = [p256, p384, p521]

    private static func made(_ type: CFString, _ bits: Int) -> SecKey { makeKey(type, bits).value! }
}
