// Secure Transport, which is not here: a compiler that meets one of its functions says what to use.
#ifndef SECURITY_SECURETRANSPORT_H
#define SECURITY_SECURETRANSPORT_H

#include <Security/SecProtocolTypes.h>

#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
#define SEC_NO_SECURE_TRANSPORT                                                                                        \
    __attribute__((unavailable("Secure Transport is not here: use OpenSSL's libssl or GnuTLS, and SecTrust")))
#else
#define SEC_NO_SECURE_TRANSPORT __attribute__((error("Secure Transport is not here: use OpenSSL's libssl or GnuTLS")))
#endif

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

typedef struct SSLContext *SSLContextRef;
typedef const void *SSLConnectionRef;

CFTypeID SSLContextGetTypeID(void) SEC_NO_SECURE_TRANSPORT;
SSLContextRef SEC_NULLABLE SSLCreateContext(CFAllocatorRef SEC_NULLABLE allocator, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLNewContext(Boolean isServer, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLAddDistinguishedName(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLClose(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLCopyALPNProtocols(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLCopyCertificateAuthorities(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLCopyDistinguishedNames(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLCopyPeerCertificates(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLCopyPeerTrust(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLCopyRequestedPeerName(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLCopyRequestedPeerNameLength(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLCopyTrustedRoots(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLDisposeContext(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetAllowsAnyRoot(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetAllowsExpiredCerts(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetAllowsExpiredRoots(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetBufferedReadSize(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetClientCertificateState(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetConnection(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetDatagramWriteSize(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetDiffieHellmanParams(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetEnableCertVerify(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetEnabledCiphers(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetMaxDatagramRecordSize(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetNegotiatedCipher(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetNegotiatedProtocolVersion(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetNumberEnabledCiphers(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetNumberSupportedCiphers(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetPeerDomainName(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetPeerDomainNameLength(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetPeerID(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetProtocolVersion(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetProtocolVersionEnabled(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetProtocolVersionMax(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetProtocolVersionMin(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetRsaBlinding(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetSessionOption(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetSessionState(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLGetSupportedCiphers(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLHandshake(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLReHandshake(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLRead(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetALPNProtocols(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetAllowsAnyRoot(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetAllowsExpiredCerts(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetAllowsExpiredRoots(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetCertificate(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetCertificateAuthorities(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetClientSideAuthenticate(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetConnection(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetDatagramHelloCookie(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetDiffieHellmanParams(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetEnableCertVerify(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetEnabledCiphers(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetEncryptionCertificate(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetError(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetIOFuncs(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetMaxDatagramRecordSize(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetOCSPResponse(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetPeerDomainName(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetPeerID(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetProtocolVersion(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetProtocolVersionEnabled(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetProtocolVersionMax(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetProtocolVersionMin(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetRsaBlinding(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetSessionConfig(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetSessionOption(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetSessionTicketsEnabled(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLSetTrustedRoots(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;
OSStatus SSLWrite(SSLContextRef context, ...) SEC_NO_SECURE_TRANSPORT;

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
