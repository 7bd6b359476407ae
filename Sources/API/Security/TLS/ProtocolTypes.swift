/// A version of TLS, with the number that the protocol gives it.
public enum tls_protocol_version_t: UInt16, Sendable {
    /// A version of TLS.
    case TLSv10 = 0x0301, TLSv11, TLSv12, TLSv13
    /// A version of DTLS.
    case DTLSv10 = 0xFEFF, DTLSv12 = 0xFEFD
}

/// Sets of cipher suites, by the peers that they suit.
public enum tls_ciphersuite_group_t: UInt16, Sendable {
    /// A group.
    case `default`, compatibility, legacy, ats, ats_compatibility
}

/// Sets of cipher suites, as Secure Transport had them.
public enum SSLCiphersuiteGroup: Int32, Sendable {
    /// A group.
    case `default`, compatibility, legacy, ats, atsCompatibility
}

/// A version of TLS as Secure Transport numbered it.
public enum SSLProtocol: Int32, Sendable {
    /// No version, or a version of SSL.
    case sslProtocolUnknown, sslProtocol2, sslProtocol3, sslProtocol3Only
    /// The first version of TLS, as the least one and alone.
    case tlsProtocol1, tlsProtocol1Only
    /// All versions.
    case sslProtocolAll
    /// A later version of TLS or DTLS.
    case tlsProtocol11, tlsProtocol12, dtlsProtocol1, tlsProtocol13, dtlsProtocol12
    /// The latest version there is.
    case tlsProtocolMaxSupported = 999
}
