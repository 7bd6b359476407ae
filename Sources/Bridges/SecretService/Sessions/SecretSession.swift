import KeychainCrypto
import LinuxSystem
import Systemd

/// A client's session: how values travel between it and the service.
///
/// Encryption keeps values out of a log of the bus, no more: nobody is authenticated by it.
final class SecretSession {
    /// The unique name of the client that has opened it; others may not use it.
    let client: String
    /// Nil where values travel as they are.
    private let key: SecretBytes?

    static let plain = "plain"
    static let encrypted = "dh-ietf1024-sha256-aes128-cbc-pkcs7"
    private static let keySize = 16
    private static let ivSize = 16

    private init(client: String, key: SecretBytes?) { (self.client, self.key) = (client, key) }

    /// Opens a session.
    ///
    /// - Parameter input: what the client has sent for the algorithm.
    /// - Returns: the session, and what the client is sent.
    /// - Throws: `NotSupported` for an algorithm that is not known, after which clients take ``plain``; `InvalidArgs`
    ///   for an input that is none of the algorithm's.
    static func open(
        for client: String, _ algorithm: String, _ input: BusValue
    ) throws(BusFailure) -> (SecretSession, BusValue) {
        switch algorithm {
        case plain:
            guard input.string != nil else { throw .invalid("The session algorithm \(plain) takes a text.") }
            return (SecretSession(client: client, key: nil), .text(""))
        case encrypted:
            guard let peer = input.data else { throw .invalid("The session algorithm \(encrypted) takes bytes.") }
            return try openEncrypted(for: client, peer)
        default: throw BusFailure(.notSupported, "The session algorithm “\(algorithm)” is not supported.")
        }
    }

    private static func openEncrypted(
        for client: String, _ peer: [UInt8]
    ) throws(BusFailure) -> (SecretSession, BusValue) {
        do throws(CryptoError) {
            let exchange = try OakleyExchange()
            return (
                SecretSession(client: client, key: try key(of: exchange, with: peer)),
                .bytes(try exchange.publicKey())
            )
        } catch {
            if error == .malformedKey { throw .invalid("The public key is none of the algorithm's group.") }
            throw BusFailure(.notSupported, "The session algorithm \(encrypted) cannot be used on this system.")
        }
    }

    private static func key(of exchange: OakleyExchange, with peer: [UInt8]) throws(CryptoError) -> SecretBytes {
        let shared = try exchange.shared(with: peer.span)
        let none = [UInt8]()
        return try shared.withSpan { (shared) throws(CryptoError) in
            try HKDF.derive(from: shared, salt: none.span, info: none.span, count: keySize)
        }
    }

    /// Joins an encrypted session of another service, as its client.
    ///
    /// - Parameter open: sends the public key, and gives the service's.
    /// - Throws: ``CryptoError`` for a key that is none of the group's; the errors of `open`.
    static func joined(_ open: ([UInt8]) throws -> [UInt8]) throws -> SecretSession {
        let exchange = try OakleyExchange()
        return SecretSession(client: "", key: try key(of: exchange, with: try open(try exchange.publicKey())))
    }

    /// A value on its way to the client: session, parameters, value, media type.
    func sealed(_ value: SecretBytes, _ contentType: String, in path: String) throws(BusFailure) -> BusValue {
        guard let key else {
            return .structure([.object(path), .bytes([]), .secret(BusSecret(value)), .text(contentType)])
        }
        let iv = Randomness.bytes(Self.ivSize)
        do throws(CryptoError) {
            let text = try key.withSpan { (key) throws(CryptoError) in
                try value.withSpan { (value) throws(CryptoError) in
                    try PaddedCBC.encrypt(value, key: key, iv: iv.span)
                }
            }
            return .structure([.object(path), .bytes(iv), .bytes(text), .text(contentType)])
        } catch { throw BusFailure(.failed, "The value cannot be encrypted for the session (\(error)).") }
    }

    /// A value that has come from the client.
    ///
    /// - Throws: `InvalidArgs` for one that was not encrypted in this session.
    func opened(_ parameters: SecretBytes, _ value: SecretBytes) throws(BusFailure) -> SecretBytes {
        guard let key else {
            guard parameters.count == 0 else { throw .invalid("A plain session has no parameters.") }
            return value
        }
        guard parameters.count == Self.ivSize else { throw .invalid("The parameters of a value are 16 bytes.") }
        do throws(CryptoError) {
            return try key.withSpan { (key) throws(CryptoError) in
                try value.withSpan { (value) throws(CryptoError) in
                    try parameters.withSpan { (iv) throws(CryptoError) in
                        try PaddedCBC.decrypt(value, key: key, iv: iv)
                    }
                }
            }
        } catch { throw .invalid("The value was not encrypted in this session.") }
    }
}
