// Versions and cipher suites of TLS as Network and URLSession name them.
#ifndef SECURITY_SECPROTOCOLTYPES_H
#define SECURITY_SECPROTOCOLTYPES_H

#include <Security/CipherSuite.h>

SEC_ASSUME_NONNULL_BEGIN

typedef CF_ENUM(uint16_t, tls_protocol_version_t) {
    tls_protocol_version_TLSv10 = 0x0301,
    tls_protocol_version_TLSv11 = 0x0302,
    tls_protocol_version_TLSv12 = 0x0303,
    tls_protocol_version_TLSv13 = 0x0304,
    tls_protocol_version_DTLSv10 = 0xFEFF,
    tls_protocol_version_DTLSv12 = 0xFEFD,
};

typedef CF_ENUM(uint16_t, tls_ciphersuite_group_t) {
    tls_ciphersuite_group_default,
    tls_ciphersuite_group_compatibility,
    tls_ciphersuite_group_legacy,
    tls_ciphersuite_group_ats,
    tls_ciphersuite_group_ats_compatibility,
};

// Versions as Secure Transport had them.
typedef CF_ENUM(int, SSLProtocol) {
    kSSLProtocolUnknown = 0,
    kSSLProtocol2 = 1,
    kSSLProtocol3 = 2,
    kSSLProtocol3Only = 3,
    kTLSProtocol1 = 4,
    kTLSProtocol1Only = 5,
    kSSLProtocolAll = 6,
    kTLSProtocol11 = 7,
    kTLSProtocol12 = 8,
    kDTLSProtocol1 = 9,
    kTLSProtocol13 = 10,
    kDTLSProtocol12 = 11,
    kTLSProtocolMaxSupported = 999,
};

SEC_ASSUME_NONNULL_END

#endif
