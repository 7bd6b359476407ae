import Security
import TestSupport
import Testing

/// The rules for TLS servers' certificates: what they are, for which servers, and since when.
@Suite("SecTrust's rules for TLS servers")
struct TrustRulesTests {
    private func trust(
        _ names: [String], host: String = "www.example.org", policy: SecPolicy? = nil, anchors: [String]? = ["root"],
        at date: Date? = nil
    ) throws -> SecTrust {
        var trust: SecTrust?
        let policy = policy ?? SecPolicyCreateSSL(true, host as NSString)
        unsafe SecTrustCreateWithCertificates(try names.map(secCertificate) as NSArray, policy, &trust)
        let made = try #require(trust)
        if let anchors { SecTrustSetAnchorCertificates(made, try anchors.map(secCertificate) as NSArray) }
        if let date { SecTrustSetVerifyDate(made, date as NSDate) }
        return made
    }

    /// 0 for a trusted certificate, otherwise the code of the error.
    private func code(_ trust: SecTrust) -> OSStatus {
        var error: CFError?
        let isTrusted = unsafe SecTrustEvaluateWithError(trust, &error)
        #expect(isTrusted == (error == nil))
        return OSStatus(error?.code ?? 0)
    }

    private static func day(_ text: String) -> Date {
        (try? Date("\(text)T00:00:00Z", strategy: .iso8601)) ?? .distantFuture
    }

    @Test(
        "Certificates issued after 2019-07-01 name server authentication and last 825 days at most, unlike older ones",
        .rule("trust.policy.server"),
        arguments: [
            ("server-2019-old", 0), ("server-2019-new", errSecInvalidExtendedKeyUsage),
            ("server-2019-new-named", errSecCertificateValidityPeriodTooLong),
        ])
    func since2019(name: String, expected: OSStatus) throws {
        #expect(code(try trust([name], anchors: ["root-old"], at: Self.day("2020-01-01"))) == expected)
    }

    @Test(
        "Under a root of one's own 825 days are allowed, to the second",
        arguments: [
            ("server-825", 0), ("server-826", errSecCertificateValidityPeriodTooLong), ("server-399", 0),
            ("server-anyeku", 0),
        ])
    func ownRoots(name: String, expected: OSStatus) throws {
        #expect(code(try trust([name, "intermediate"])) == expected)
    }

    @Test(
        "The rules are for servers: certificates of clients and of no TLS at all may last longer and name nothing"
    )
    func servers() throws {
        #expect(code(try trust(["server-826", "intermediate"], policy: SecPolicyCreateBasicX509())) == 0)
        #expect(code(try trust(["server-noeku", "intermediate"], policy: SecPolicyCreateSSL(false, nil))) == 0)
        let eap = SecPolicyCreateWithProperties(kSecPolicyAppleEAP, nil)
        #expect(code(try trust(["server-826", "intermediate"], policy: eap)) == errSecCertificateValidityPeriodTooLong)
    }

    /// A system whose distribution has the root, and whose administrator added other roots.
    private func withSystem(_ anchors: [String], added: [String: [UInt8]] = [:], _ body: () throws -> Void) throws {
        let folder = try TemporaryDirectory()
        defer { extendLifetime(folder) }
        let bundle = folder.file("bundle.pem")
        try Data(anchors.map(Self.pem).joined().utf8).write(to: URL(filePath: bundle))
        let own = folder.file("own")
        try FileManager.default.createDirectory(atPath: own + "/below", withIntermediateDirectories: true)
        for (name, bytes) in added { try Data(bytes).write(to: URL(filePath: "\(own)/\(name)")) }
        try SystemAnchors.$file.withValue(bundle) {
            try SystemAnchors.$administratorFolders.withValue([folder.file("nothing"), own], operation: body)
        }
    }

    private static func pem(_ name: String) throws -> String {
        let base64 = Data(try CertificateFixtures.bytes("\(name).der")).base64EncodedString(
            options: .lineLength64Characters)
        return "-----BEGIN CERTIFICATE-----\n\(base64)\n-----END CERTIFICATE-----\n"
    }

    @Test(
        "Under the distribution's roots 398 days are allowed since 2020-09-01, to the second",
        .rule("trust.policy.distribution"),
        arguments: [
            ("server-398", 0), ("server-399", errSecCertificateValidityPeriodTooLong),
            ("server-825", errSecCertificateValidityPeriodTooLong),
        ])
    func distribution(name: String, expected: OSStatus) throws {
        try withSystem(["root"]) {
            let found = code(try trust([name, "intermediate"], anchors: nil))
            #expect(found == expected)
        }
    }

    @Test(
        "The 398 days are for what was issued from that day on",
        arguments: [("server-2020-before", 0), ("server-2020-after", errSecCertificateValidityPeriodTooLong)])
    func since2020(name: String, expected: OSStatus) throws {
        try withSystem(["root-old"]) {
            let found = code(try trust([name], anchors: nil, at: Self.day("2021-01-01")))
            #expect(found == expected)
        }
    }

    @Test(
        "Roots that the administrator added, in any form and folder, or that the program names, allow 825",
        arguments: ["a.crt", "b.der", "below/c.pem"])
    func administrator(file: String) throws {
        let bytes = file.hasSuffix("der") ? try CertificateFixtures.bytes("root.der") : Array(try Self.pem("root").utf8)
        try withSystem(["root"], added: [file: bytes]) {
            let (allowed, tooLong) = (try lasting("server-399"), try lasting("server-826"))
            #expect(allowed == 0 && tooLong == errSecCertificateValidityPeriodTooLong)
        }
        try withSystem(["root"], added: ["other.crt": Array(try Self.pem("root-other").utf8), "junk": [1, 2, 3]]) {
            let found = try lasting("server-399")
            #expect(found == errSecCertificateValidityPeriodTooLong)
            let named = try trust(["server-399", "intermediate"])
            SecTrustSetAnchorCertificatesOnly(named, false)
            #expect(code(named) == 0)
        }
    }

    /// The outcome for a server's certificate under the system's roots.
    private func lasting(_ name: String) throws -> OSStatus { code(try trust([name, "intermediate"], anchors: nil)) }

    @Test(
        "A host that begins with a dot, and what only looks like an address, is matched by no certificate",
        arguments: [".com", ".org", ".example.org", ".apps.example.org", "192.0.2.07", "0xC0.0.2.7", "3221225991", ""])
    func hosts(host: String) throws {
        #expect(code(try trust(["server", "intermediate"], host: host)) == errSecHostNameMismatch)
        #expect(code(try trust(["server", "intermediate"], host: "192.0.2.7")) == 0)
        #expect(code(try trust(["server", "intermediate"], host: "x.apps.example.org")) == 0)
    }

    // MARK: - Revocation

    private func answers(_ names: String...) throws -> NSArray {
        try names.map { NSData(data: Data(try CertificateFixtures.bytes("\($0).ocsp"))) } as NSArray
    }

    private func result(_ trust: SecTrust) -> [String: Any] { SecTrustCopyResult(trust) as? [String: Any] ?? [:] }

    @Test(
        "Without answers the result says that revocation was not checked, and the certificate is believed",
        .rule("trust.revocation.responses"))
    func unchecked() throws {
        for name in ["server", "server-informed"] {
            let trust = try trust([name, "intermediate"])
            #expect(code(trust) == 0)
            #expect(result(trust)["TrustRevocationChecked"] as? Bool == false)
            #expect(result(trust)["TrustExpirationDate"] == nil)
        }
    }

    @Test(
        "Answers for all certificates but the anchor are a check, and the result says until when it holds",
        .rule("trust.revocation.responses"))
    func checked() throws {
        let trust = try trust(["server-informed", "intermediate"])
        #expect(try SecTrustSetOCSPResponse(trust, answers("good", "good-intermediate")) == errSecSuccess)
        #expect(code(trust) == 0)
        #expect(result(trust)["TrustRevocationChecked"] as? Bool == true)
        let until = try #require(result(trust)["TrustExpirationDate"] as? Date)
        #expect(abs(until.timeIntervalSinceNow - 2 * 86_400) < 600)
        // The answer for the leaf alone does not cover the chain.
        SecTrustSetOCSPResponse(trust, try answers("good").object(at: 0) as? NSData)
        #expect(code(trust) == 0 && result(trust)["TrustRevocationChecked"] as? Bool == false)
        #expect(SecTrustSetOCSPResponse(trust, nil) == errSecSuccess)
        #expect(result(trust)["TrustRevocationChecked"] as? Bool == false)
    }

    @Test(
        "A certificate that was revoked, or whose issuer was, is not believed, whatever else is said of it",
        .rule("trust.revocation.revoked"),
        arguments: [
            ["revoked"], ["good", "revoked"], ["revoked-delegated"], ["good", "revoked-intermediate"],
            ["revoked-stale"],
        ])
    func revoked(names: [String]) throws {
        let trust = try trust(["server-informed", "intermediate"])
        let responses = try names.map { NSData(data: Data(try CertificateFixtures.bytes("\($0).ocsp"))) } as NSArray
        SecTrustSetOCSPResponse(trust, responses)
        #expect(code(trust) == errSecCertificateRevoked)
        var type = SecTrustResultType.invalid
        unsafe SecTrustGetTrustResult(trust, &type)
        #expect(type == .fatalTrustFailure)
        #expect(result(trust)["TrustRevocationChecked"] as? Bool == false)
    }

    @Test(
        "A stranger's word that it was revoked counts for nothing, nor does one that it was not",
        arguments: ["revoked-stranger", "good-stranger", "good-undelegated", "good-forged", "good-stale", "good-other"])
    func strangers(name: String) throws {
        let trust = try trust(["server-informed", "intermediate"])
        SecTrustSetOCSPResponse(trust, try answers(name, "good-intermediate"))
        #expect(code(trust) == 0 && result(trust)["TrustRevocationChecked"] as? Bool == false)
    }

    @Test(
        "Who wants to be sure is told what is missing: an answer, or a place to ask", .rule("trust.revocation.required")
    )
    func required() throws {
        let strict = SecPolicyCreateRevocation(kSecRevocationRequirePositiveResponse)
        func text(_ trust: SecTrust) -> String {
            var error: CFError?
            _ = unsafe SecTrustEvaluateWithError(trust, &error)
            return error?.localizedDescription ?? ""
        }
        let informed = try trust(["server-informed", "intermediate"], policy: strict)
        #expect(
            code(informed) == errSecIncompleteCertRevocationCheck && text(informed).contains("could not be checked"))
        let silent = try trust(["server", "intermediate"], policy: strict)
        #expect(
            code(silent) == errSecIncompleteCertRevocationCheck && text(silent).contains("does not say where to ask"))
        SecTrustSetOCSPResponse(informed, try answers("good", "good-intermediate"))
        #expect(code(informed) == 0)
        SecTrustSetOCSPResponse(informed, try answers("good-stale", "good-intermediate"))
        #expect(code(informed) == errSecIncompleteCertRevocationCheck)
    }

    @Test("What is no data is refused; data that is no response counts for nothing")
    func wrongTypes() throws {
        let trust = try trust(["server-informed", "intermediate"])
        #expect(SecTrustSetOCSPResponse(trust, "text" as NSString) == errSecParam)
        #expect(SecTrustSetOCSPResponse(trust, ["text"] as NSArray) == errSecParam)
        #expect(SecTrustSetOCSPResponse(trust, NSData(data: Data("junk"))) == errSecSuccess)
        #expect(code(trust) == 0)
    }
}
