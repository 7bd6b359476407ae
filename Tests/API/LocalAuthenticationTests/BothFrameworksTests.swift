import Foundation
import KeychainTesting
import LocalAuthentication
import Security
import Testing

/// What the articles say of the two frameworks together, as far as it can be true while nobody can be asked: closed.
@Suite("LocalAuthentication and Security together")
struct BothFrameworksTests {
    private let keychain: TestKeychain

    init() throws { keychain = try TestKeychain() }

    @Test("S-69: a context is passed in a query beside a prompt, and items that need no user open with it")
    func contextInQuery() {
        let context = LAContext()
        context.localizedReason = "to log in"
        let item: NSDictionary = [kSecClass: kSecClassGenericPassword, kSecValueData: Data("secret".utf8) as NSData]
        let query: NSDictionary = [
            kSecClass: kSecClassGenericPassword, kSecUseAuthenticationContext: context,
            kSecUseOperationPrompt: "to log in", kSecReturnData: true,
        ]
        keychain.run {
            #expect(SecItemAdd(item, nil) == errSecSuccess)
            var found: CFTypeRef?
            #expect(unsafe SecItemCopyMatching(query, &found) == errSecSuccess)
            #expect(found as? Data == Data("secret".utf8))
        }
    }

    @Test("S-70: a context gives verdicts, never anything that biometry measured")
    func noBiometricData() {
        let context = LAContext()
        #expect(unsafe !context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil))
        #expect(context.biometryType == .none)
        #expect(context.evaluatedPolicyDomainState == nil)
    }

    @Test("S-71: an evaluation with biometry calls its reply with a verdict and, on failure, an LAError")
    func evaluation() async {
        let (success, error) = await withCheckedContinuation { continuation in
            LAContext().evaluatePolicy(
                .deviceOwnerAuthenticationWithBiometrics, localizedReason: "to log in"
            ) { success, error in continuation.resume(returning: (success, error)) }
        }
        #expect(!success)
        #expect(error is LAError)
    }

    @Test(
        "S-72: a key whose access control asks for the user is the enclave's to guard: no context of the program opens it"
    )
    func guardedByTheEnclave() throws {
        try keychain.run {
            let control = try #require(
                SecAccessControlCreateWithFlags(
                    nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, [.privateKeyUsage, .biometryAny], nil))
            let parameters: NSDictionary = [
                kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
                kSecPrivateKeyAttrs: [
                    kSecAttrIsPermanent: true, kSecAttrLabel: "login", kSecAttrAccessControl: control,
                ] as NSDictionary,
            ]
            #expect(SecKeyCreateRandomKey(parameters, nil) != nil)
            let key = try #require(try self.key("login", with: AlwaysSatisfied()))
            var error: Unmanaged<CFError>?
            let signature = unsafe SecKeyCreateSignature(
                key, .ecdsaSignatureMessageX962SHA256, Data("challenge".utf8) as NSData, &error)
            #expect(signature == nil)
            #expect(unsafe error?.takeRetainedValue().code == Int(errSecInteractionNotAllowed))
        }
    }

    private func key(_ label: String, with context: LAContext) throws -> SecKey? {
        let query: NSDictionary = [
            kSecClass: kSecClassKey, kSecAttrLabel: label, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
            kSecUseAuthenticationContext: context, kSecReturnRef: true,
        ]
        var found: CFTypeRef?
        #expect(unsafe SecItemCopyMatching(query, &found) == errSecSuccess)
        return found as? SecKey
    }
}

/// A program's own context, which says yes to everything.
private final class AlwaysSatisfied: LAContext, @unchecked Sendable {
    override func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool { true }
    override func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool { true }
}
