import COpenSSL

/// The name constraints of a chain's authorities (RFC 5280 section 4.2.1.10) for the host that a program asks for.
///
/// OpenSSL compares the names in the certificate with them. A wildcard may cover a host that an authority excludes, so
/// the host itself is compared too: as the only name of a copy of the certificate.
struct HostConstraints {
    private let issuers: [X509Handle]

    /// - Parameter issuers: the chain without its first certificate.
    init(_ issuers: some Sequence<Certificate>) throws(CryptoError) {
        var handles: [X509Handle] = []
        for issuer in issuers { handles.append(try X509Handle(issuer)) }
        self.issuers = handles
    }

    /// Whether the authorities may vouch for the host.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    func allow(_ host: String, of leaf: X509Handle) throws(CryptoError) -> Bool {
        let constraining = issuers.filter { unsafe X509_get_ext_by_NID($0.reference, NID_name_constraints, -1) >= 0 }
        guard !constraining.isEmpty else { return true }
        let named = try NamedCopy(of: leaf, host)
        return constraining.allSatisfy { named.isAllowed(by: $0) }
    }
}

/// A copy of a certificate with one host as its only alternative name. Belongs to one thread.
@safe private final class NamedCopy {
    private let reference: OpaquePointer

    init(of leaf: X509Handle, _ host: String) throws(CryptoError) {
        unsafe reference = try made(X509_dup(leaf.reference))
        do throws(CryptoError) { try replaceNames(by: host) } catch {
            unsafe X509_free(reference)
            throw error
        }
    }

    deinit { unsafe X509_free(reference) }

    private func replaceNames(by host: String) throws(CryptoError) {
        let names = unsafe try made(GENERAL_NAMES_new())
        defer { unsafe GENERAL_NAMES_free(names) }
        guard let name = unsafe GENERAL_NAME_new() else { throw .libraryFailure }
        unsafe GENERAL_NAME_set0_value(name, GEN_DNS, ASN1_STRING_type_new(V_ASN1_IA5STRING))
        try succeed(unsafe ASN1_STRING_set(name.pointee.d.dNSName, host, CInt(clamping: host.utf8.count)))
        try succeed(unsafe OPENSSL_sk_push(names, name))
        let (place, mode) = (NID_subject_alt_name, UInt(X509V3_ADD_REPLACE))
        try succeed(unsafe X509_add1_ext_i2d(reference, place, UnsafeMutableRawPointer(names), 0, mode))
    }

    /// Constraints that cannot be read allow nothing.
    func isAllowed(by issuer: X509Handle) -> Bool {
        // The check reads the names that OpenSSL keeps of a certificate, and this call makes it keep them.
        guard unsafe X509_check_purpose(reference, -1, 0) == 1,
            let found = unsafe X509_get_ext_d2i(issuer.reference, NID_name_constraints, nil, nil)
        else { return false }
        let constraints = unsafe found.assumingMemoryBound(to: NAME_CONSTRAINTS.self)
        defer { unsafe NAME_CONSTRAINTS_free(constraints) }
        return unsafe NAME_CONSTRAINTS_check(reference, constraints) == X509_V_OK
    }
}
