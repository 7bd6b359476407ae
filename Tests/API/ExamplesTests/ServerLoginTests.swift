import Foundation
import KeychainTesting
import LinuxSystem
import Security
import ServerLogin
import TestSupport
import Testing

@Suite("A login that the server verifies with openssl")
struct ServerLoginTests {
    private let keychain: TestKeychain
    private let http: LoopbackHTTPServer
    private let clock = Clock()

    /// A clock that the test sets.
    private final class Clock: Sendable {
        private let offset = Lock(TimeInterval(0))
        var now: Date { Date(timeIntervalSinceReferenceDate: 1_000_000 + offset.withLock { $0 }) }
        func advance(by seconds: TimeInterval) { offset.withLock { $0 += seconds } }
    }

    init() throws {
        keychain = try TestKeychain()
        let clock = clock
        let server = LoginServer(lifetime: 60) { clock.now }
        http = try #require(LoopbackHTTPServer(answer: server.answer))
    }

    private func client(_ user: String = "alice") -> LoginClient { LoginClient(user: user, port: http.port) }

    @Test(
        "a key made in the enclave is registered, signs the server's challenge, and is let in",
        .rule("keys.enclave.login"))
    func login() throws {
        try keychain.run {
            try client().register()
            for _ in 0..<2 { #expect(try client().logIn() == LoginResult(isLoggedIn: true, reason: "Welcome, alice.")) }
        }
        http.stop()
    }

    @Test("an answer is good once, and not for another challenge", .rule("keys.enclave.login"))
    func replay() throws {
        try keychain.run {
            try client().register()
            let attempt = try client().sign(try client().requestChallenge())
            #expect(try client().send(attempt).isLoggedIn)
            #expect(try !client().send(attempt).isLoggedIn)
            let next = try client().requestChallenge()
            let moved = LoginAttempt(user: "alice", challenge: next.identifier, signature: attempt.signature)
            #expect(try !client().send(moved).isLoggedIn)
            // A wrong answer uses up the challenge too.
            #expect(try !client().answer(next).isLoggedIn)
        }
        http.stop()
    }

    @Test("an answer to an altered challenge, or with an altered signature, is refused", .rule("keys.enclave.login"))
    func altered() throws {
        try keychain.run {
            try client().register()
            var challenge = try client().requestChallenge()
            challenge.nonce[0] ^= 1
            #expect(try !client().answer(challenge).isLoggedIn)
            for offset in [0, 4, 40] {
                var attempt = try client().sign(try client().requestChallenge())
                attempt.signature[offset] ^= 1
                #expect(try !client().send(attempt).isLoggedIn)
            }
        }
        http.stop()
    }

    @Test("an answer that comes too late is refused", .rule("keys.enclave.login"))
    func expired() throws {
        try keychain.run {
            try client().register()
            let attempt = try client().sign(try client().requestChallenge())
            clock.advance(by: 60)
            let result = try client().send(attempt)
            #expect(!result.isLoggedIn && result.reason.contains("expired"))
        }
        http.stop()
    }

    @Test("nobody logs in for somebody else, nor with the key of an earlier registration", .rule("keys.enclave.login"))
    func others() throws {
        try keychain.run {
            try client("alice").register()
            try client("bob").register()
            let challenge = try client("alice").requestChallenge()
            #expect(try !client("bob").send(client("bob").sign(challenge)).isLoggedIn)
            var forged = try client("bob").sign(try client("alice").requestChallenge())
            forged.user = "alice"
            #expect(try !client("alice").send(forged).isLoggedIn)
            let old = try client("alice").sign(try client("alice").requestChallenge())
            try client("alice").register()
            #expect(try !client("alice").send(old).isLoggedIn)
            #expect(try client("alice").logIn().isLoggedIn)
        }
        http.stop()
    }

    @Test("Who is not registered gets no challenge; a locked device signs none")
    func unavailable() throws {
        try keychain.run {
            #expect(throws: LoginClient.Failure.server(status: 404)) { try client().logIn() }
            try client().register()
            let challenge = try client().requestChallenge()
            #expect(throws: LoginClient.Failure.notRegistered) { try client("bob").sign(challenge) }
            try keychain.device.setPasscode("1234")
            try keychain.device.lock()
            #expect(throws: LoginClient.Failure.self) { try client().sign(challenge) }
        }
        http.stop()
    }
}
