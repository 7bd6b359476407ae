import Foundation

/// The messages between server and client of the login, as JSON.
public struct Registration: Codable, Sendable {
    /// The user who registers.
    public var user: String
    /// The public key, as PEM.
    public var publicKey: String
}

/// The user who wants to log in.
public struct LoginRequest: Codable, Sendable {
    /// The user of the challenge.
    public var user: String
}

/// The data that the server wants signed. It is valid for one login of one user, for a short time.
public struct Challenge: Codable, Hashable, Sendable {
    /// The server's identifier of the challenge.
    public var identifier: String
    /// 32 random bytes.
    public var nonce: Data

    /// The signed message. It contains user and purpose, so that the signature has no other use.
    public func message(for user: String) -> Data {
        var message = Data("login\0\(user)\0\(identifier)\0".utf8)
        message.append(nonce)
        return message
    }
}

/// The answer to a challenge.
public struct LoginAttempt: Codable, Sendable {
    /// The user who wants to log in.
    public var user: String
    /// The challenge's identifier.
    public var challenge: String
    /// ECDSA with SHA-256 over ``Challenge/message(for:)``, as DER.
    public var signature: Data

    /// Makes an answer.
    public init(user: String, challenge: String, signature: Data) {
        (self.user, self.challenge, self.signature) = (user, challenge, signature)
    }
}

/// The server's result of a login.
public struct LoginResult: Codable, Equatable, Sendable {
    /// Whether the login succeeded.
    public var isLoggedIn: Bool
    /// The reason.
    public var reason: String

    /// Makes a result.
    public init(isLoggedIn: Bool, reason: String) {
        (self.isLoggedIn, self.reason) = (isLoggedIn, reason)
    }
}
