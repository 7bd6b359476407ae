// Values of attributes.
#ifndef SECURITY_SECITEMVALUES_H
#define SECURITY_SECITEMVALUES_H

#include <Security/SecBase.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

extern const CFStringRef kSecAttrAccessibleWhenUnlocked;  // Readable while the device is unlocked; the default
// Readable from the first unlock after a start until the device is switched off
extern const CFStringRef kSecAttrAccessibleAfterFirstUnlock;
extern const CFStringRef kSecAttrAccessibleAlways;  // Readable at any time, locked or not
// Readable while unlocked; exists only while the device has a passcode
extern const CFStringRef kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly;
// Readable while the device is unlocked, on this device only
extern const CFStringRef kSecAttrAccessibleWhenUnlockedThisDeviceOnly;
// Readable from the first unlock on, on this device only
extern const CFStringRef kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly;
extern const CFStringRef kSecAttrAccessibleAlwaysThisDeviceOnly;  // Readable at any time, on this device only

// Key classes, values of `kSecAttrKeyClass`:
extern const CFStringRef kSecAttrKeyClassPublic;  // A public key
extern const CFStringRef kSecAttrKeyClassPrivate;  // A private key
extern const CFStringRef kSecAttrKeyClassSymmetric;  // A symmetric key

// Key types, values of `kSecAttrKeyType`:
extern const CFStringRef kSecAttrKeyTypeRSA;  // RSA
extern const CFStringRef kSecAttrKeyTypeECSECPrimeRandom;  // Elliptic curve keys on the NIST prime curves
extern const CFStringRef kSecAttrKeyTypeEC;  // The older name of kSecAttrKeyTypeECSECPrimeRandom
extern const CFStringRef kSecAttrKeyTypeECDSA;  // Another older name of kSecAttrKeyTypeECSECPrimeRandom
extern const CFStringRef kSecAttrKeyTypeDSA;  // DSA
extern const CFStringRef kSecAttrKeyTypeAES;  // AES
extern const CFStringRef kSecAttrKeyTypeDES;  // DES
extern const CFStringRef kSecAttrKeyType3DES;  // Triple DES
extern const CFStringRef kSecAttrKeyTypeRC2;  // RC2
extern const CFStringRef kSecAttrKeyTypeRC4;  // RC4
extern const CFStringRef kSecAttrKeyTypeCAST;  // CAST

// Pseudo-random functions, values of `kSecAttrPRF`:
extern const CFStringRef kSecAttrPRFHmacAlgSHA1;  // HMAC with SHA-1
extern const CFStringRef kSecAttrPRFHmacAlgSHA224;  // HMAC with SHA-224
extern const CFStringRef kSecAttrPRFHmacAlgSHA256;  // HMAC with SHA-256
extern const CFStringRef kSecAttrPRFHmacAlgSHA384;  // HMAC with SHA-384
extern const CFStringRef kSecAttrPRFHmacAlgSHA512;  // HMAC with SHA-512

// Protocols:
extern const CFStringRef kSecAttrProtocolFTP;  // FTP
extern const CFStringRef kSecAttrProtocolFTPAccount;  // An account on an FTP server, on the client's side
extern const CFStringRef kSecAttrProtocolFTPS;  // FTP over TLS
extern const CFStringRef kSecAttrProtocolFTPProxy;  // A proxy for FTP
extern const CFStringRef kSecAttrProtocolHTTP;  // HTTP
extern const CFStringRef kSecAttrProtocolHTTPS;  // HTTP over TLS
extern const CFStringRef kSecAttrProtocolHTTPProxy;  // A proxy for HTTP
extern const CFStringRef kSecAttrProtocolHTTPSProxy;  // A proxy for HTTP over TLS
extern const CFStringRef kSecAttrProtocolIRC;  // IRC
extern const CFStringRef kSecAttrProtocolIRCS;  // IRC over TLS
extern const CFStringRef kSecAttrProtocolNNTP;  // NNTP
extern const CFStringRef kSecAttrProtocolNNTPS;  // NNTP over TLS
extern const CFStringRef kSecAttrProtocolPOP3;  // POP3
extern const CFStringRef kSecAttrProtocolPOP3S;  // POP3 over TLS
extern const CFStringRef kSecAttrProtocolSMTP;  // SMTP
extern const CFStringRef kSecAttrProtocolIMAP;  // IMAP
extern const CFStringRef kSecAttrProtocolIMAPS;  // IMAP over TLS
extern const CFStringRef kSecAttrProtocolLDAP;  // LDAP
extern const CFStringRef kSecAttrProtocolLDAPS;  // LDAP over TLS
extern const CFStringRef kSecAttrProtocolTelnet;  // Telnet
extern const CFStringRef kSecAttrProtocolTelnetS;  // Telnet over TLS
extern const CFStringRef kSecAttrProtocolSSH;  // SSH
extern const CFStringRef kSecAttrProtocolSOCKS;  // A SOCKS proxy
extern const CFStringRef kSecAttrProtocolSMB;  // SMB
extern const CFStringRef kSecAttrProtocolAFP;  // AFP over TCP
extern const CFStringRef kSecAttrProtocolAppleTalk;  // AFP over AppleTalk
extern const CFStringRef kSecAttrProtocolRTSP;  // RTSP
extern const CFStringRef kSecAttrProtocolRTSPProxy;  // A proxy for RTSP
extern const CFStringRef kSecAttrProtocolDAAP;  // DAAP
extern const CFStringRef kSecAttrProtocolEPPC;  // Remote Apple events
extern const CFStringRef kSecAttrProtocolIPP;  // IPP

// Authentication schemes, values of `kSecAttrAuthenticationType`:
extern const CFStringRef kSecAttrAuthenticationTypeDefault;  // The scheme the protocol uses when nothing else is agreed
extern const CFStringRef kSecAttrAuthenticationTypeHTTPBasic;  // HTTP basic authentication
extern const CFStringRef kSecAttrAuthenticationTypeHTTPDigest;  // HTTP digest authentication
extern const CFStringRef kSecAttrAuthenticationTypeHTMLForm;  // A form on a web page
extern const CFStringRef kSecAttrAuthenticationTypeNTLM;  // NT LAN Manager
extern const CFStringRef kSecAttrAuthenticationTypeMSN;  // Microsoft Network
extern const CFStringRef kSecAttrAuthenticationTypeDPA;  // Distributed password authentication
extern const CFStringRef kSecAttrAuthenticationTypeRPA;  // Remote password authentication

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
