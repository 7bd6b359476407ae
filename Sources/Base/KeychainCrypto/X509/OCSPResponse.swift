import COpenSSL
import Glibc
import LinuxSystem

/// A responder's statement about certificates (RFC 6960), which a server sends with its own certificate. Nothing is
/// fetched.
package struct OCSPResponse: Sendable {
    package enum Answer: Hashable, Sendable {
        /// Not revoked, valid until a date in seconds since 2001.
        case good(until: Double)
        case revoked
    }

    private let encoded: [UInt8]

    package init(_ encoded: [UInt8]) { self.encoded = encoded }

    /// The answer about a certificate at a date, in seconds since 2001. Nil when the response has no valid answer: it
    /// is about others, of another time, or not signed by the issuer or a signer that the issuer has authorised.
    package func answer(on certificate: Certificate, issuedBy issuer: Certificate, at date: Double) -> Answer? {
        defer { ERR_clear_error() }
        let moment = time_t(date.isNaN ? 0 : min(max(date, -1e11), 1e12)) + 978_307_200
        do throws(CryptoError) {
            let response = try OCSPHandle(encoded, from: X509Handle(issuer), at: moment)
            return try response.answer(on: X509Handle(certificate), at: moment)
        } catch { return nil }
    }
}

/// A response of OpenSSL whose signature holds. Belongs to one thread.
@safe private final class OCSPHandle {
    private let basic: OpaquePointer
    private let issuer: X509Handle
    /// The tolerated difference of clocks, in seconds.
    private static let tolerance: time_t = 300

    /// - Throws: `CryptoError` for bytes that are not a response, for a response with an error status, or for a wrong
    ///   signature.
    init(_ encoded: [UInt8], from issuer: X509Handle, at moment: time_t) throws(CryptoError) {
        self.issuer = issuer
        let response = try unsafe decoded(
            encoded.span, by: { unsafe d2i_OCSP_RESPONSE(nil, &$0, $1) }, orFree: { unsafe OCSP_RESPONSE_free($0) })
        defer { unsafe OCSP_RESPONSE_free(response) }
        guard unsafe OCSP_response_status(response) == OCSP_RESPONSE_STATUS_SUCCESSFUL else { throw .libraryFailure }
        unsafe basic = try made(OCSP_response_get1_basic(response))
        // From here on `deinit` frees it, also when this throws.
        try unsafe Self.verifySigner(of: basic, issuer, moment)
    }

    deinit { unsafe OCSP_BASICRESP_free(basic) }

    /// Checks that the signer is the issuer, or that the issuer has given it the purpose (RFC 6960 section 4.2.2.2).
    /// Only the issuer is trusted here; the chain has shown that it is a proper one.
    private static func verifySigner(
        of basic: OpaquePointer, _ issuer: X509Handle, _ moment: time_t
    ) throws(CryptoError) {
        let store = try unsafe made(X509_STORE_new())
        defer { unsafe X509_STORE_free(store) }
        try succeed(unsafe X509_STORE_add_cert(store, issuer.reference))
        let parameters = try unsafe made(X509_STORE_get0_param(store))
        unsafe X509_VERIFY_PARAM_set_time(parameters, moment)
        unsafe X509_VERIFY_PARAM_set_auth_level(parameters, 1)
        try succeed(unsafe X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN)))
        let signers = try X509Stack([issuer])
        try succeed(unsafe OCSP_basic_verify(basic, signers.reference, store, UInt(OCSP_PARTIAL_CHAIN)))
    }

    /// The most severe answer about a certificate.
    func answer(on certificate: X509Handle, at moment: time_t) throws(CryptoError) -> OCSPResponse.Answer? {
        var best: OCSPResponse.Answer?
        for index in 0..<max(0, unsafe OCSP_resp_count(basic)) {
            guard let single = unsafe OCSP_resp_get0(basic, index), try unsafe isAbout(certificate, single) else {
                continue
            }
            switch unsafe Self.answer(in: single, at: moment) {
            case .revoked?: return .revoked
            case .good(let until)?: best = best ?? .good(until: until)
            case nil: break
            }
        }
        return best
    }

    private func isAbout(_ certificate: X509Handle, _ single: OpaquePointer) throws(CryptoError) -> Bool {
        guard let named = unsafe OCSP_SINGLERESP_get0_id(single) else { return false }
        var algorithm: OpaquePointer?
        try succeed(unsafe OCSP_id_get0_info(nil, &algorithm, nil, nil, named))
        guard let algorithm = unsafe algorithm, let name = unsafe OBJ_nid2sn(OBJ_obj2nid(algorithm)),
            let digest = unsafe EVP_get_digestbyname(name),
            let own = unsafe OCSP_cert_to_id(digest, certificate.reference, issuer.reference)
        else { return false }
        defer { unsafe OCSP_CERTID_free(own) }
        return unsafe OCSP_id_cmp(own, named) == 0
    }

    /// An answer of another time does not count, except that a revoked certificate stays revoked.
    private static func answer(in single: OpaquePointer, at moment: time_t) -> OCSPResponse.Answer? {
        var revoked, begins, ends: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        let status = unsafe OCSP_single_get0_status(single, nil, &revoked, &begins, &ends)
        guard unsafe isPast(begins, moment + tolerance) else { return nil }
        switch status {
        case V_OCSP_CERTSTATUS_REVOKED: return unsafe isPast(revoked, moment) ? .revoked : nil
        case V_OCSP_CERTSTATUS_GOOD:
            guard let until = unsafe seconds(ends), until + Double(tolerance) >= Double(moment) else { return nil }
            return .good(until: until - 978_307_200)
        default: return nil
        }
    }

    private static func isPast(_ time: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?, _ moment: time_t) -> Bool {
        guard let time = unsafe seconds(time) else { return false }
        return time <= Double(moment)
    }

    /// Seconds since 1970; nil for a malformed time.
    private static func seconds(_ time: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?) -> Double? {
        var parts = unsafe tm()
        guard let time = unsafe time, unsafe ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
        return unsafe Double(timegm(&parts))
    }
}
