internal import KeychainCrypto
internal import KeychainModel

/// A key: one in this program, or a handle to one that the program can use and not read.
///
/// Immutable; any thread may use it. Two are equal when they are the same half of the same pair. Source: Apple,
/// `SecKey`.
public final class SecKey: NSObject, SecurityObject, Sendable {
    static let runtimeType = RuntimeType(SecKey.self)
    private let runtimeWord = SecKey.runtimeType.word

    let material: any KeyMaterial

    init(_ material: any KeyMaterial) { self.material = material }

    /// A key held in this program.
    convenience init(_ key: PublicKey) { self.init(PublicKeyMaterial(publicKey: key)) }
    /// A key pair held in this program.
    convenience init(_ key: PrivateKey) { self.init(PrivateKeyMaterial(key: key)) }

    /// Type, class and size as Apple writes them, and the numbers of a public key; no part of a private one.
    public override var description: String {
        "<SecKeyRef \(KeyText(material).fields.joined(separator: ", ")), addr: \(ObjectIdentifier(self).address)>"
    }

    /// Whether both are the same half of the same pair, wherever they are stored.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecKey else { return false }
        return other.material.keyClass == material.keyClass && other.material.type == material.type
            && other.material.publicKey.external() == material.publicKey.external()
    }

    /// A hash that equal keys share.
    public override var hash: Int { material.publicKey.external().hashValue }
}
