import COpenSSL
import Glibc
import LinuxSystem

/// Builds a chain from a certificate to a trusted one, and checks it (RFC 5280 section 6), with OpenSSL's verifier.
///
/// It fetches nothing: issuers come from the given certificates, and ``OCSPResponse`` reads what is known of
/// revocation.
package struct ChainVerifier: Sendable {
    /// The purpose that the certificate must be valid for.
    package enum Purpose: Sendable {
        case anything, tlsServer, tlsClient, mail, timeStamping
    }

    /// The name that the certificate must contain.
    package enum Name: Hashable, Sendable {
        /// A host name or an address. A wildcard matches only the leftmost label.
        case host(String)
        case email(String)
    }

    package var purpose: Purpose = .anything
    /// Whether the certificate is checked as an authority for the purpose: one that may sign certificates is enough.
    package var isOfAuthority = false
    package var name: Name?
    /// Trusted certificates. Any of them may end the chain, self-signed or not.
    package var anchors = TrustAnchors([])
    /// Certificates that the chain may be built with.
    package var others: [Certificate] = []
    /// The date of the check, in seconds since 2001-01-01 00:00 UTC.
    package var date: Double = 0

    package init() {}

    /// The result of a check.
    package struct Finding: Sendable {
        /// The certificate first, then the issuer of each one, as far as they were found.
        package let chain: [Certificate]
        /// The problems with their place in the chain; empty when the certificate is trusted.
        package let problems: [(problem: ChainProblem, place: Int)]
    }

    /// Checks a certificate.
    ///
    /// - Throws: `CryptoError.malformedCertificate` when OpenSSL does not read it; `.invalidParameter` for an
    ///   impossible name; `.libraryFailure`.
    package func verify(_ certificate: Certificate) throws(CryptoError) -> Finding {
        let leaf = try X509Handle(certificate)
        // A certificate that cannot be read cannot be part of a chain.
        let helpers = others.compactMap { try? X509Handle($0) }
        let run = try VerificationRun(leaf, helpers, anchors)
        run.authorityPurpose = isOfAuthority ? purpose.number : nil
        try apply(to: run)
        guard case .host(let host)? = name, case .name(let asked)? = HostName(host) else { return try run.verify() }
        return try run.verify(askedFor: asked)
    }

    private func apply(to run: VerificationRun) throws(CryptoError) {
        let parameters = unsafe run.parameters
        // An anchor ends the chain even when it is not self-signed, as on Apple systems.
        try succeed(unsafe X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN)))
        unsafe X509_VERIFY_PARAM_set_time(parameters, time_t(clamping(date) + 978_307_200))
        unsafe X509_VERIFY_PARAM_set_auth_level(parameters, purpose.securityLevel)
        if let number = purpose.number { try succeed(unsafe X509_VERIFY_PARAM_set_purpose(parameters, number)) }
        guard let name else { return }
        // The common name is not a host name (RFC 6125), and a wildcard is a whole label.
        let flags = UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS)
        unsafe X509_VERIFY_PARAM_set_hostflags(parameters, flags)
        switch name {
        case .host(let host): try unsafe setHost(host, parameters)
        case .email(let address):
            try succeed(unsafe X509_VERIFY_PARAM_set1_email(parameters, address, 0), or: .invalidParameter)
        }
    }

    private func setHost(_ host: String, _ parameters: OpaquePointer) throws(CryptoError) {
        switch HostName(host) {
        case .address(let bytes)?:
            try succeed(unsafe X509_VERIFY_PARAM_set1_ip(parameters, bytes, bytes.count), or: .invalidParameter)
        case .name(let name)?:
            try succeed(unsafe X509_VERIFY_PARAM_set1_host(parameters, name, 0), or: .invalidParameter)
        case nil: throw .invalidParameter
        }
    }

    private func clamping(_ seconds: Double) -> Int {
        seconds.isNaN ? 0 : Int(min(max(seconds, -1e11), 1e12))
    }
}

extension ChainVerifier.Purpose {
    fileprivate var number: CInt? {
        switch self {
        case .anything: nil
        case .tlsServer: X509_PURPOSE_SSL_SERVER
        case .tlsClient: X509_PURPOSE_SSL_CLIENT
        case .mail: X509_PURPOSE_SMIME_SIGN
        case .timeStamping: X509_PURPOSE_TIMESTAMP_SIGN
        }
    }

    /// OpenSSL's security levels: 2 requires RSA of 2048 bits and SHA-256 for connections between strangers; 1 excludes
    /// everything that can be forged.
    fileprivate var securityLevel: CInt { self == .tlsServer || self == .tlsClient ? 2 : 1 }
}

/// One verification: OpenSSL's store of anchors and its context. Belongs to one thread.
@safe private final class VerificationRun {
    private let store: OpaquePointer
    private let context: OpaquePointer
    private let leaf: X509Handle
    private let others: X509Stack
    private let helpers: [X509Handle]
    private var problems: [(problem: ChainProblem, place: Int)] = []
    /// The purpose for which the certificate may be an authority's; nil where it must have the purpose itself.
    var authorityPurpose: CInt?

    init(_ leaf: X509Handle, _ helpers: [X509Handle], _ anchors: TrustAnchors) throws(CryptoError) {
        (self.leaf, self.helpers) = (leaf, helpers)
        others = try X509Stack(helpers)
        unsafe store = try made(X509_STORE_new())
        do throws(CryptoError) { unsafe context = try made(X509_STORE_CTX_new()) } catch {
            unsafe X509_STORE_free(store)
            throw error
        }
        for anchor in anchors.handles { try succeed(unsafe X509_STORE_add_cert(store, anchor.reference)) }
        try succeed(unsafe X509_STORE_CTX_init(context, store, leaf.reference, others.reference))
    }

    deinit {
        unsafe X509_STORE_CTX_free(context)
        unsafe X509_STORE_free(store)
    }

    var parameters: OpaquePointer { unsafe X509_STORE_CTX_get0_param(context) }

    func verify() throws(CryptoError) -> ChainVerifier.Finding {
        // The callback makes OpenSSL continue after a problem, so that all problems are known. Any problem makes the
        // answer negative.
        unsafe X509_STORE_CTX_set_ex_data(context, 0, Unmanaged.passUnretained(self).toOpaque())
        unsafe X509_STORE_CTX_set_verify_cb(context) { isGood, context in
            guard isGood == 0, let run = unsafe X509_STORE_CTX_get_ex_data(context, 0) else { return 1 }
            let code = unsafe X509_STORE_CTX_get_error(context)
            let place = unsafe X509_STORE_CTX_get_error_depth(context)
            let owner = unsafe Unmanaged<VerificationRun>.fromOpaque(run).takeUnretainedValue()
            if code != X509_V_ERR_INVALID_PURPOSE || place > 0 || !owner.leafIsAuthority { owner.note(code, at: place) }
            return 1
        }
        let result = unsafe X509_verify_cert(context)
        ERR_clear_error()
        if result <= 0, problems.isEmpty { note(unsafe X509_STORE_CTX_get_error(context), at: 0) }
        let chain = try unsafe X509Stack.certificates(of: X509_STORE_CTX_get0_chain(context))
        return .init(chain: chain.isEmpty ? [leaf.certificate] : chain, problems: problems)
    }

    /// The same, for a host: the authorities must be allowed to vouch for it.
    func verify(askedFor host: String) throws(CryptoError) -> ChainVerifier.Finding {
        let finding = try verify()
        let constraints = try HostConstraints(finding.chain.dropFirst())
        guard try !constraints.allow(host, of: leaf) else { return finding }
        note(X509_V_ERR_EXCLUDED_VIOLATION, at: 0)
        return .init(chain: finding.chain, problems: problems)
    }

    /// Whether the certificate may sign others for the purpose.
    private var leafIsAuthority: Bool {
        guard let authorityPurpose else { return false }
        return unsafe X509_check_purpose(leaf.reference, authorityPurpose, 1) > 0
    }

    private func note(_ code: CInt, at place: CInt) {
        let (problem, place) = (ChainProblem(code: code), Int(place))
        if !problems.contains(where: { $0.problem == problem && $0.place == place }) {
            problems.append((problem, place))
        }
    }
}
