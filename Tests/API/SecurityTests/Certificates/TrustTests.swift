import Security
import TestSupport
import Testing

@Suite("SecTrust and its policies")
struct TrustTests {
    private func trust(
        _ names: [String] = ["server", "intermediate"],
        _ policy: SecPolicy = SecPolicyCreateSSL(true, "www.example.org"),
        anchors: [String]? = ["root"]
    ) throws -> SecTrust {
        var trust: SecTrust?
        #expect(
            try unsafe SecTrustCreateWithCertificates(names.map(secCertificate) as NSArray, policy, &trust)
                == errSecSuccess)
        let made = try #require(trust)
        if let anchors {
            #expect(
                try SecTrustSetAnchorCertificates(made, anchors.map(secCertificate) as NSArray) == errSecSuccess)
        }
        return made
    }

    /// 0 for a trusted certificate, otherwise the code of the error.
    private func verdict(_ trust: SecTrust) -> (code: Int, text: String) {
        var error: CFError?
        let isTrusted = unsafe SecTrustEvaluateWithError(trust, &error)
        #expect(isTrusted == (error == nil))
        return (error?.code ?? 0, error?.localizedDescription ?? "")
    }

    @Test("A chain to an anchor is believed, and is there to be looked at", .rule("trust.evaluate.chain"))
    func trusted() throws {
        let trust = try trust()
        #expect(verdict(trust).code == 0)
        let chain = try #require(SecTrustCopyCertificateChain(trust) as? [SecCertificate])
        #expect(chain == (try ["server", "intermediate", "root"].map(secCertificate)))
        #expect(SecTrustGetCertificateCount(trust) == 3)
        #expect(SecTrustGetCertificateAtIndex(trust, 1) == (try secCertificate("intermediate")))
        #expect(SecTrustGetCertificateAtIndex(trust, 3) == nil)
        #expect(SecTrustGetCertificateAtIndex(trust, -1) == nil)
        #expect(SecTrustCopyKey(trust) == SecCertificateCopyKey(chain[0]))
        var result = SecTrustResultType.invalid
        #expect(unsafe SecTrustGetTrustResult(trust, &result) == errSecSuccess)
        #expect(result == .unspecified)
        #expect(CFGetTypeID(trust) == SecTrustGetTypeID())
    }

    private static let failures: [(names: [String], status: OSStatus, words: [String])] = [
        (["server-expired", "intermediate"], errSecCertificateExpired, ["www.example.org", "expired on"]),
        (
            ["server-future", "intermediate"], errSecCertificateNotValidYet,
            ["www.example.org", "not valid yet before"]
        ),
        (["server-nonames", "intermediate"], errSecHostNameMismatch, ["www.example.org"]),
        (["server-clientonly", "intermediate"], errSecInvalidExtendedKeyUsage, ["purpose"]),
        (["server"], errSecNotTrusted, ["issuer"]),
        (["server-selfsigned"], errSecNotTrusted, ["root"]),
        (["server-toodeep", "below", "intermediate"], errSecPathLengthConstraintExceeded, ["Example Intermediate"]),
        (["server-nosigning", "intermediate-no-signing"], errSecKeyUsageIncorrect, ["May Not Sign"]),
        (["server-constrained", "intermediate-constrained"], errSecCertificateNameNotAllowed, []),
        (["server-expired-issuer", "intermediate-expired"], errSecCertificateExpired, ["Expired Intermediate"]),
        (["server-by-leaf", "server", "intermediate"], errSecNoBasicConstraintsCA, ["no authority"]),
        (["server-by-namesake"], errSecInvalidSignature, ["signature"]),
        (["server-critical", "intermediate"], errSecUnknownCriticalExtensionFlag, ["critical"]),
        (["server-weakkey"], errSecUnsupportedKeySize, ["too weak"]),
        (["server-sha1"], errSecInvalidDigestAlgorithm, ["digest"]),
        (["server-noeku", "intermediate"], errSecInvalidExtendedKeyUsage, ["purpose"]),
        (["server-826", "intermediate"], errSecCertificateValidityPeriodTooLong, ["longer"]),
    ]

    @Test(
        "What is not believed has Apple's code and words that name the certificate and the reason",
        .rule("trust.evaluate.reason"),
        arguments: failures.indices)
    func failure(index: Int) throws {
        let (names, status, words) = Self.failures[index]
        let found = verdict(try trust(names))
        #expect(found.code == Int(status), "\(names[0]): \(found)")
        for word in words { #expect(found.text.contains(word), "\(found.text)") }
    }

    @Test(
        "Failures that another date or anchor would change are recoverable, others fatal",
        .rule("trust.evaluate.recoverable"),
        arguments: [
            ("server-expired", SecTrustResultType.recoverableTrustFailure), ("server-critical", .fatalTrustFailure),
            ("server", .unspecified),
        ])
    func results(name: String, expected: SecTrustResultType) throws {
        let trust = try trust([name, "intermediate"])
        var result = SecTrustResultType.proceed
        unsafe SecTrustGetTrustResult(trust, &result)
        #expect(result == .invalid)
        #expect(unsafe SecTrustEvaluate(trust, &result) == errSecSuccess)
        #expect(result == expected)
        let dictionary = SecTrustCopyResult(trust) as? [String: Any]
        #expect(dictionary?["TrustResultValue"] as? UInt32 == expected.rawValue)
    }

    @Test("Date, policies and anchors can be changed, and each change asks anew", .rule("trust.evaluate.again"))
    func changes() throws {
        let trust = try trust(["server-expired", "intermediate"])
        #expect(verdict(trust).code == Int(errSecCertificateExpired))
        SecTrustSetVerifyDate(trust, Date().addingTimeInterval(-80 * 86_400) as NSDate)
        // At that date the certificate was valid, but its issuer was not yet.
        #expect(verdict(trust).code == Int(errSecCertificateNotValidYet))
        let server = try self.trust()
        #expect(SecTrustSetPolicies(server, SecPolicyCreateSSL(true, "other.example.org")) == errSecSuccess)
        #expect(verdict(server).code == Int(errSecHostNameMismatch))
        #expect(SecTrustSetPolicies(server, [SecPolicyCreateBasicX509()] as NSArray) == errSecSuccess)
        #expect(verdict(server).code == 0)
        #expect(
            try SecTrustSetAnchorCertificates(server, [secCertificate("root-other")] as NSArray) == errSecSuccess)
        #expect(verdict(server).code == Int(errSecNotTrusted))
        var policies: CFArray?
        unsafe SecTrustCopyPolicies(server, &policies)
        #expect(policies as? [SecPolicy] == [SecPolicyCreateBasicX509()])
        var anchors: CFArray?
        unsafe SecTrustCopyCustomAnchorCertificates(server, &anchors)
        #expect(try anchors as? [SecCertificate] == [secCertificate("root-other")])
    }

    @Test("All policies must hold", .rule("trust.policy.all"))
    func severalPolicies() throws {
        var trust: SecTrust?
        let policies = [SecPolicyCreateBasicX509(), SecPolicyCreateSSL(true, "other.example.org")] as NSArray
        unsafe SecTrustCreateWithCertificates(
            try ["server", "intermediate"].map(secCertificate) as NSArray, policies, &trust)
        let made = try #require(trust)
        SecTrustSetAnchorCertificates(made, [try secCertificate("root")] as NSArray)
        #expect(verdict(made).code == Int(errSecHostNameMismatch))
    }

    @Test(
        "The system's anchors count unless there are own ones, or when they are asked for",
        .rule("trust.anchors.system"))
    func systemAnchors() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("anchors.pem")
        let base64 = Data(try CertificateFixtures.bytes("root.der")).base64EncodedString(
            options: .lineLength64Characters)
        try Data("-----BEGIN CERTIFICATE-----\n\(base64)\n-----END CERTIFICATE-----\n".utf8).write(
            to: URL(filePath: path))
        try SystemAnchors.$file.withValue(path) {
            #expect(try verdict(trust(anchors: nil)).code == 0)
            let own = try trust(anchors: ["root-other"])
            #expect(verdict(own).code == Int(errSecNotTrusted))
            SecTrustSetAnchorCertificatesOnly(own, false)
            #expect(verdict(own).code == 0)
            SecTrustSetAnchorCertificatesOnly(own, true)
            #expect(verdict(own).code == Int(errSecNotTrusted))
            SecTrustSetAnchorCertificates(own, nil)
            #expect(verdict(own).code == 0)
        }
        SystemAnchors.$file.withValue(folder.file("nothing")) {
            let found = (try? trust(anchors: nil)).map(verdict)
            #expect(found?.code == Int(errSecNotTrusted))
            #expect(found?.text.contains("KEYCHAIN_ANCHORS") == true)
        }
    }

    @Test("An evaluation on a queue gives the same answer", .rule("trust.evaluate.queue"))
    func asynchronous() async throws {
        let trust = try trust()
        let isTrusted = await withCheckedContinuation { continuation in
            SecTrustEvaluateAsyncWithError(trust, .global()) { _, isTrusted, error in
                continuation.resume(returning: isTrusted && error == nil)
            }
        }
        #expect(isTrusted)
        SecTrustSetVerifyDate(trust, Date.distantFuture as NSDate)
        let code = await withCheckedContinuation { continuation in
            SecTrustEvaluateAsyncWithError(trust, .global()) { _, _, error in
                continuation.resume(returning: error?.code)
            }
        }
        #expect(code == Int(errSecCertificateExpired))
    }

    @Test("What is neither certificates nor policies is refused", .rule("trust.evaluate.input"))
    func wrongTypes() throws {
        var trust: SecTrust?
        #expect(unsafe SecTrustCreateWithCertificates(NSArray(), nil, &trust) == errSecParam)
        #expect(unsafe SecTrustCreateWithCertificates("text" as NSString, nil, &trust) == errSecParam)
        #expect(
            try unsafe SecTrustCreateWithCertificates(secCertificate("root"), "text" as NSString, &trust)
                == errSecParam
        )
        #expect(trust == nil)
        #expect(try unsafe SecTrustCreateWithCertificates(secCertificate("root"), nil, &trust) == errSecSuccess)
        #expect(try SecTrustSetPolicies(#require(trust), NSArray()) == errSecParam)
        #expect(try SecTrustSetAnchorCertificates(#require(trust), ["text"] as NSArray) == errSecParam)
    }
}

@Suite("SecPolicy")
struct PolicyTests {
    @Test("Policies say what they are")
    func properties() {
        let tls = SecPolicyCopyProperties(SecPolicyCreateSSL(false, "a.example.org")) as? [String: Any]
        #expect(tls?["SecPolicyOid"] as? String == kSecPolicyAppleSSL as String)
        #expect(tls?["SecPolicyName"] as? String == "a.example.org")
        #expect(tls?["SecPolicyClient"] as? Bool == true)
        let basic = SecPolicyCopyProperties(SecPolicyCreateBasicX509()) as? [String: Any]
        #expect(basic?.count == 1)
    }

    @Test("A policy made by its identifier is that made by its function", .rule("trust.policy.properties"))
    func identifiers() {
        let properties: [CFString: Any] = [kSecPolicyName: "a.example.org"]
        let made = SecPolicyCreateWithProperties(kSecPolicyAppleSSL, properties as CFDictionary)
        #expect(made == SecPolicyCreateSSL(true, "a.example.org"))
        #expect(SecPolicyCreateWithProperties(kSecPolicyAppleX509Basic, nil) == SecPolicyCreateBasicX509())
        #expect(SecPolicyCreateWithProperties(kSecPolicyApplePassbookSigning, nil) == nil)
        #expect(SecPolicyCreateWithProperties(kSecPolicyAppleSSL, [kSecPolicyName: 7] as CFDictionary) == nil)
        #expect(SecPolicyCreateWithProperties(kSecPolicyAppleSSL, [kSecPolicyClient: "yes"] as CFDictionary) == nil)
    }

    @Test("Purposes, addresses, key usages and revocation are demanded", .rule("trust.policy.usage"))
    func demands() throws {
        func status(_ name: String, _ policy: SecPolicy?) throws -> Int {
            var trust: SecTrust?
            let certificates = try [name, "intermediate"].map(secCertificate) as NSArray
            unsafe SecTrustCreateWithCertificates(certificates, policy, &trust)
            let made = try #require(trust)
            SecTrustSetAnchorCertificates(made, [try secCertificate("root")] as NSArray)
            var error: CFError?
            _ = unsafe SecTrustEvaluateWithError(made, &error)
            return error?.code ?? 0
        }
        func policy(_ identifier: CFString, _ properties: [CFString: Any]) -> SecPolicy? {
            SecPolicyCreateWithProperties(identifier, properties as CFDictionary)
        }
        #expect(try status("mail", policy(kSecPolicyAppleSMIME, [kSecPolicyName: "ada@example.org"])) == 0)
        let foreign = policy(kSecPolicyAppleSMIME, [kSecPolicyName: "eve@example.org"])
        #expect(try status("mail", foreign) == Int(errSecSMIMEEmailAddressesNotFound))
        #expect(try status("server", policy(kSecPolicyAppleCodeSigning, [:])) == Int(errSecInvalidExtendedKeyUsage))
        #expect(try status("server", policy(kSecPolicyAppleX509Basic, [kSecPolicyKU_DigitalSignature: true])) == 0)
        let agreement = policy(kSecPolicyAppleX509Basic, [kSecPolicyKU_KeyAgreement: true])
        #expect(try status("server", agreement) == Int(errSecInvalidKeyUsageForPolicy))
        #expect(try status("server", SecPolicyCreateRevocation(kSecRevocationUseAnyAvailableMethod)) == 0)
        let strict = SecPolicyCreateRevocation(kSecRevocationRequirePositiveResponse)
        #expect(try status("server", strict) == Int(errSecIncompleteCertRevocationCheck))
        #expect(try status("client", SecPolicyCreateSSL(false, nil)) == 0)
    }
}
