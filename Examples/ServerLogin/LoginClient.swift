import Foundation
import Security

/// A program whose user logs in with a key of the Secure Enclave. No password is stored. Neither the server nor the
/// network learns enough to log in.
public struct LoginClient {
    /// Errors other than those of the network.
    public enum Failure: Error, Equatable {
        /// There is no key for this user here; register first.
        case notRegistered
        /// The keychain refused to make or use the key, for example because the device is locked.
        case keychain(code: Int, reason: String)
        /// The server refused.
        case server(status: Int)
    }

    private let server: HTTPClient
    private let user: String

    /// - Parameter port: the port of the server on this machine.
    public init(user: String, port: UInt16) {
        self.user = user
        server = HTTPClient(port: port)
    }

    /// Makes a key and gives the server its public half. The key of an earlier registration goes first (rule
    /// keys.item.duplicate).
    public func register() throws {
        SecItemDelete(query as CFDictionary)
        let key = try makeKey()
        guard let pem = PublicKeyPEM.make(of: key) else { throw Failure.notRegistered }
        let answer = try server.post("/register", Registration(user: user, publicKey: pem))
        guard answer.status == 200 else { throw Failure.server(status: answer.status) }
    }

    /// Asks for a challenge, has the enclave sign it, and sends the signature.
    public func logIn() throws -> LoginResult {
        try answer(try requestChallenge())
    }

    /// Asks the server for a challenge.
    public func requestChallenge() throws -> Challenge {
        let answer = try server.post("/challenge", LoginRequest(user: user))
        guard answer.status == 200 else { throw Failure.server(status: answer.status) }
        return try JSONDecoder().decode(Challenge.self, from: answer.body)
    }

    /// Has the enclave sign a challenge.
    public func sign(_ challenge: Challenge) throws -> LoginAttempt {
        var error: Unmanaged<CFError>?
        let message = challenge.message(for: user) as CFData
        let signature = SecKeyCreateSignature(try findKey(), .ecdsaSignatureMessageX962SHA256, message, &error)
        guard let signature else { throw Self.failure(error) }
        return LoginAttempt(user: user, challenge: challenge.identifier, signature: signature as Data)
    }

    /// Signs a challenge and sends the signature.
    public func answer(_ challenge: Challenge) throws -> LoginResult { try send(sign(challenge)) }

    /// Sends an answer.
    public func send(_ attempt: LoginAttempt) throws -> LoginResult {
        let answer = try server.post("/login", attempt)
        return try JSONDecoder().decode(LoginResult.self, from: answer.body)
    }
}

// MARK: - The key

extension LoginClient {
    private var label: String { "com.example.login.\(user)" }

    private var query: [CFString: Any] {
        [
            kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecAttrLabel: label,
        ]
    }

    /// With a means of prompting, `[.privateKeyUsage, .biometryCurrentSet]` requires the user's finger for each
    /// signature.
    private func makeKey() throws -> SecKey {
        let control = SecAccessControlCreateWithFlags(
            nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, .privateKeyUsage, nil)
        let attributes: [CFString: Any] = [
            kSecAttrIsPermanent: true, kSecAttrLabel: label, kSecAttrAccessControl: control as Any,
        ]
        let parameters: [CFString: Any] = [
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom,
            kSecAttrKeySizeInBits: 256, kSecPrivateKeyAttrs: attributes,
        ]
        var error: Unmanaged<CFError>?
        guard let key = SecKeyCreateRandomKey(parameters as CFDictionary, &error) else { throw Self.failure(error) }
        return key
    }

    private func findKey() throws -> SecKey {
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query.merging([kSecReturnRef: true]) { $1 } as CFDictionary, &found)
        if status == errSecItemNotFound { throw Failure.notRegistered }
        guard status == errSecSuccess, let key = found as? SecKey else {
            throw Failure.keychain(code: Int(status), reason: SecCopyLastItemError()?.description ?? "")
        }
        return key
    }

    private static func failure(_ error: Unmanaged<CFError>?) -> Failure {
        let error = error?.takeRetainedValue()
        return .keychain(code: error?.code ?? 0, reason: error?.localizedDescription ?? "")
    }
}
