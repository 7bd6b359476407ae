import Foundation
import KeychainCrypto
import LinuxSystem
import TestSupport
import Testing

@Suite("Answers about revocation (RFC 6960)")
struct OCSPTests {
    private func answer(
        _ name: String, on certificate: String = "server-informed", by issuer: String = "intermediate",
        after seconds: Double = 0
    ) throws -> OCSPResponse.Answer? {
        let response = OCSPResponse(try CertificateFixtures.bytes("\(name).ocsp"))
        return response.answer(on: try fixture(certificate), issuedBy: try fixture(issuer), at: now() + seconds)
    }

    private func isGood(_ answer: OCSPResponse.Answer?) -> Bool { if case .good? = answer { true } else { false } }

    @Test(
        "An answer of the issuer's, or of whom the issuer has named for it, is believed",
        arguments: ["good", "good-sha256", "good-delegated"])
    func good(name: String) throws {
        let found = try answer(name)
        guard case .good(let until)? = found else {
            throw SystemError(code: EINVAL, call: "\(String(describing: found))")
        }
        #expect(abs(until - now() - 2 * 86_400) < 600)
    }

    @Test(
        "That a certificate was revoked is believed, also when the answer is old",
        arguments: ["revoked", "revoked-delegated", "revoked-stale"])
    func revoked(name: String) throws { #expect(try answer(name) == .revoked) }

    @Test(
        "Anything else counts for nothing",
        arguments: [
            "good-undelegated", "good-stranger", "good-stale", "good-endless", "good-early", "good-other",
            "good-intermediate",
            "good-forged", "good-refused", "unknown", "revoked-stranger", "revoked-intermediate",
        ])
    func nothing(name: String) throws { #expect(try answer(name) == nil) }

    @Test("An answer is of its time, certificate and issuer")
    func bounds() throws {
        #expect(try isGood(answer("good", after: 2 * 86_400 - 3600)))
        #expect(try answer("good", after: 2 * 86_400 + 600) == nil)
        #expect(try answer("good", after: -2 * 86_400) == nil)
        // At that time the certificate was not revoked yet.
        #expect(try answer("revoked-stale", after: -11 * 86_400) == nil)
        #expect(try answer("good", on: "server") == nil)
        #expect(try answer("good", by: "root") == nil)
        #expect(try isGood(answer("good-intermediate", on: "intermediate", by: "root")))
        #expect(try answer("revoked-intermediate", on: "intermediate", by: "root") == .revoked)
    }

    @Test("Bytes that are no response, and every response with a byte changed or missing, end in an answer or in none")
    func mutations() throws {
        for name in ["good", "revoked-delegated"] {
            let bytes = try CertificateFixtures.bytes("\(name).ocsp")
            let (certificate, issuer) = (try fixture("server-informed"), try fixture("intermediate"))
            let right = OCSPResponse(bytes).answer(on: certificate, issuedBy: issuer, at: now())
            for index in bytes.indices {
                var changed = bytes
                changed[index] ^= 0x41
                let found = OCSPResponse(changed).answer(on: certificate, issuedBy: issuer, at: now())
                #expect(found == nil || found == right, "\(index)")
                #expect(
                    OCSPResponse(Array(bytes[..<index])).answer(on: certificate, issuedBy: issuer, at: now()) == nil)
            }
        }
        #expect(OCSPResponse([]).answer(on: try fixture("server"), issuedBy: try fixture("root"), at: now()) == nil)
    }
}
