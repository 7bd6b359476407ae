import Foundation
import KeychainTesting
import LocalAuthentication
import TestSupport
import Testing

/// The end of contexts, and many contexts at a time (rule authentication.context.invalidated).
@Suite("The end of a context") struct ContextEndTests {
    private let phone: Phone

    init() throws { phone = try Phone() }

    @Test(
        "An evaluation under way fails with appCancel when the context is invalidated, and its prompt goes away",
        .rule("authentication.context.invalidated"))
    func pending() async {
        let context = LAContext()
        phone.user.will(.wait, .touch("thumb"))
        async let outcome = phone.failure(of: .deviceOwnerAuthenticationWithBiometrics, in: context)
        #expect(await phone.wasAsked(1))
        context.invalidate()
        #expect(await outcome == .appCancel)
        // There is one prompt at a time: this one appears because the other has gone.
        #expect(await phone.failure(of: .deviceOwnerAuthenticationWithBiometrics) == nil)
        #expect(phone.asked == [.finger, .finger])
    }

    @Test("An invalidated context fails with invalidContext, however often it was invalidated, and takes no credential")
    func afterwards() async throws {
        let context = LAContext()
        context.setCredential(Data("password".utf8), type: .applicationPassword)
        context.invalidate()
        context.invalidate()
        #expect(await phone.failure(of: .deviceOwnerAuthentication, in: context) == .invalidContext)
        #expect(try await phone.failure(of: .biometryAny, in: context) == .invalidContext)
        #expect(phone.obstacle(to: .deviceOwnerAuthentication, in: context) == .invalidContext)
        #expect(!context.isCredentialSet(.applicationPassword))
        #expect(!context.setCredential(Data("again".utf8), type: .applicationPassword))
        #expect(phone.asked.isEmpty)
    }

    @Test("What was shown in a context opens nothing once it was invalidated, and nobody is asked for it")
    func forgotten() async throws {
        let (context, item) = (LAContext(), GuardedItem())
        phone.user.will(.touch("thumb"))
        #expect(await phone.failure(of: .deviceOwnerAuthentication, in: context) == nil)
        context.invalidate()
        phone.keychain.run {
            #expect(item.add(.userPresence) == errSecSuccess)
            #expect(item.read(in: context).status == errSecAuthFailed)
        }
        #expect(phone.asked == [.finger])
    }

    @Test(
        "a context that the program lets go of lives until its evaluation is answered, and then ends",
        .rule("authentication.context.released"))
    func released() async {
        phone.user.will(.touch("thumb"))
        weak var context: LAContext?
        let isMet = await withCheckedContinuation { continuation in
            let temporary = LAContext()
            context = temporary
            phone.keychain.run {
                temporary.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test") { isMet, _ in
                    continuation.resume(returning: isMet)
                }
            }
        }
        #expect(isMet)
        // The thread that replied releases it a moment later.
        await eventuallyInTask { context == nil }
        #expect(context == nil)
    }

    @Test("Two evaluations of one context ask once; each is answered once")
    func twoEvaluations() async {
        let context = LAContext()
        phone.user.will(.touch("thumb"))
        async let one = phone.failure(of: .deviceOwnerAuthentication, in: context)
        async let other = phone.failure(of: .deviceOwnerAuthentication, in: context)
        #expect(await [one, other] == [nil, nil])
        #expect(phone.asked == [.finger])
    }

    @Test("Invalidating ends all evaluations of the context, and none of another")
    func invalidatedTogether() async {
        let (ending, staying) = (LAContext(), LAContext())
        phone.user.will(.wait, .touch("thumb"))
        async let one = phone.failure(of: .deviceOwnerAuthentication, in: ending)
        #expect(await phone.wasAsked(1))
        async let other = phone.failure(of: .deviceOwnerAuthenticationWithBiometrics, in: ending)
        async let third = phone.failure(of: .deviceOwnerAuthentication, in: staying)
        ending.invalidate()
        #expect(await one == .appCancel)
        let failure = await other
        #expect(failure == .appCancel || failure == .invalidContext)
        #expect(await third == nil)
    }

    @Test("Twenty contexts at once: each is asked for itself and answered once")
    func many() async {
        let phone = phone
        for _ in 0..<20 { phone.user.will(.touch("thumb")) }
        let failures = await withTaskGroup(of: LAError.Code?.self) { group in
            for _ in 0..<20 { group.addTask { await phone.failure(of: .deviceOwnerAuthentication) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(failures == Array(repeating: nil, count: 20))
        #expect(phone.asked.count == 20)
    }

    @Test("A reply comes once, whoever ends the evaluation first")
    func once() async {
        let phone = phone
        for _ in 0..<20 { phone.user.will(.touch("thumb")) }
        let replies = Replies()
        for _ in 0..<20 {
            let context = LAContext()
            phone.keychain.run {
                context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test") { isMet, error in
                    // Met, or ended by the context's end, and never both.
                    replies.note(isMet == (error == nil) && (isMet || (error as? LAError)?.code == .appCancel))
                }
            }
            context.invalidate()
        }
        // This context is evaluated after all of them, so they have ended when it has its reply.
        phone.user.will(.touch("thumb"))
        _ = await phone.failure(of: .deviceOwnerAuthentication)
        await eventuallyInTask { replies.all.count >= 20 }
        #expect(replies.all == Array(repeating: true, count: 20))
    }

    @Test("In a reply, Security talks to the same keychain as where the evaluation was begun")
    func replyInTheSameKeychain() async throws {
        let (context, item) = (LAContext(), GuardedItem())
        phone.keychain.run { #expect(item.add(.userPresence) == errSecSuccess) }
        phone.user.will(.touch("thumb"))
        let value = await withCheckedContinuation { continuation in
            phone.keychain.run {
                context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test") { _, _ in
                    continuation.resume(returning: item.read(in: context).value)
                }
            }
        }
        #expect(value == "secret")
    }
}

/// The replies of evaluations.
private final class Replies: @unchecked Sendable {
    private let lock = NSLock()
    private var noted: [Bool] = []

    func note(_ isGood: Bool) { lock.withLock { noted.append(isGood) } }
    var all: [Bool] { lock.withLock { noted } }
}
