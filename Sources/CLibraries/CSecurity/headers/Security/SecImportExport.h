// Reading and writing files of keys and certificates.
#ifndef SECURITY_SECIMPORTEXPORT_H
#define SECURITY_SECIMPORTEXPORT_H

#include <Security/SecBase.h>
#include <Security/Constants/SecImportExportConstants.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

typedef CF_ENUM(uint32_t, SecExternalFormat) {
    kSecFormatUnknown = 0,
    kSecFormatOpenSSL,
    kSecFormatSSH,
    kSecFormatBSAFE,
    kSecFormatRawKey,
    kSecFormatWrappedPKCS8,
    kSecFormatWrappedOpenSSL,
    kSecFormatWrappedSSH,
    kSecFormatWrappedLSH,
    kSecFormatX509Cert,
    kSecFormatPEMSequence,
    kSecFormatPKCS7,
    kSecFormatPKCS12,
    kSecFormatNetscapeCertSequence,
    kSecFormatSSHv2,
};

typedef CF_ENUM(uint32_t, SecExternalItemType) {
    kSecItemTypeUnknown = 0,
    kSecItemTypePrivateKey,
    kSecItemTypePublicKey,
    kSecItemTypeSessionKey,
    kSecItemTypeCertificate,
    kSecItemTypeAggregate,
};

typedef CF_OPTIONS(uint32_t, SecItemImportExportFlags) {
    kSecItemPemArmour = 0x00000001,
};

typedef struct {
    uint32_t version;
    uint32_t flags;
    CFTypeRef SEC_NULLABLE passphrase;
    CFStringRef SEC_NULLABLE alertTitle;
    CFStringRef SEC_NULLABLE alertPrompt;
    SecAccessRef SEC_NULLABLE accessRef;
    CFArrayRef SEC_NULLABLE keyUsage;
    CFArrayRef SEC_NULLABLE keyAttributes;
} SecItemImportExportKeyParameters;

// Reads a PKCS #12 file; the items are an array of dictionaries and the caller's to release.
OSStatus SecPKCS12Import(
    CFDataRef pkcs12_data, CFDictionaryRef options, CFArrayRef SEC_NULLABLE *SEC_RETAINED items);

// Reads keys and certificates of many forms, which the bytes themselves say; nothing is put into the keychain. Of
// the parameters the
// passphrase counts.
OSStatus SecItemImport(
    CFDataRef importedData, CFStringRef SEC_NULLABLE fileNameOrExtension, SecExternalFormat *SEC_NULLABLE inputFormat,
    SecExternalItemType *SEC_NULLABLE itemType, SecItemImportExportFlags flags,
    const SecItemImportExportKeyParameters *SEC_NULLABLE keyParams, SecKeychainRef SEC_NULLABLE importKeychain,
    CFArrayRef SEC_NULLABLE *SEC_NULLABLE SEC_RETAINED outItems);
// Writes keys and certificates; kSecFormatUnknown for the usual form.
OSStatus SecItemExport(
    CFTypeRef secItemOrArray, SecExternalFormat outputFormat, SecItemImportExportFlags flags,
    const SecItemImportExportKeyParameters *SEC_NULLABLE keyParams, CFDataRef SEC_NULLABLE *SEC_RETAINED exportedData);

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
