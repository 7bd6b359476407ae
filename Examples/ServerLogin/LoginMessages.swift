import Foundation

/// What server and client of the login say to each other, as JSON.
public struct Registration: Codable, Sendable {
    /// Who registers.
    public var user: String
    /// The public key, as PEM.
    public var publicKey: String
}

/// Who wants to log in.
public struct LoginRequest: Codable, Sendable {
    /// Whom the challenge is for.
    public var user: String
}

/// What the server wants signed: good for one login of one user, for a short time.
public struct Challenge: Codable, Hashable, Sendable {
    /// What the server knows it by.
    public var identifier: String
    /// 32 random bytes.
    public var nonce: Data

    /// What is signed. User and purpose are part of it, so that a signature is good for nothing else.
    public func message(for user: String) -> Data {
        var message = Data("login\0\(user)\0\(identifier)\0".utf8)
        message.append(nonce)
        return message
    }
}

/// The answer to a challenge.
public struct LoginAttempt: Codable, Sendable {
    /// Who wants to log in.
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

/// What the server says to a login, good or bad.
public struct LoginResult: Codable, Equatable, Sendable {
    /// Whether the user is let in.
    public var isLoggedIn: Bool
    /// Why, or why not.
    public var reason: String

    /// Makes a result.
    public init(isLoggedIn: Bool, reason: String) {
        (self.isLoggedIn, self.reason) = (isLoggedIn, reason)
    }
}
