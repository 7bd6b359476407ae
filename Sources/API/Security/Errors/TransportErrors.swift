// Statuses of TLS: -9800 to -9890. No function here returns them but `SecKeyRawVerify`; programs name many.

// MARK: - The connection

/// The TLS protocol was violated.
public let errSSLProtocol: OSStatus = -9800
/// No cipher suite both sides support was found.
public let errSSLNegotiation: OSStatus = -9801
/// The peer ended the connection with a fatal alert.
public let errSSLFatalAlert: OSStatus = -9802
/// The operation would have to wait.
public let errSSLWouldBlock: OSStatus = -9803
/// The session to resume was not found.
public let errSSLSessionNotFound: OSStatus = -9804
/// The connection was closed in an orderly way.
public let errSSLClosedGraceful: OSStatus = -9805
/// The connection was closed because of an error.
public let errSSLClosedAbort: OSStatus = -9806
/// The peer's certificate chain is not valid.
public let errSSLXCertChainInvalid: OSStatus = -9807
/// The peer's certificate is malformed.
public let errSSLBadCert: OSStatus = -9808
/// A cryptographic operation failed.
public let errSSLCrypto: OSStatus = -9809
/// An internal error occurred in TLS.
public let errSSLInternal: OSStatus = -9810
/// A module for TLS could not be attached.
public let errSSLModuleAttach: OSStatus = -9811
/// The certificate chain ends in an unknown root.
public let errSSLUnknownRootCert: OSStatus = -9812
/// The certificate chain has no root.
public let errSSLNoRootCert: OSStatus = -9813
/// A certificate of the chain has expired.
public let errSSLCertExpired: OSStatus = -9814
/// A certificate of the chain is not valid yet.
public let errSSLCertNotYetValid: OSStatus = -9815
/// The peer closed the connection without saying so.
public let errSSLClosedNoNotify: OSStatus = -9816
/// The buffer is too small.
public let errSSLBufferOverflow: OSStatus = -9817
/// The cipher suite is not allowed.
public let errSSLBadCipherSuite: OSStatus = -9818

// MARK: - What the peer reported

/// The peer says it received a message it did not expect.
public let errSSLPeerUnexpectedMsg: OSStatus = -9819
/// The peer says it received a record with a bad authentication code.
public let errSSLPeerBadRecordMac: OSStatus = -9820
/// The peer says it could not decrypt a record.
public let errSSLPeerDecryptionFail: OSStatus = -9821
/// The peer says it received a record that is too long.
public let errSSLPeerRecordOverflow: OSStatus = -9822
/// The peer says it could not decompress a record.
public let errSSLPeerDecompressFail: OSStatus = -9823
/// The peer says the handshake failed.
public let errSSLPeerHandshakeFail: OSStatus = -9824
/// The peer says the certificate is bad.
public let errSSLPeerBadCert: OSStatus = -9825
/// The peer says the kind of certificate is not supported.
public let errSSLPeerUnsupportedCert: OSStatus = -9826
/// The peer says the certificate was revoked.
public let errSSLPeerCertRevoked: OSStatus = -9827
/// The peer says the certificate has expired.
public let errSSLPeerCertExpired: OSStatus = -9828
/// The peer says it cannot accept the certificate.
public let errSSLPeerCertUnknown: OSStatus = -9829
/// A parameter of the handshake is not allowed.
public let errSSLIllegalParam: OSStatus = -9830
/// The peer says it does not know the certificate authority.
public let errSSLPeerUnknownCA: OSStatus = -9831
/// The peer denies access.
public let errSSLPeerAccessDenied: OSStatus = -9832
/// The peer says it could not decode a message.
public let errSSLPeerDecodeError: OSStatus = -9833
/// The peer says a signature or key exchange failed.
public let errSSLPeerDecryptError: OSStatus = -9834
/// The peer says export rules were violated.
public let errSSLPeerExportRestriction: OSStatus = -9835
/// The peer says it does not support the protocol version.
public let errSSLPeerProtocolVersion: OSStatus = -9836
/// The peer wants stronger security.
public let errSSLPeerInsufficientSecurity: OSStatus = -9837
/// The peer says it had an internal error.
public let errSSLPeerInternalError: OSStatus = -9838
/// The peer says its user cancelled.
public let errSSLPeerUserCancelled: OSStatus = -9839
/// The peer refuses to negotiate anew.
public let errSSLPeerNoRenegotiation: OSStatus = -9840

// MARK: - The handshake

/// The peer's certificate was received and can be judged now.
public let errSSLPeerAuthCompleted: OSStatus = -9841
/// The server asks for a client certificate.
public let errSSLClientCertRequested: OSStatus = -9842
/// The peer's certificate is for another host.
public let errSSLHostNameMismatch: OSStatus = -9843
/// The peer refused the connection.
public let errSSLConnectionRefused: OSStatus = -9844
/// A record could not be decrypted.
public let errSSLDecryptionFail: OSStatus = -9845
/// A record has a bad authentication code.
public let errSSLBadRecordMac: OSStatus = -9846
/// A record is too long.
public let errSSLRecordOverflow: OSStatus = -9847
/// The configuration of TLS is not valid.
public let errSSLBadConfiguration: OSStatus = -9848
/// A record came that was not expected.
public let errSSLUnexpectedRecord: OSStatus = -9849
/// The peer's ephemeral Diffie-Hellman key is too weak.
public let errSSLWeakPeerEphemeralDHKey: OSStatus = -9850
/// The client's first message was received.
public let errSSLClientHelloReceived: OSStatus = -9851
/// The connection was reset.
public let errSSLTransportReset: OSStatus = -9852
/// The network timed out.
public let errSSLNetworkTimeout: OSStatus = -9853
/// TLS could not be configured.
public let errSSLConfigurationFailed: OSStatus = -9854
/// The peer sent an extension that is not supported.
public let errSSLUnsupportedExtension: OSStatus = -9855
/// A message came that was not expected.
public let errSSLUnexpectedMessage: OSStatus = -9856
/// A record could not be decompressed.
public let errSSLDecompressFail: OSStatus = -9857
/// The handshake failed.
public let errSSLHandshakeFail: OSStatus = -9858
/// A message could not be decoded.
public let errSSLDecodeError: OSStatus = -9859
/// The client fell back to an older version without need.
public let errSSLInappropriateFallback: OSStatus = -9860
/// A required extension is missing.
public let errSSLMissingExtension: OSStatus = -9861
/// The certificate status sent along is bad.
public let errSSLBadCertificateStatusResponse: OSStatus = -9862
/// A certificate is required.
public let errSSLCertificateRequired: OSStatus = -9863
/// The pre-shared key is not known.
public let errSSLUnknownPSKIdentity: OSStatus = -9864
/// The server does not know the host name.
public let errSSLUnrecognizedName: OSStatus = -9865
/// The server rejected the early data.
public let errSSLEarlyDataRejected: OSStatus = -9890

// MARK: - Rules on transport security

/// The connection violates the rules on transport security.
public let errSSLATSViolation: OSStatus = -9880
/// The protocol version is below the minimum the rules demand.
public let errSSLATSMinimumVersionViolation: OSStatus = -9881
/// The cipher suite is not one the rules allow.
public let errSSLATSCiphersuiteViolation: OSStatus = -9882
/// A key is shorter than the rules demand.
public let errSSLATSMinimumKeySizeViolation: OSStatus = -9883
/// The peer's certificate uses a hash the rules do not allow.
public let errSSLATSLeafCertificateHashAlgorithmViolation: OSStatus = -9884
/// A certificate of the chain uses a hash the rules do not allow.
public let errSSLATSCertificateHashAlgorithmViolation: OSStatus = -9885
/// The certificate is not trusted as the rules demand.
public let errSSLATSCertificateTrustViolation: OSStatus = -9886
