import KeychainTesting
import Security
import TestSupport
import Testing

/// The explanations of `SecCopyLastItemError` for refusals (rules results.status.explained,
/// queries.keys.constant-name).
@Suite("Explanations")
struct ExplanationTests {
    /// A text that no explanation may contain. It is in every value and name of the tests below.
    static let secret = "hunter2"

    struct Mistake: Sendable, CustomTestStringConvertible {
        let rule: String
        let status: OSStatus
        let subject: String
        let make: @Sendable (TestKeychain) throws -> OSStatus
        var testDescription: String { "\(rule) \(subject)" }

        init(
            _ rule: String, _ status: OSStatus, _ subject: String,
            _ make: @escaping @Sendable (TestKeychain) throws -> OSStatus
        ) {
            self.rule = rule
            self.status = status
            self.subject = subject
            self.make = make
        }
    }

    private static var item: Attributes { genericPassword(secret, secret) + [kSecValueData: Data(secret)] }

    static let mistakes: [Mistake] = [
        Mistake("query.unknown-key", errSecParam, "account") { _ in add(item + ["account": secret]) },
        Mistake("query.constant-name-as-key", errSecParam, "kSecAttrAccount") { _ in
            add(item + ["kSecAttrAccount": secret])
        },
        Mistake("query.wrong-type", errSecParam, "acct") { _ in add(item + [kSecAttrAccount: Date()]) },
        Mistake("query.wrong-type", errSecParam, "v_Data") { _ in add(item + [kSecValueData: secret]) },
        Mistake("query.wrong-type", errSecParam, "r_Data") { _ in find(item + [kSecReturnData: secret]).status
        },
        Mistake("query.wrong-value", errSecParam, "m_Limit") { _ in find(item + [kSecMatchLimit: secret]).status },
        Mistake("query.wrong-value", errSecParam, "pdmn") { _ in add(item + [kSecAttrAccessible: secret]) },
        Mistake("query.wrong-value", errSecParam, "sync") { _ in add(item + [kSecAttrSynchronizable: secret]) },
        Mistake("query.wrong-value", errSecParam, "v_PersistentRef") { _ in
            find([kSecValuePersistentRef: Data(secret)]).status
        },
        Mistake("query.too-large", errSecParam, "v_Data") { _ in
            add(item + [kSecValueData: Data(String(repeating: secret, count: 200_000))])
        },
        Mistake("query.too-large", errSecParam, "labl") { _ in
            add(item + [kSecAttrLabel: String(repeating: secret, count: 20_000)])
        },
        Mistake("query.class-missing", errSecParam, "class") { _ in add(item - kSecClass) },
        Mistake("query.unknown-class", errSecNoSuchClass, "class") { _ in add(item + [kSecClass: "kSecClassKey"]) },
        Mistake("query.attribute-not-in-class", errSecNoSuchAttr, "srvr") { _ in add(item + [kSecAttrServer: secret]) },
        Mistake("query.attribute-not-in-class", errSecNoSuchAttr, "none") { _ in add(item + ["none": secret]) },
        Mistake("query.attribute-not-in-class", errSecNoSuchAttr, "r_Data") { _ in update(item, [kSecReturnData: true])
        },
        Mistake("query.key-not-allowed-here", errSecParam, "m_Limit") { _ in
            delete(item + [kSecMatchLimit: kSecMatchLimitOne])
        },
        Mistake("query.contradiction", errSecParam, "r_") { _ in add(item + [kSecReturnData: true]) },
        Mistake("query.contradiction", errSecParam, "accc") { _ in
            let control = try #require(accessControl(kSecAttrAccessibleWhenUnlocked))
            return add(item + [kSecAttrAccessControl: control, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked])
        },
        Mistake("access.group-not-granted", errSecMissingEntitlement, "OTHER.group") { _ in
            find(item + [kSecAttrAccessGroup: "OTHER.group"]).status
        },
        Mistake("access.no-groups", errSecMissingEntitlement, "agrp") { keychain in
            keychain.program(accessGroups: []).run { add(item) }
        },
        Mistake("access.restricted-attribute", errSecMissingEntitlement, "sha1") { _ in
            find(item + ["sha1": Data(secret)]).status
        },
        Mistake("state.locked", errSecInteractionNotAllowed, "ak") { keychain in
            add(item)
            try keychain.device.setPasscode(secret)
            try keychain.device.lock()
            return find(item + [kSecReturnData: true]).status
        },
        Mistake("state.passcode-not-set", errSecAuthFailed, "akpu") { _ in
            add(item + [kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly])
        },
        Mistake("store.duplicate", errSecDuplicateItem, "genp") { _ in
            add(item)
            return add(item)
        },
        Mistake("store.not-found", errSecItemNotFound, "genp") { _ in find(item).status },
        Mistake("query.wrong-type", errSecParam, "v_Ref") { _ in
            find(item + [kSecValueRef: "key"]).status
        },
    ]

    @Test(
        "Every refusal says by a stable rule what is wrong and what to do, and never repeats a value",
        .rule("results.status.explained"),
        arguments: mistakes)
    func explained(mistake: Mistake) throws {
        try withKeychain { keychain in
            #expect(try mistake.make(keychain) == mistake.status)
            let explanation = try #require(SecCopyLastItemError())
            #expect(explanation.status == mistake.status)
            #expect(explanation.rule == mistake.rule)
            #expect(explanation.subject == mistake.subject)
            #expect(explanation.problem.hasSuffix(".") && explanation.remedy.hasSuffix("."))
            #expect(!explanation.description.contains(Self.secret))
        }
    }

    @Test(
        "a constant's name as a key is told apart from a slip of the pen",
        .rule("queries.keys.constant-name", "results.status.explained"),
        arguments: ["kSecClass", "kSecAttrService", "kSecReturnData", "kSecValueData", "kSecMatchLimit"])
    func constantNames(name: String) throws {
        try withKeychain { _ in
            add(genericPassword())
            #expect(find([name as CFString: kSecClassGenericPassword]).status == errSecParam)
            let explanation = try #require(SecCopyLastItemError())
            #expect(explanation.rule == "query.constant-name-as-key")
            #expect(explanation.subject == name)
            #expect(explanation.remedy.contains("without quotes"))
        }
    }

    @Test("A call with nothing to explain clears the explanation of the one before")
    func cleared() throws {
        try withKeychain { _ in
            #expect(find(genericPassword()).status == errSecItemNotFound)
            #expect(SecCopyLastItemError() != nil)
            #expect(add(genericPassword()) == errSecSuccess)
            #expect(SecCopyLastItemError() == nil)
        }
    }

    @Test("Each thread has its own")
    func threads() throws {
        try withKeychain { keychain in
            #expect(find(genericPassword()).status == errSecItemNotFound)
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                #expect(SecCopyLastItemError() == nil)
                done.signal()
            }
            done.wait()
            #expect(SecCopyLastItemError()?.status == errSecItemNotFound)
        }
    }

    @Test("As an error it has the status, the texts and the parts under keys of their own")
    func asError() throws {
        try withKeychain { _ in
            #expect(find(genericPassword()).status == errSecItemNotFound)
            let explanation = try #require(SecCopyLastItemError())
            let error = explanation as NSError
            #expect(error.domain == NSOSStatusErrorDomain)
            #expect(error.code == Int(errSecItemNotFound))
            #expect(error.localizedDescription == "\(explanation.problem) \(explanation.remedy)")
            #expect(error.userInfo["SecItemErrorRule"] as? String == explanation.rule)
            #expect(error.userInfo["SecItemErrorSubject"] as? String == explanation.subject)
        }
    }

    @Test(
        "the classes that are readable on a locked device are accepted with a notice",
        .rule("protection.class.always", "results.status.notice"), arguments: ["dk", "dku"])
    func discouraged(code: String) throws {
        try withKeychain { _ in
            #expect(add(genericPassword() + [kSecAttrAccessible: code]) == errSecSuccess)
            let notice = try #require(SecCopyLastItemError())
            #expect(notice.status == errSecSuccess)
            #expect(notice.subject == "pdmn")
            add(genericPassword("other"))
            #expect(SecCopyLastItemError() == nil)
            #expect(update(genericPassword("other"), [kSecAttrAccessible: code]) == errSecSuccess)
            #expect(SecCopyLastItemError()?.subject == "pdmn")
        }
    }
}
