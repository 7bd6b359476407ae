// Credentials shared with web sites: here only the making of passwords.
#ifndef SECURITY_SECSHAREDCREDENTIAL_H
#define SECURITY_SECSHAREDCREDENTIAL_H

#include <Security/SecBase.h>
#include <Security/Constants/SecSharedCredentialConstants.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

// A password that is hard to guess and can still be typed.
CFStringRef SEC_NULLABLE SecCreateSharedWebCredentialPassword(void) SEC_RETAINED;

#ifdef __BLOCKS__
// No browser shares its passwords here: the handlers are called, before the function returns, with errSecUnimplemented.
void SecAddSharedWebCredential(
    CFStringRef fqdn, CFStringRef account, CFStringRef SEC_NULLABLE password,
    void (^completionHandler)(CFErrorRef SEC_NULLABLE error));
void SecRequestSharedWebCredential(
    CFStringRef SEC_NULLABLE fqdn, CFStringRef SEC_NULLABLE account,
    void (^completionHandler)(CFArrayRef SEC_NULLABLE credentials, CFErrorRef SEC_NULLABLE error));
#endif

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
