import Foundation

/// A server that admits clients which sign its challenges. It stores only public keys, which are not secret.
///
/// A challenge is valid once, for its user, during `lifetime`.
public final class LoginServer: @unchecked Sendable {
    private struct Issued {
        let challenge: Challenge
        let user: String
        let until: Date
    }

    /// The number of stored unused challenges. A new one replaces the oldest.
    private static let mostChallenges = 1000

    private let lifetime: TimeInterval
    private let now: @Sendable () -> Date
    // The lock guards the two properties below, which makes the server safe to send.
    private let lock = NSLock()
    private var publicKeys: [String: String] = [:]
    private var issued: [Issued] = []

    /// - Parameter now: the clock; tests set their own.
    public init(lifetime: TimeInterval = 60, now: @escaping @Sendable () -> Date = { Date() }) {
        self.lifetime = lifetime
        self.now = now
    }

    /// Stores a user's public key. A real server would first check who the user is.
    public func register(_ registration: Registration) {
        lock.withLock { publicKeys[registration.user] = registration.publicKey }
    }

    /// A fresh challenge; nil for a user who is not registered.
    public func challenge(for request: LoginRequest) -> Challenge? {
        lock.withLock {
            guard publicKeys[request.user] != nil else { return nil }
            var generator = SystemRandomNumberGenerator()
            let nonce = Data((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
            let challenge = Challenge(identifier: UUID().uuidString, nonce: nonce)
            issued.append(Issued(challenge: challenge, user: request.user, until: now() + lifetime))
            if issued.count > Self.mostChallenges { issued.removeFirst() }
            return challenge
        }
    }

    /// Verifies an answer. The challenge is used up in any case.
    public func logIn(_ attempt: LoginAttempt) throws -> LoginResult {
        let (issued, publicKey) = lock.withLock { (take(attempt.challenge), publicKeys[attempt.user]) }
        guard let issued, let publicKey else { return refused("There is no such challenge, or it was used.") }
        guard issued.user == attempt.user else { return refused("The challenge is another user's.") }
        guard now() < issued.until else { return refused("The challenge has expired.") }
        let message = issued.challenge.message(for: attempt.user)
        guard try OpenSSL.verifies(attempt.signature, of: message, publicKey: publicKey) else {
            return refused("The signature is not one of this challenge by this user's key.")
        }
        return LoginResult(isLoggedIn: true, reason: "Welcome, \(attempt.user).")
    }

    private func take(_ identifier: String) -> Issued? {
        guard let index = issued.firstIndex(where: { $0.challenge.identifier == identifier }) else { return nil }
        return issued.remove(at: index)
    }

    private func refused(_ reason: String) -> LoginResult { LoginResult(isLoggedIn: false, reason: reason) }
}

// MARK: - Over HTTP

extension LoginServer {
    /// Answers a request: `/register`, `/challenge` or `/login`, each with JSON.
    public func answer(_ request: HTTPRequest) -> HTTPResponse {
        do {
            guard request.method == "POST" else { return HTTPResponse(status: 405) }
            switch request.path {
            case "/register":
                register(try request.decode())
                return HTTPResponse(status: 200)
            case "/challenge":
                guard let challenge = challenge(for: try request.decode()) else { return HTTPResponse(status: 404) }
                return try HTTPResponse(status: 200, json: challenge)
            case "/login":
                let result = try logIn(try request.decode())
                return try HTTPResponse(status: result.isLoggedIn ? 200 : 401, json: result)
            default: return HTTPResponse(status: 404)
            }
        } catch is DecodingError {
            return HTTPResponse(status: 400)
        } catch {
            return HTTPResponse(status: 500)
        }
    }
}
