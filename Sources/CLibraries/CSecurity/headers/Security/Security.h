// All of Security. SecBase.h has the types and the statuses (Errors/), SecItem.h the keychain's items with their
// attributes, values and request keys, SecKeychain.h keychains with names, SecAccessControl.h who may open items;
// SecKeychainChanges.h notices about changed items, SecProtectedFile.h files that are encrypted with keys of the
// keychain;
// SecKey.h keys and algorithms, SecRandom.h random bytes; SecCertificate.h, SecIdentity.h, SecPolicy.h and SecTrust.h
// certificates and trust in them; SecImportExport.h, CMSEncoder.h and CMSDecoder.h files and messages; SecTask.h,
// SecCode.h, SecStaticCode.h, SecRequirement.h and CSCommon.h programs and their signatures; SecProtocolTypes.h and
// CipherSuite.h the numbers of TLS, SecureTransport.h what to use in its place; SecSharedCredential.h passwords shared
// with web sites, which are not here; SecExtensions.h what Apple has not.
#ifndef SECURITY_SECURITY_H
#define SECURITY_SECURITY_H

#include <Security/SecBase.h>
#include <Security/SecItem.h>
#include <Security/SecKeychain.h>
#include <Security/SecKeychainChanges.h>
#include <Security/SecProtectedFile.h>
#include <Security/SecKey.h>
#include <Security/SecCertificate.h>
#include <Security/SecIdentity.h>
#include <Security/SecAccessControl.h>
#include <Security/SecPolicy.h>
#include <Security/SecTrust.h>
#include <Security/SecRandom.h>
#include <Security/SecImportExport.h>
#include <Security/SecSharedCredential.h>
#include <Security/SecTask.h>
#include <Security/CSCommon.h>
#include <Security/SecCode.h>
#include <Security/SecStaticCode.h>
#include <Security/SecRequirement.h>
#include <Security/CMSEncoder.h>
#include <Security/CMSDecoder.h>
#include <Security/CipherSuite.h>
#include <Security/SecProtocolTypes.h>
#include <Security/SecureTransport.h>
#include <Security/SecExtensions.h>

#endif
