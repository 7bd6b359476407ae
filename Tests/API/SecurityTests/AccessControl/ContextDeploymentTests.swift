import Foundation
import KeychainTesting
import LocalAuthentication
import Security
import TestSupport
import Testing

/// `LAContext` and rights in every deployment: a socket changes nothing.
@Suite("Contexts in every deployment") struct ContextDeploymentTests {
    private static func phone(_ deployment: Deployment) throws -> TestKeychain {
        let keychain = try deployment.makeKeychain(accessGroups: ["TEAM.program"])
        try keychain.device.setPasscode("1234")
        keychain.device.enrol(finger: "thumb")
        return keychain
    }

    @Test(
        "an evaluation asks once, and spares the prompt of the query it is passed to",
        .rule("authentication.context.domain", "authentication.policy.evaluate"),
        arguments: Deployment.allCases)
    func evaluated(_ deployment: Deployment) async throws {
        let keychain = try Self.phone(deployment)
        let made = SecAccessControlCreateWithFlags(
            nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, .userPresence, nil)
        let control = try #require(made)
        keychain.device.user.will(.touch("thumb"))
        let context = LAContext()
        try await keychain.run {
            _ = try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test")
        }
        keychain.run {
            #expect(
                add(genericPassword() + [kSecAttrAccessControl: control, kSecValueData: Data("secret".utf8)])
                    == errSecSuccess)
            #expect(value(genericPassword() + [kSecUseAuthenticationContext: context]) == Data("secret".utf8))
            #expect(context.biometryType == .touchID)
        }
        #expect(keychain.device.user.questions.map(\.reason) == ["to test"])
    }

    @Test(
        "A context that is invalidated takes its prompt away: appCancel", .rule("authentication.context.invalidated"),
        arguments: Deployment.allCases)
    func invalidated(_ deployment: Deployment) async throws {
        let (keychain, context) = (try Self.phone(deployment), LAContext())
        let user = keychain.device.user
        user.will(.wait, .touch("thumb"))
        let failure = await withCheckedContinuation { (continuation: CheckedContinuation<LAError.Code?, Never>) in
            keychain.run {
                context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test") { _, error in
                    continuation.resume(returning: (error as? LAError)?.code)
                }
            }
            DispatchQueue.global().async {
                user.wasAsked(1)
                context.invalidate()
            }
        }
        #expect(failure == .appCancel)
        // There is one prompt at a time: this one appears because the other has gone.
        try await keychain.run {
            _ = try await LAContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "again")
        }
        #expect(user.questions.count == 2)
    }

    @Test(
        "an application password reaches the enclave, and a wrong one opens nothing",
        .rule("access-control.password.credential"),
        arguments: Deployment.allCases)
    func password(_ deployment: Deployment) throws {
        let keychain = try Self.phone(deployment)
        let made = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .applicationPassword, nil)
        let control = try #require(made)
        func context(_ password: String) -> LAContext {
            let context = LAContext()
            context.setCredential(Data(password.utf8), type: .applicationPassword)
            return context
        }
        keychain.run {
            let item = genericPassword() + [kSecAttrAccessControl: control, kSecValueData: Data("secret".utf8)]
            #expect(add(item + [kSecUseAuthenticationContext: context("right")]) == errSecSuccess)
            let query = genericPassword()
            #expect(value(query + [kSecUseAuthenticationContext: context("right")]) == Data("secret".utf8))
            #expect(find(query + [kSecUseAuthenticationContext: context("wrong")]).status == errSecAuthFailed)
        }
        #expect(keychain.device.user.questions.isEmpty)
    }

    @Test("A right is saved, authorized and used", arguments: Deployment.allCases)
    func right(_ deployment: Deployment) async throws {
        let keychain = try Self.phone(deployment)
        keychain.device.user.will(.touch("thumb"))
        let secret = try await keychain.run {
            let right = try await LARightStore.shared.saveRight(
                LARight(requirement: .biometryCurrentSet), identifier: "token", secret: Data("secret".utf8))
            try await right.authorize(localizedReason: "to test")
            let message = Data("message".utf8)
            let signature = try await right.key.sign(message, algorithm: .ecdsaSignatureMessageX962SHA256)
            try await right.key.publicKey.verify(
                message, signature: signature, algorithm: .ecdsaSignatureMessageX962SHA256)
            return try await right.secret.rawData
        }
        #expect(secret == Data("secret".utf8))
        #expect(keychain.device.user.questions.count == 1)
    }
}
