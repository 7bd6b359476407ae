import CodeSignature
import LinuxSystem
import Security
import TestSupport
import Testing

/// `SecCode`, `SecStaticCode` and `SecTask` over the signatures of executables.
@Suite("Signed code")
struct CodeTests {
    private static let plist = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict>
          <key>keychain-access-groups</key><array><string>$(AppIdentifierPrefix)com.example.shared</string></array>
          <key>com.example.number</key><integer>7</integer>
          <key>com.example.flag</key><true/>
        </dict></plist>
        """

    /// A signed copy of a system program, in its own folder.
    private struct Signed {
        let folder: TemporaryDirectory
        let team: String
        var path: String { folder.file("program") }

        init() throws {
            folder = try TemporaryDirectory()
            let key = try TeamPrivateKey.generate(.p256)
            let chain = try TeamChain([], to: key.publicKey)
            team = chain.team.text
            let source = try FileDescriptor.open("/bin/true", 0)
            let target = try FileDescriptor.open(folder.file("program"), 0o102)
            let signing = try CodeSigning(
                identifier: "com.example.app", plist: Array(CodeTests.plist.utf8), signer: key, chain: chain)
            _ = try signing.sign(source, to: target)
        }
    }

    private func staticCode(_ path: String) -> (OSStatus, SecStaticCode?) {
        var code: SecStaticCode?
        let status = unsafe SecStaticCodeCreateWithPath(NSURL(fileURLWithPath: path), [], &code)
        return (status, code)
    }

    @Test("What a signature says is told as Apple's keys name it")
    func information() throws {
        let signed = try Signed()
        let code = try #require(staticCode(signed.path).1)
        #expect(SecStaticCodeCheckValidity(code, [], nil) == errSecSuccess)
        var information: CFDictionary?
        let status1 = unsafe SecCodeCopySigningInformation(code, [], &information)
        #expect(status1 == errSecSuccess)
        let entries = try #require(information as? [String: Any])
        #expect(entries["identifier"] as? String == "com.example.app")
        #expect(entries["teamid"] as? String == signed.team)
        #expect((entries["unique"] as? Data)?.count == 32)
        #expect((entries["main-executable"] as? URL)?.path == signed.path)
        let entitlements = try #require(entries["entitlements-dict"] as? [String: Any])
        #expect(entitlements["keychain-access-groups"] as? [String] == ["\(signed.team).com.example.shared"])
        #expect(entitlements["com.example.number"] as? Int == 7)
        #expect(entitlements["com.example.flag"] as? Bool == true)
        var path: CFURL?
        let status2 = unsafe SecCodeCopyPath(code, [], &path)
        #expect(status2 == errSecSuccess && path?.path == signed.path)
    }

    @Test("A program that is not signed is errSecCSUnsigned, and one that was changed is not to be had")
    func unsignedAndChanged() throws {
        let unsigned = try #require(staticCode("/bin/true").1)
        #expect(SecStaticCodeCheckValidity(unsigned, [], nil) == errSecCSUnsigned)
        let signed = try Signed()
        var bytes = try AtomicFile.read(signed.path, limit: 1 << 24)
        bytes[0x40] ^= 1
        try AtomicFile.replace(signed.path, with: bytes.span)
        let (status, code) = staticCode(signed.path)
        #expect(status != errSecSuccess && code == nil)
        #expect(SecCopyLastItemError()?.rule.hasPrefix("code.") == true)
        #expect(staticCode("/nowhere/program").0 == errSecCSStaticCodeNotFound)
    }

    @Test("Requirements are not understood, and nothing passes for meeting one")
    func requirements() {
        var requirement: SecRequirement?
        let status3 = unsafe SecRequirementCreateWithString("anchor apple", [], &requirement)
        #expect(status3 == errSecCSUnimplemented)
        #expect(requirement == nil)
    }

    @Test("This process has code and, not being signed, no entitlements")
    func thisProcess() throws {
        var code: SecCode?
        let status4 = unsafe SecCodeCopySelf([], &code)
        #expect(status4 == errSecSuccess)
        let own = try #require(code)
        #expect(CFGetTypeID(own) == SecCodeGetTypeID())
        #expect(SecCodeCheckValidity(own, [], nil) == errSecCSUnsigned)
        let task = try #require(SecTaskCreateFromSelf(nil))
        #expect(CFGetTypeID(task) == SecTaskGetTypeID())
        #expect(SecTaskCopyValueForEntitlement(task, "keychain-access-groups", nil) == nil)
        var error: Unmanaged<CFError>?
        let identifier = unsafe SecTaskCopySigningIdentifier(task, &error)
        #expect(identifier == nil)
        let code2 = unsafe error?.takeRetainedValue().code
        #expect(code2 == Int(errSecCSUnsigned))
    }
}

/// Functions without an implementation report that.
@Suite("Functions that do nothing here")
struct UnimplementedTests {
    @Test("They answer errSecUnimplemented and name the function", .rule("results.status.missing"))
    func refused() throws {
        var (encoder, time): (CMSEncoder?, CFAbsoluteTime) = (nil, 0)
        unsafe CMSEncoderCreate(&encoder)
        let status5 = unsafe CMSEncoderCopySignerTimestamp(try #require(encoder), 0, &time)
        #expect(status5 == errSecUnimplemented && time == 0)
        #expect(SecCopyLastItemError()?.subject == "CMSEncoderCopySignerTimestamp")
    }

    @Test("A shared web credential comes with an error and without a password")
    func webCredentials() async {
        let outcome = await withCheckedContinuation { continuation in
            SecRequestSharedWebCredential("example.org", nil) { found, error in
                continuation.resume(returning: (found == nil, error?.code))
            }
        }
        #expect(outcome.0 && outcome.1 == Int(errSecUnimplemented))
    }

    @Test("A made-up password has three groups, a capital, a digit, and no two are alike")
    func passwords() throws {
        var seen: Set<String> = []
        for _ in 0..<200 {
            let password = try #require(SecCreateSharedWebCredentialPassword()) as String
            #expect(password.split(separator: "-").map(\.count) == [6, 6, 6])
            #expect(password.contains(where: \.isUppercase) && password.contains(where: \.isNumber))
            seen.insert(password)
        }
        #expect(seen.count == 200)
    }

    @Test(
        "What would make an evaluation milder is refused, and the rest agrees with what holds anyway",
        .rule("trust.anchors.settings"))
    func trust() throws {
        var trust: SecTrust?
        let certificate = try secCertificate("intermediate")
        let status6 = unsafe SecTrustCreateWithCertificates(certificate, nil, &trust)
        #expect(status6 == errSecSuccess)
        let evaluation = try #require(trust)
        #expect(SecTrustSetOptions(evaluation, []) == errSecSuccess)
        #expect(SecTrustSetOptions(evaluation, .allowExpired) == errSecUnimplemented)
        #expect(SecTrustSetNetworkFetchAllowed(evaluation, false) == errSecSuccess)
        #expect(SecTrustSetNetworkFetchAllowed(evaluation, true) == errSecUnimplemented)
        var isAllowed: DarwinBoolean = true
        let status7 = unsafe SecTrustGetNetworkFetchAllowed(evaluation, &isAllowed)
        #expect(status7 == errSecSuccess && !isAllowed.boolValue)
        #expect(SecTrustCopyExceptions(evaluation) == nil && !SecTrustSetExceptions(evaluation, NSData()))
        let properties = try #require(SecTrustCopyProperties(evaluation) as? [[String: Any]])
        #expect(properties.first?["title"] is String && properties.first?["error"] is String)
    }
}
