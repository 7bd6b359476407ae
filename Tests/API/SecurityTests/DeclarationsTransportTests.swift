import Security
import TestSupport
import Testing

@Suite("What Apple's headers have of TLS, of tasks and under a wrong spelling")
struct DeclarationsTransportTests {
    @Test(
        "statuses that Apple's headers misspell are there, with the numbers of those that are spelled right",
        .rule("results.status.numbers"))
    func misspelled() {
        #expect(errSecInvaldCRLAuthority == errSecInvalidCRLAuthority && errSecInvaldCRLAuthority == -67827)
        #expect(errSecInvalidTupleCredendtials == errSecInvalidTupleCredentials)
        #expect(errSecInvalidTupleCredendtials == -67852)
    }

    @Test("versions and cipher suites of TLS have the protocol's numbers", .rule("certificates.transport.numbers"))
    func numbers() {
        let versions: [tls_protocol_version_t] = [.TLSv10, .TLSv11, .TLSv12, .TLSv13, .DTLSv10, .DTLSv12]
        #expect(versions.map(\.rawValue) == [0x0301, 0x0302, 0x0303, 0x0304, 0xFEFF, 0xFEFD])
        #expect(TLS_AES_128_GCM_SHA256 == 0x1301 && tls_ciphersuite_t.AES_128_GCM_SHA256.rawValue == 0x1301)
        #expect(TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 == 0xC030 && SSL_NO_SUCH_CIPHERSUITE == 0xFFFF)
        #expect(SSLProtocol.tlsProtocol12.rawValue == 8 && SSLProtocol.tlsProtocolMaxSupported.rawValue == 999)
        #expect(tls_ciphersuite_group_t.ats_compatibility.rawValue == 4 && SSLCiphersuiteGroup.ats.rawValue == 3)
    }

    @Test(
        "no task is made of an audit token, and the explanation says what to ask instead",
        .rule("results.status.missing"))
    func auditToken() throws {
        #expect(SecTaskCreateWithAuditToken(nil, audit_token_t()) == nil)
        let error = try #require(SecCopyLastItemError())
        #expect(error.status == errSecUnimplemented && error.problem.contains("SO_PEERCRED"))
    }

    @Test("the status of a program without a signature is 0", .rule("results.status.numbers"))
    func codeSignStatus() throws {
        let task = try #require(SecTaskCreateFromSelf(nil))
        #expect(SecTaskGetCodeSignStatus(task) == 0)
    }
}
