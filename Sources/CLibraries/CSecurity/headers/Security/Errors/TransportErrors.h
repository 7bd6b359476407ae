// Statuses of TLS: -9800 to -9890. No function here returns them but `SecKeyRawVerify`; programs name many.
// MARK: - The connection
#ifndef SECURITY_ERRORS_TRANSPORTERRORS_H
#define SECURITY_ERRORS_TRANSPORTERRORS_H

#include <CoreFoundation/CFBase.h>

CF_ENUM(OSStatus) {
    // The connection:
    errSSLProtocol = -9800,  // The TLS protocol was violated
    errSSLNegotiation = -9801,  // No cipher suite both sides support was found
    errSSLFatalAlert = -9802,  // The peer ended the connection with a fatal alert
    errSSLWouldBlock = -9803,  // The operation would have to wait
    errSSLSessionNotFound = -9804,  // The session to resume was not found
    errSSLClosedGraceful = -9805,  // The connection was closed in an orderly way
    errSSLClosedAbort = -9806,  // The connection was closed because of an error
    errSSLXCertChainInvalid = -9807,  // The peer's certificate chain is not valid
    errSSLBadCert = -9808,  // The peer's certificate is malformed
    errSSLCrypto = -9809,  // A cryptographic operation failed
    errSSLInternal = -9810,  // An internal error occurred in TLS
    errSSLModuleAttach = -9811,  // A module for TLS could not be attached
    errSSLUnknownRootCert = -9812,  // The certificate chain ends in an unknown root
    errSSLNoRootCert = -9813,  // The certificate chain has no root
    errSSLCertExpired = -9814,  // A certificate of the chain has expired
    errSSLCertNotYetValid = -9815,  // A certificate of the chain is not valid yet
    errSSLClosedNoNotify = -9816,  // The peer closed the connection without saying so
    errSSLBufferOverflow = -9817,  // The buffer is too small
    errSSLBadCipherSuite = -9818,  // The cipher suite is not allowed

    // What the peer reported:
    errSSLPeerUnexpectedMsg = -9819,  // The peer says it received a message it did not expect
    errSSLPeerBadRecordMac = -9820,  // The peer says it received a record with a bad authentication code
    errSSLPeerDecryptionFail = -9821,  // The peer says it could not decrypt a record
    errSSLPeerRecordOverflow = -9822,  // The peer says it received a record that is too long
    errSSLPeerDecompressFail = -9823,  // The peer says it could not decompress a record
    errSSLPeerHandshakeFail = -9824,  // The peer says the handshake failed
    errSSLPeerBadCert = -9825,  // The peer says the certificate is bad
    errSSLPeerUnsupportedCert = -9826,  // The peer says the kind of certificate is not supported
    errSSLPeerCertRevoked = -9827,  // The peer says the certificate was revoked
    errSSLPeerCertExpired = -9828,  // The peer says the certificate has expired
    errSSLPeerCertUnknown = -9829,  // The peer says it cannot accept the certificate
    errSSLIllegalParam = -9830,  // A parameter of the handshake is not allowed
    errSSLPeerUnknownCA = -9831,  // The peer says it does not know the certificate authority
    errSSLPeerAccessDenied = -9832,  // The peer denies access
    errSSLPeerDecodeError = -9833,  // The peer says it could not decode a message
    errSSLPeerDecryptError = -9834,  // The peer says a signature or key exchange failed
    errSSLPeerExportRestriction = -9835,  // The peer says export rules were violated
    errSSLPeerProtocolVersion = -9836,  // The peer says it does not support the protocol version
    errSSLPeerInsufficientSecurity = -9837,  // The peer wants stronger security
    errSSLPeerInternalError = -9838,  // The peer says it had an internal error
    errSSLPeerUserCancelled = -9839,  // The peer says its user cancelled
    errSSLPeerNoRenegotiation = -9840,  // The peer refuses to negotiate anew

    // The handshake:
    errSSLPeerAuthCompleted = -9841,  // The peer's certificate was received and can be judged now
    errSSLClientCertRequested = -9842,  // The server asks for a client certificate
    errSSLHostNameMismatch = -9843,  // The peer's certificate is for another host
    errSSLConnectionRefused = -9844,  // The peer refused the connection
    errSSLDecryptionFail = -9845,  // A record could not be decrypted
    errSSLBadRecordMac = -9846,  // A record has a bad authentication code
    errSSLRecordOverflow = -9847,  // A record is too long
    errSSLBadConfiguration = -9848,  // The configuration of TLS is not valid
    errSSLUnexpectedRecord = -9849,  // A record came that was not expected
    errSSLWeakPeerEphemeralDHKey = -9850,  // The peer's ephemeral Diffie-Hellman key is too weak
    errSSLClientHelloReceived = -9851,  // The client's first message was received
    errSSLTransportReset = -9852,  // The connection was reset
    errSSLNetworkTimeout = -9853,  // The network timed out
    errSSLConfigurationFailed = -9854,  // TLS could not be configured
    errSSLUnsupportedExtension = -9855,  // The peer sent an extension that is not supported
    errSSLUnexpectedMessage = -9856,  // A message came that was not expected
    errSSLDecompressFail = -9857,  // A record could not be decompressed
    errSSLHandshakeFail = -9858,  // The handshake failed
    errSSLDecodeError = -9859,  // A message could not be decoded
    errSSLInappropriateFallback = -9860,  // The client fell back to an older version without need
    errSSLMissingExtension = -9861,  // A required extension is missing
    errSSLBadCertificateStatusResponse = -9862,  // The certificate status sent along is bad
    errSSLCertificateRequired = -9863,  // A certificate is required
    errSSLUnknownPSKIdentity = -9864,  // The pre-shared key is not known
    errSSLUnrecognizedName = -9865,  // The server does not know the host name
    errSSLEarlyDataRejected = -9890,  // The server rejected the early data

    // Rules on transport security:
    errSSLATSViolation = -9880,  // The connection violates the rules on transport security
    errSSLATSMinimumVersionViolation = -9881,  // The protocol version is below the minimum the rules demand
    errSSLATSCiphersuiteViolation = -9882,  // The cipher suite is not one the rules allow
    errSSLATSMinimumKeySizeViolation = -9883,  // A key is shorter than the rules demand
    // The peer's certificate uses a hash the rules do not allow
    errSSLATSLeafCertificateHashAlgorithmViolation = -9884,
    // A certificate of the chain uses a hash the rules do not allow
    errSSLATSCertificateHashAlgorithmViolation = -9885,
    errSSLATSCertificateTrustViolation = -9886,  // The certificate is not trusted as the rules demand
};

#endif
