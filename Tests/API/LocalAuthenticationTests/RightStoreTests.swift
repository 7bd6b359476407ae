import KeychainTesting
import LocalAuthentication
import TestSupport
import Testing

/// Saved rights (rule authentication.right.saved).
@Suite("Saved rights") struct RightStoreTests {
    private let phone: Phone
    private let store = LARightStore.shared

    init() throws { phone = try Phone() }

    private func save(_ requirement: LAAuthenticationRequirement = .default) async throws -> LAPersistedRight {
        try await phone.keychain.run {
            try await store.saveRight(
                LARight(requirement: requirement), identifier: "token", secret: Data("secret".utf8))
        }
    }

    private func authorize(_ right: LARight) async -> LAError.Code? {
        await phone.keychain.run { await code { try await right.authorize(localizedReason: "to test") } }
    }

    @Test("A right is saved with its secret and found again, asking nobody; authorized, it gives the secret")
    func roundTrip() async throws {
        let phone = phone
        _ = try await save()
        let found = try await phone.keychain.run { try await store.right(forIdentifier: "token") }
        #expect(found.state == .unknown)
        #expect(phone.asked.isEmpty)
        phone.user.will(.touch("thumb"))
        #expect(await authorize(found) == nil)
        let secret = try await phone.keychain.run { try await found.secret.rawData }
        #expect(secret == Data("secret".utf8))
        #expect(phone.asked == [.finger])
    }

    @Test(
        "Without authorization neither secret nor private key serve, and nobody is asked: notInteractive",
        .rule("authentication.right.saved"))
    func notAuthorized() async throws {
        let right = try await save()
        await phone.keychain.run {
            #expect(await code { _ = try await right.secret.rawData } == .notInteractive)
            #expect(
                await code {
                    _ = try await right.key.sign(Data("x".utf8), algorithm: .ecdsaSignatureMessageX962SHA256)
                } == .notInteractive)
        }
        phone.user.will(.touch("thumb"))
        #expect(await authorize(right) == nil)
        await right.deauthorize()
        await phone.keychain.run { #expect(await code { _ = try await right.secret.rawData } == .notInteractive) }
        #expect(phone.asked == [.finger])
    }

    @Test("The authorization is the object's: another object for the same right has to be authorized itself")
    func perObject() async throws {
        let (right, phone) = (try await save(), phone)
        phone.user.will(.touch("thumb"))
        #expect(await authorize(right) == nil)
        let other = try await phone.keychain.run { try await store.right(forIdentifier: "token") }
        await phone.keychain.run { #expect(await code { _ = try await other.secret.rawData } == .notInteractive) }
    }

    @Test("After five minutes, and when the device was locked, a right is granted no more")
    func expires() async throws {
        let right = try await save()
        for lapse in [{ phone.device.advance(seconds: 301) }, { try phone.device.relock() }] {
            phone.user.will(.touch("thumb"))
            #expect(await authorize(right) == nil)
            try lapse()
            await phone.keychain.run { #expect(await code { _ = try await right.secret.rawData } == .notInteractive) }
            #expect(right.state == .notAuthorized)
        }
    }

    @Test("A right saved without a secret has a key, and no secret: errSecItemNotFound")
    func withoutSecret() async throws {
        let phone = phone
        let right = try await phone.keychain.run { try await store.saveRight(LARight(), identifier: "key only") }
        phone.user.will(.touch("thumb"))
        #expect(await authorize(right) == nil)
        await phone.keychain.run {
            #expect(await status { _ = try await right.secret.rawData } == errSecItemNotFound)
        }
    }

    @Test("A name in use, an empty one and an unknown one are refused by the keychain's numbers")
    func names() async throws {
        _ = try await save()
        await phone.keychain.run {
            #expect(
                await status { try await store.saveRight(LARight(), identifier: "token") } == errSecDuplicateItem)
            #expect(await status { try await store.saveRight(LARight(), identifier: "") } == errSecParam)
            #expect(await status { _ = try await store.right(forIdentifier: "other") } == errSecItemNotFound)
            #expect(await status { try await store.removeRight(forIdentifier: "other") } == errSecItemNotFound)
        }
    }

    @Test(
        "a right that nobody could authorize is not saved, and leaves nothing behind",
        .rule("authentication.right.impossible"))
    func impossible() async throws {
        let bare = try Phone(hasPasscode: false)
        await bare.keychain.run {
            #expect(await status { try await store.saveRight(LARight(), identifier: "token") } == errSecAuthFailed)
        }
        try bare.device.setPasscode(Phone.passcode)
        await bare.keychain.run {
            #expect(await status { try await store.saveRight(LARight(), identifier: "token") } == nil)
        }
    }

    @Test("Removing asks nobody, ends what was granted, and frees the name")
    func removing() async throws {
        let right = try await save()
        phone.user.will(.touch("thumb"))
        #expect(await authorize(right) == nil)
        try await phone.keychain.run { try await store.removeRight(right) }
        #expect(right.state == .notAuthorized)
        _ = try await save()
        try await phone.keychain.run {
            try await store.removeRight(forIdentifier: "token")
            #expect(await status { _ = try await store.right(forIdentifier: "token") } == errSecItemNotFound)
        }
        #expect(phone.asked == [.finger])
    }

    @Test("All rights are removed together, and nothing else")
    func removingAll() async throws {
        _ = try await save()
        try await phone.keychain.run {
            try await store.saveRight(LARight(requirement: .biometry), identifier: "second")
            #expect(GuardedItem().add(.userPresence) == errSecSuccess)
            #expect(GuardedKey().make(.userPresence) == errSecSuccess)
            try await store.removeAllRights()
            try await store.removeAllRights()
            for name in ["token", "second"] {
                #expect(await status { _ = try await store.right(forIdentifier: name) } == errSecItemNotFound)
            }
            #expect(GuardedItem().add(.userPresence) == errSecDuplicateItem)
            #expect(GuardedKey().find() != nil)
        }
    }

    @Test("A right that knows its fingers is lost after one came; one for any finger is not")
    func otherFingers() async throws {
        let phone = phone
        let bound = try await save(.biometryCurrentSet)
        let any = try await phone.keychain.run {
            try await store.saveRight(LARight(requirement: .biometry), identifier: "any")
        }
        phone.user.will(.touch("thumb"), .touch("index"), .touch("index"))
        #expect(await authorize(bound) == nil)
        await bound.deauthorize()
        phone.device.enrol(finger: "index")
        #expect(await authorize(bound) == .authenticationFailed)
        #expect(await authorize(any) == nil)
    }

    @Test("A saved right is found again with what it requires")
    func requirementKept() async throws {
        let phone = phone
        _ = try await save(.biometry)
        let found = try await phone.keychain.run { try await store.right(forIdentifier: "token") }
        phone.user.will(.fallback)
        #expect(await authorize(found) == .userFallback)
    }

    @Test("Programs without a common access group have rights of their own")
    func otherProgram() async throws {
        _ = try await save()
        let other = phone.keychain.program(accessGroups: ["TEST.other"])
        await other.run {
            #expect(await status { _ = try await store.right(forIdentifier: "token") } == errSecItemNotFound)
        }
    }

    @Test("The forms with completion handlers tell the same, once")
    func handlers() async throws {
        let (phone, store) = (phone, store)
        let saved: LAPersistedRight? = await withCheckedContinuation { continuation in
            phone.keychain.run {
                store.saveRight(LARight(), identifier: "token", secret: Data("secret".utf8)) { right, error in
                    continuation.resume(returning: error == nil ? right : nil)
                }
            }
        }
        let right = try #require(saved)
        let failure: LAError.Code? = await withCheckedContinuation { continuation in
            phone.keychain.run {
                right.secret.loadData { data, error in
                    continuation.resume(returning: data == nil ? (error as? LAError)?.code : nil)
                }
            }
        }
        #expect(failure == .notInteractive)
        let found: Bool = await withCheckedContinuation { continuation in
            phone.keychain.run {
                store.right(forIdentifier: "token") { right, error in
                    continuation.resume(returning: right != nil && error == nil)
                }
            }
        }
        #expect(found)
        let errors = await withCheckedContinuation { continuation in
            phone.keychain.run {
                store.removeRight(forIdentifier: "token") { first in
                    store.removeAllRights { second in continuation.resume(returning: [first, second]) }
                }
            }
        }
        #expect(errors.allSatisfy { $0 == nil })
    }
}

extension SimulatedDevice {
    fileprivate func relock() throws {
        try lock()
        try unlock(passcode: Phone.passcode)
    }
}
